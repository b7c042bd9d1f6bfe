"""Windows of characters, cut wherever they end: the plainest splitter, and the one that breaks most answers."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.chunking.build import Chunker, build
from evidencedesk.retrieval.chunking.flow import check_window, cut, windows
from evidencedesk.text.spans import Span


def fixed(size: int = 180, overlap: int = 40) -> Chunker:
    """Windows of `size` characters (code points) over the body, each sharing `overlap` with the one before.

    Windows cross sections. The text equals the source but for headings, which are left out (a blank line stands
    between the sections), and white space at a window's ends.
    """
    check_window(size, overlap, "characters")

    def split(text: str) -> Iterator[Span]:
        return (Span(*window) for window in windows(len(text), size, overlap))

    def chunk(document: Document) -> list[Chunk]:
        return build(document, cut(document, split))

    return chunk
