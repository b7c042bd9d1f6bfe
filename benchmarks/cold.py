"""Opening a folder with nothing kept from before, beside reading the same files with well-known libraries.

Beside: markdown-it-py (no inline parsing), then bm25s (words, index), one after the other; and tantivy's index alone.
With --profile, also where the time goes. Invariant: all read the same files from the disk.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from benchmarks.inputs import TODAY, facts_of, folder, input_arguments, sizes
from benchmarks.measure import Clock, Outcome, Target
from benchmarks.rivals import Tantivy, depth_of, index_with_bm25s, parse_with_markdown_it
from benchmarks.stages import Stages
from evidencedesk.workspace import Workspace

OPEN = "open"
OTHERS = "markdown-it-py, then bm25s"
TANTIVY = "tantivy: index"


def main() -> None:
    """Run the benchmark."""
    parser = input_arguments(__doc__ or "", chunks="10000", questions=1000)
    parser.add_argument("--profile", action="store_true", help="also show the stages")
    options = parser.parse_args()
    outcome = Outcome("cold")
    for size in sizes(options):
        with folder(options, size) as root:
            measure(root, options, outcome)
    outcome.write(options.json)


def measure(root: Path, options: argparse.Namespace, outcome: Outcome) -> None:
    """One folder."""
    clocks = {name: Clock() for name in (OPEN, OTHERS, TANTIVY)}
    stages = Stages()
    opening = partial(Workspace.open, root, today=TODAY, progress=stages)
    snapshot = clocks[OPEN].run(partial(stages.run, OPEN, opening)).snapshot
    paths = [root / document.path for document in snapshot.documents]
    texts = [chunk.text for chunk in snapshot.chunks]
    facts, depth = facts_of(snapshot), depth_of(snapshot)
    del snapshot

    def elsewhere() -> None:
        parse_with_markdown_it(paths)
        index_with_bm25s(texts)

    clocks[OTHERS].run(elsewhere)
    clocks[TANTIVY].run(partial(Tantivy, texts, depth))
    outcome.clocks(facts, clocks, OTHERS)
    if options.profile:
        outcome.table(facts, *stages.table())
    ratio = clocks[OPEN].wall[0] / clocks[OTHERS].wall[0]
    outcome.target(Target("a cold start against markdown-it-py, then bm25s (wall time):", 2, "times as long", ratio))


if __name__ == "__main__":
    main()
