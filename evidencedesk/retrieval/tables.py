"""Tables whose rows lost their header. Invariant: tables come from the parsed document, not from pipes in the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evidencedesk.documents.document import Block
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.text.spans import Span


@dataclass(frozen=True, slots=True)
class SplitTable:
    """A table by its `header` row: of `rows` rows with content, those in `apart` share no chunk with the header."""

    header: Span
    rows: int
    apart: tuple[Span, ...]


def tables(chunked: ChunkedDocument) -> Iterator[Block]:
    """The tables of a document that have rows below their header."""
    return (block for block in chunked.document.blocks if block.kind == "table" and len(block.rows) > 2)


def split_tables(chunked: ChunkedDocument) -> Iterator[SplitTable]:
    """The tables that the chunker cut so that some row stands nowhere whole together with the header."""
    text = chunked.document.text
    for block in tables(chunked):
        rows = [row for row in block.rows[2:] if row.of(text).strip(" \t|")]
        held = _rows_with_header(text, block, rows, chunked.chunks)
        apart = tuple(row for row in rows if row not in held)
        if apart:
            yield SplitTable(block.rows[0], len(rows), apart)


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
