"""Opening a folder, beside parsing it with markdown-it-py (no inline parsing) and indexing it with bm25s.

Invariant: both read the same files from the disk.
"""

from __future__ import annotations

from datetime import date

import bm25s
from markdown_it import MarkdownIt

from benchmarks.measure import Clock, arguments, report
from evidencedesk.workspace import Workspace


def main() -> None:
    """Run the benchmark."""
    options = arguments(__doc__ or "").parse_args()
    clocks = {name: Clock() for name in ("open", "markdown-it-py + bm25s")}
    workspace = clocks["open"].run(lambda: Workspace.open(options.docs, today=date(2026, 1, 31)))
    snapshot = workspace.snapshot
    paths = [options.docs / document.path for document in snapshot.documents]

    def elsewhere() -> None:
        parser = MarkdownIt("commonmark").enable("table").disable("inline")
        texts = [path.read_text(encoding="utf-8", errors="replace") for path in paths]
        for text in texts:
            parser.parse(text)
        tokens = bm25s.tokenize([chunk.text for chunk in snapshot.chunks], show_progress=False)
        bm25s.BM25(method="lucene").index(tokens, show_progress=False)

    clocks["markdown-it-py + bm25s"].run(elsewhere)
    facts = {
        "documents": len(snapshot.documents),
        "chunks": len(snapshot.chunks),
        "questions": len(snapshot.labels),
    }
    report("cold", facts, clocks, "open", options.json)


if __name__ == "__main__":
    main()
