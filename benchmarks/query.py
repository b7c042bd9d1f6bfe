"""One question at a time: what each searcher takes, beside bm25s, tantivy and a matrix product.

Invariant: every searcher is asked the same questions, which are new to it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.inputs import TODAY, facts_of, folder, input_arguments, sizes
from benchmarks.measure import Clock, Outcome
from benchmarks.rivals import Bm25s, MatrixProduct, Tantivy, depth_of
from evidencedesk.workspace import Workspace


def main() -> None:
    """Run the benchmark."""
    options = input_arguments(__doc__ or "", chunks="10000", questions=100).parse_args()
    outcome = Outcome("query")
    for size in sizes(options):
        with folder(options, size) as root:
            measure(root, options, outcome)
    outcome.write(options.json)


def measure(root: Path, options: argparse.Namespace, outcome: Outcome) -> None:
    """One folder."""
    workspace = Workspace.open(root, today=TODAY)
    snapshot = workspace.snapshot
    depth = depth_of(snapshot)
    questions = [label.question for label in snapshot.labels]
    texts = [chunk.text for chunk in snapshot.chunks]
    asking: dict[str, Callable[[str], object]] = {
        name: partial(_search, searcher.search, depth) for name, searcher in workspace.searchers.items()
    }
    asking["bm25s"] = Bm25s(texts, questions, depth).ask
    asking["tantivy"] = Tantivy(texts, depth).ask
    passages = [chunk.to_passage().text for chunk in snapshot.chunks]
    asking["matrix product"] = MatrixProduct(passages, questions, depth).ask
    clocks = {name: Clock() for name in asking}
    for name, ask in asking.items():
        # Nobody has asked this before, so nothing is ready for it.
        first, *others = (f"{question} {name}" for question in questions)
        ask(first)
        for question in others:
            clocks[name].run(partial(ask, question), collect=False)
    outcome.clocks(facts_of(snapshot), clocks, "bm25s")


def _search(search: Callable[[str, int], object], depth: int, question: str) -> object:
    return search(question, depth)


if __name__ == "__main__":
    main()
