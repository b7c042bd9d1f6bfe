"""One chunk per stretch of lines between blank lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.chunking.build import Chunker, Piece, build, source_piece
from evidencedesk.retrieval.chunking.keep import stretches
from evidencedesk.text.spans import Span

_STRETCH = re.compile(r"\S[^\r\n]*(?:(?:\r\n|\n|\r)[^\S\r\n]*\S[^\r\n]*)*")


def paragraph() -> Chunker:
    """One chunk per stretch of lines between blank lines or headings, whatever Markdown makes of it.

    A table becomes one line of text, and a blank line inside a code fence cuts it, as splitters at blank lines do. The
    text is the source with every run of white space as one space.
    """

    def chunk(document: Document) -> list[Chunk]:
        return build(document, _stretches(document))

    return chunk


def _stretches(document: Document) -> Iterator[Piece]:
    for section in document.sections:
        for part, kept in stretches(document, section.body):
            spans = [part] if kept else [Span(*found.span()) for found in _STRETCH.finditer(document.text, *part)]
            for span in spans:
                if piece := source_piece(document, span):
                    yield piece[0], " ".join(piece[1].split())
