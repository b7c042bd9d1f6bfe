"""Pieces of a document → its Chunks. Invariant: the only place where chunks get ids, locations and metadata."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from typing import TypeAlias

from evidencedesk.documents.document import Block, BlockKind, Document
from evidencedesk.retrieval.chunk import Chunk, ChunkKind, Location
from evidencedesk.text.spans import Span, line_starts

Chunker: TypeAlias = Callable[[Document], list[Chunk]]

Piece: TypeAlias = tuple[Span, str]
"""Where a chunk stands in the source, and its text."""

_COMMENT_START = re.compile(r"\s*<!--")

_KINDS: dict[BlockKind, ChunkKind] = {"table": "table", "code": "code", "list": "list"}


def build(document: Document, pieces: Iterable[Piece]) -> list[Chunk]:
    """A chunk for every piece that touches a block, in the order given; pieces start and end at visible characters.

    A chunk's kind is that of its blocks when they agree, else `text`. Its section is the one in which it starts.
    """
    line_begins = line_starts(document.text)
    blocks = [block for block in document.blocks if not is_comment(document, block)]
    block_starts, block_ends = [block.span.start for block in blocks], [block.span.end for block in blocks]
    kinds: list[ChunkKind] = [_KINDS.get(block.kind, "text") for block in blocks]
    section_starts = [section.span.start for section in document.sections]
    doc_id = document.doc_id
    same = document.title, document.status, document.audience, document.lang
    chunks: list[Chunk] = []
    for span, text in pieces:
        start, end = span
        first = bisect_right(block_ends, start)
        behind = bisect_left(block_starts, end)
        if first >= behind:
            continue
        section = document.sections[max(0, bisect_right(section_starts, start) - 1)]
        first_line, last_line = bisect_right(line_begins, start), bisect_right(line_begins, end - 1)
        place = f"lines {first_line}-{last_line}"
        label = f"{section.anchor}, {place}" if section.anchor else place
        location = Location(label, span, first_line, last_line, section.heading_span)
        kind = kinds[first] if len({*kinds[first:behind]}) == 1 else "text"
        chunk_id = f"{doc_id}:c{len(chunks)}"
        chunks.append(Chunk(chunk_id, doc_id, text, kind, location, document.path, section.anchor, *same))
    return chunks


def is_comment(document: Document, block: Block) -> bool:
    """Whether the block is nothing but closed HTML comments, which no reader sees."""
    if block.kind != "html":
        return False
    text = block.span.of(document.text)
    done = 0
    while comment := _COMMENT_START.match(text, done):
        end = text.find("-->", comment.end())
        if end < 0:
            return False
        done = end + len("-->")
    return not text[done:].strip()


def source_piece(document: Document, span: Span) -> Piece | None:
    """The source of `span` without white space around it; None when nothing else is there."""
    text = span.of(document.text)
    start = span.start + len(text) - len(text.lstrip())
    text = text.strip()
    return (Span(start, start + len(text)), unix_lines(text)) if text else None


def unix_lines(text: str) -> str:
    """`text` with every CRLF and CR as LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
