"""Chunks per second of the default vectors, beside a plain Python loop over n-grams with crc32.

The loop does the least that such vectors need: each word between marks, its n-grams of 3 to 5 characters, one bucket
and sign of each by crc32. Invariant: both read the same passages.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.inputs import config_of, folder, input_arguments, sizes
from benchmarks.measure import Clock, Outcome, Target
from evidencedesk.retrieval.embedding import Model
from evidencedesk.retrieval.vectors import embed_units
from evidencedesk.text.words import words
from evidencedesk.workspace.files import discover, read_source
from evidencedesk.workspace.reading import read_document

OURS = "default vectors"
LOOP = "plain loop, crc32"


def main() -> None:
    """Run the benchmark."""
    parser = input_arguments(__doc__ or "", chunks="10000", questions=0)
    parser.add_argument("--runs", type=int, default=3, help="runs of each [3]")
    options = parser.parse_args()
    outcome = Outcome("embed")
    for size in sizes(options):
        with folder(options, size) as root:
            passages = passages_of(root)
        clocks = {OURS: Clock(), LOOP: Clock()}
        model = Model.hashed()
        for _ in range(options.runs):
            clocks[OURS].run(partial(embed_units, passages, model))
            clocks[LOOP].run(partial(plain_loop, passages, model.dim))
        facts = {"chunks": len(passages), "characters": sum(map(len, passages))}
        outcome.clocks(facts, clocks, OURS)
        per_second = {name: len(passages) / clock.summary()["cpu_median"] for name, clock in clocks.items()}
        outcome.table(facts, ["chunks a second", "figure"], [[name, figure] for name, figure in per_second.items()])
        ratio = per_second[OURS] / per_second[LOOP]
        outcome.target(Target("chunks a second against the plain loop:", 10, "times", ratio, at_least=True))
    outcome.write(options.json)


def passages_of(root: Path) -> list[str]:
    """What is embedded of every chunk of a folder."""
    config = config_of(root)
    sources = filter(None, (read_source(root, path) for path in discover(root, config).documents))
    return [chunk.to_passage().text for source in sources for chunk in read_document(source, config).chunks]


def plain_loop(texts: Sequence[str], dim: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Signed sums of hashed n-grams, one row a text."""
    rows = np.zeros((len(texts), dim))
    for row, text in zip(rows, texts, strict=True):
        sums = [0.0] * dim
        for word in words(text):
            marked = f"<{word}>"
            for n in (3, 4, 5):
                for start in range(len(marked) - n + 1):
                    code = zlib.crc32(marked[start : start + n].encode())
                    sums[code % dim] += 1.0 if code >> 31 else -1.0
        row[:] = sums
    return rows


if __name__ == "__main__":
    main()
