"""Save → new snapshot, beside a full rebuild and beside asking all questions again with bm25s and a matrix product.

Invariant: the last snapshot is compared with a fresh one, and the benchmark fails when they differ.
"""

from __future__ import annotations

import json
import random
import shutil
from datetime import date
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import bm25s
import numpy as np

from benchmarks.measure import Clock, arguments, report
from evidencedesk.retrieval.embedding import Model
from evidencedesk.text.analysis import index_terms, query_terms
from evidencedesk.workspace import Workspace
from evidencedesk.workspace.snapshot import Snapshot

LABELS = "benchmark-labels.json"
TODAY = date(2026, 1, 31)
DEPTH = 20


def main() -> None:
    """Run the benchmark."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--questions", type=int, default=100, help="labels made of headings; 0 for the folder's own")
    parser.add_argument("--saves", type=int, default=5)
    options = parser.parse_args()
    clocks = {name: Clock() for name in ("save a page", "save the labels", "full rebuild", "bm25s + matrix product")}

    with TemporaryDirectory() as folder:
        root = Path(folder) / "copy"
        shutil.copytree(options.docs, root)
        workspace = Workspace.open(root, today=TODAY)

        def save(path: str, text: str) -> None:
            (root / path).write_text(text, encoding="utf-8", newline="")
            workspace.refresh([path])

        if options.questions:
            save(LABELS, labels_text(workspace.snapshot, options.questions))
        chance = random.Random(7)
        for number in range(options.saves):
            page = chance.choice(workspace.snapshot.documents)
            text = f"{page.text}\n\nOne more sentence, number {number}, about {page.title}.\n"
            clocks["save a page"].run(partial(save, page.path, text))
            if options.questions:
                text = labels_text(workspace.snapshot, options.questions, f" {number}")
                clocks["save the labels"].run(partial(save, LABELS, text))
        fresh = clocks["full rebuild"].run(lambda: Workspace.open(root, today=TODAY).snapshot)
    clocks = {name: clock for name, clock in clocks.items() if clock.cpu or not name.startswith("save")}
    # What regressed since the last save is known only to the workspace that saw it.
    after, afresh = (
        [one for one in taken.problems if not one.code.startswith("ED6")] for taken in (workspace.snapshot, fresh)
    )
    if after != afresh or fresh.rankings != workspace.snapshot.rankings:
        raise SystemExit("The snapshot after the saves differs from a fresh one.")
    if fresh.labels:
        ask_elsewhere(fresh, clocks["bm25s + matrix product"])
    else:
        del clocks["bm25s + matrix product"]
    facts = {"documents": len(fresh.documents), "chunks": len(fresh.chunks), "questions": len(fresh.labels)}
    report("save", facts, clocks, "save a page", options.json)


def labels_text(snapshot: Snapshot, count: int, suffix: str = "") -> str:
    """Labels that ask for headings, spread evenly over all sections; the first words below are the evidence."""
    sections = [
        (document, section, words)
        for document in snapshot.documents
        for section in document.sections
        if section.level > 1 and len(words := section.body.of(document.text).split("\n\n")[0].split()[:12]) > 4
    ]
    chosen = sections[:: max(1, len(sections) // count)][:count]
    labels = [
        {
            "id": f"q{number}",
            "question": f"{document.title}: {section.heading}?{suffix}",
            "gold": [{"section": f"{document.doc_id}#{section.anchor}", "evidence": " ".join(words)}],
        }
        for number, (document, section, words) in enumerate(chosen)
    ]
    return json.dumps(labels, ensure_ascii=False)


def ask_elsewhere(snapshot: Snapshot, clock: Clock) -> None:
    """Index the words and ask all questions anew; words, vectors and memory are ready."""
    model = Model.hashed()
    texts = [index_terms(chunk.text) for chunk in snapshot.chunks]
    questions = [query_terms(label.question) for label in snapshot.labels]
    passages = [chunk.to_passage().text for chunk in snapshot.chunks]
    matrix = np.concatenate([model.embed_batch(passages[start : start + 256]) for start in range(0, len(texts), 256)])
    vectors = model.embed_batch([label.question for label in snapshot.labels])

    def ask() -> None:
        index = bm25s.BM25(method="lucene")
        index.index(texts, show_progress=False)
        index.retrieve(questions, k=min(DEPTH, len(texts)), show_progress=False)
        for start in range(0, len(vectors), 256):
            scores = vectors[start : start + 256] @ matrix.T
            np.argpartition(scores, -min(DEPTH, len(texts)), axis=1)

    clock.run(ask)


if __name__ == "__main__":
    main()
