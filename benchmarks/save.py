"""Save → new snapshot, by kind of edit and size, beside a full rebuild and beside bm25s with a matrix product.

Every save is written to the disk and read from there. With --profile, also where the time goes.
Invariant: the last snapshot is compared with a fresh one, and the benchmark fails when they differ.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import statistics
from functools import partial
from pathlib import Path

from benchmarks.edits import EDITS
from benchmarks.inputs import LABELS, TODAY, demand_equal, facts_of, folder, input_arguments, sizes
from benchmarks.measure import Clock, Outcome, Target
from benchmarks.rivals import Bm25s, MatrixProduct, depth_of
from benchmarks.stages import Stages
from evidencedesk.workspace import Workspace
from evidencedesk.workspace.snapshot import Snapshot

CHANGING = ("word", "paragraph", "section removed")
KEEPING = ("front matter", "same text", "file elsewhere")
ELSEWHERE = "src/example.py"
KINDS = (*EDITS, "file elsewhere", "question")
REBUILD = "full rebuild"
BM25S = "bm25s: words + index + ask"
ASK_BM25S = "bm25s: ask only"
PRODUCT = "matrix product + best k"


def main() -> None:
    """Run the benchmark."""
    parser = input_arguments(__doc__ or "")
    parser.add_argument("--saves", type=int, default=5, help="saves of each kind [5]")
    parser.add_argument("--profile", action="store_true", help="also show the stages of each kind of save")
    options = parser.parse_args()
    outcome = Outcome("save")
    medians: dict[int, dict[str, float]] = {}
    for size in sizes(options):
        with folder(options, size) as root:
            clocks, facts = measure(root, options, outcome)
        medians[facts["chunks"]] = {name: statistics.median(clock.cpu) for name, clock in clocks.items() if clock.cpu}
    verdicts(outcome, medians)
    outcome.write(options.json)


def measure(root: Path, options: argparse.Namespace, outcome: Outcome) -> tuple[dict[str, Clock], dict[str, int]]:
    """One folder: all kinds of saves, the rebuild, the rivals."""
    stages = Stages()
    clocks = {kind: Clock() for kind in [*KINDS, REBUILD, BM25S, ASK_BM25S, PRODUCT]}
    after = make_saves(root, options.saves, clocks, stages)
    rebuild = partial(Workspace.open, root, today=TODAY, progress=stages)
    fresh = clocks[REBUILD].run(partial(stages.run, REBUILD, rebuild)).snapshot
    demand_equal(after, fresh)
    facts = facts_of(fresh)
    if fresh.labels:
        ask_elsewhere(fresh, clocks)
    outcome.clocks(facts, clocks, "word")
    if options.profile:
        outcome.table(facts, *stages.table())
    return clocks, facts


def make_saves(root: Path, count: int, clocks: dict[str, Clock], stages: Stages) -> Snapshot:
    """So many saves of each kind, each to the disk and read from there; the state after them."""
    workspace = Workspace.open(root, today=TODAY, progress=stages)
    # As the engine process does: what was read stays, and the collector need not walk through it.
    gc.freeze()
    (root / ELSEWHERE).parent.mkdir(exist_ok=True)

    def save(path: str, text: str) -> None:
        (root / path).write_text(text, encoding="utf-8", newline="")
        workspace.refresh([path])

    chance = random.Random(7)
    for number in range(count):
        for kind in KINDS:
            path, text = edited(workspace.snapshot, root, kind, number, chance)
            if path:
                clocks[kind].run(partial(stages.run, kind, partial(save, path, text)))
    return workspace.snapshot


def edited(snapshot: Snapshot, root: Path, kind: str, number: int, chance: random.Random) -> tuple[str, str]:
    """A path and its next text; an empty path when the folder has nothing to edit in this way."""
    if kind == "file elsewhere":
        return ELSEWHERE, f"print({number})\n"
    if kind == "question":
        path = root / LABELS
        if not path.is_file():
            return "", ""
        labels = json.loads(path.read_text(encoding="utf-8"))
        label = chance.choice(labels)
        label["question"] = f"{label['question'].rstrip('?')} {number}?"
        return LABELS, json.dumps(labels, ensure_ascii=False, indent=1)
    documents = list(snapshot.documents)
    for _ in range(100):
        document = chance.choice(documents)
        text = EDITS[kind](document, number)
        if text is not None:
            return document.path, text
    return "", ""


def ask_elsewhere(snapshot: Snapshot, clocks: dict[str, Clock]) -> None:
    """What an evaluation costs without us: every question is asked again."""
    texts = [chunk.text for chunk in snapshot.chunks]
    questions = [label.question for label in snapshot.labels]
    words = Bm25s(texts, questions, depth_of(snapshot))

    def everything() -> None:
        words.index()
        words.retrieve()

    clocks[BM25S].run(everything)
    for _ in range(3):
        clocks[ASK_BM25S].run(words.retrieve)
    product = MatrixProduct([chunk.to_passage().text for chunk in snapshot.chunks], questions, depth_of(snapshot))
    for _ in range(3):
        clocks[PRODUCT].run(product.rank)


def verdicts(outcome: Outcome, medians: dict[int, dict[str, float]]) -> None:
    """The targets, at the greatest size, and the growth over all sizes."""
    greatest = max(medians)
    if len(medians) > 1:
        kinds = [kind for kind in medians[greatest] if all(kind in of_size for of_size in medians.values())]
        columns = ["cpu ms by number of chunks", *(f"{chunks:,}" for chunks in medians)]
        rows = [[kind, *(of_size[kind] * 1000 for of_size in medians.values())] for kind in kinds]
        outcome.table({"sizes": len(medians)}, columns, rows)
    print(f"\nAt {greatest:,} chunks, CPU time:")
    at = medians[greatest]
    save = statistics.fmean(at[kind] for kind in CHANGING if kind in at)
    if PRODUCT in at:
        product = at[PRODUCT]
        text = "a save that changes a page, against bm25s (words, index, ask) + matrix product:"
        outcome.target(Target(text, 30, "times faster", (at[BM25S] + product) / save, at_least=True))
        text = "the same against bm25s (ask only, index given) + matrix product:"
        outcome.target(Target(text, 30, "times faster", (at[ASK_BM25S] + product) / save, at_least=True))
    smaller = [chunks for chunks in medians if 5 <= greatest / chunks <= 20]
    if smaller:
        before = statistics.fmean(medians[max(smaller)][kind] for kind in CHANGING if kind in medians[max(smaller)])
        outcome.target(Target(f"growth of a save from {max(smaller):,} chunks", 2, "times", save / before))
    for kind in (kind for kind in KEEPING if kind in at):
        outcome.target(Target(f"a save that changes no chunk ({kind})", 2, "ms", at[kind] * 1000))


if __name__ == "__main__":
    main()
