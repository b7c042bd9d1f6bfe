"""ED202 table-split. Invariant: tables come from the parsed document, never from pipes in the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evidencedesk.documents.document import Block
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.facts import ChunkedDocument, Facts
from evidencedesk.retrieval.places import quoted
from evidencedesk.rule import Related, Severity, Violation, rule
from evidencedesk.text.spans import Span


@rule(
    code="ED202",
    stage="ingestion",
    failure="missed_evidence",
    severity=Severity.WARNING,
    message="{chunking} cuts this table: rows that share no chunk with the header “{header}”: {bad} of {all}",
)
def table_split(subject: ChunkedDocument, facts: Facts) -> Iterator[Violation]:
    """The chunker separates rows of a table from their header, or cuts a row in two.

    ## Why it matters

    `| Crank | 40 |` without its header says neither what is measured nor in which unit. The row is found less often,
    and read wrongly when it is.

    ## Example

    ```markdown title="torque.md"
    # Torque

    | Part      | Newton metres | Tool       |
    |-----------|---------------|------------|
    | Stem bolt | 5             | 4 mm key   |
    | Crank arm | 40            | 8 mm key   |
    | Seat post | 7             | 5 mm key   |
    ```

    ```toml title="evidencedesk.toml"
    [chunking]
    strategy = "fixed"
    size = 120
    overlap = 20
    ```

    ## How to fix

    The `structure` strategy makes a chunk of each row and repeats the header; with other strategies choose a size that
    holds the table, or split a long table under several headings.

    ## Repaired

    ```toml title="evidencedesk.toml"
    [chunking]
    strategy = "structure"
    ```
    """
    document = subject.document
    for block in document.blocks:
        if block.kind != "table" or len(block.rows) < 3:
            continue
        header, rows = block.rows[0], [row for row in block.rows[2:] if row.of(document.text).strip(" \t|")]
        held = _rows_with_header(document.text, block, rows, subject.chunks)
        bad = [row for row in rows if row not in held]
        if bad:
            name = quoted(header.of(document.text).strip().strip("|"))
            values = {"chunking": facts.chunking, "bad": len(bad), "all": len(rows), "header": name}
            span = Span(bad[0].start, bad[-1].end)
            related = (Related(document.path, header, "the header"),)
            yield Violation(document.path, span, values, name, related)


def _rows_with_header(text: str, block: Block, rows: Sequence[Span], chunks: Sequence[Chunk]) -> set[Span]:
    """The rows that some chunk holds whole together with the header, which a chunker may repeat in a chunk's text."""
    header = _tight(block.rows[0], text)
    wanted = " ".join(header.of(text).split())
    held: set[Span] = set()
    for chunk in chunks:
        span = chunk.location.span
        if not span.overlaps(block.span):
            continue
        if span.contains(header) or wanted in " ".join(chunk.text.split()):
            held.update(row for row in rows if span.contains(_tight(row, text)))
    return held


def _tight(span: Span, text: str) -> Span:
    """`span` without the blanks at its ends."""
    source = span.of(text)
    start = span.start + len(source) - len(source.lstrip())
    return Span(start, start + len(source.strip()))
