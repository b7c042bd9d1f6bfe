"""One chunk per block, and per table row with the header repeated."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.documents.document import Block, Document
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.chunking.build import Chunker, Piece, build, source_piece
from evidencedesk.text.spans import Span

_HEADER_ROWS = 2  # the header and the delimiter row


def structure() -> Chunker:
    """One chunk per paragraph, list, quote and code block, kept whole, and one per row of a table.

    The text is the source; a table row has the table's header and delimiter row above it. The first row's place
    includes the header, a later row's is its own line.
    """

    def chunk(document: Document) -> list[Chunk]:
        return build(document, _pieces(document))

    return chunk


def _pieces(document: Document) -> Iterator[Piece]:
    done = 0
    for block in document.blocks:
        around = next((keep.span for keep in document.kept if keep.span.contains(block.span)), None)
        if around is None:
            yield from _rows(document, block)
        elif block.span.start >= done and (whole := source_piece(document, around)):
            yield whole
            done = around.end


def _rows(document: Document, block: Block) -> Iterator[Piece]:
    if len(block.rows) <= _HEADER_ROWS:
        whole = source_piece(document, block.span)
        if whole:
            yield whole
        return
    header = "\n".join(row.of(document.text).strip() for row in block.rows[:_HEADER_ROWS])
    for index, row in enumerate(block.rows[_HEADER_ROWS:]):
        own = source_piece(document, row)
        if own:
            span, text = own
            first = block.rows[0].start if index == 0 else span.start
            yield Span(first, span.end), f"{header}\n{text}"
