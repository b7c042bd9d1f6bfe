"""Windows of words, as splitters that count tokens make them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.chunking.build import Chunker, build
from evidencedesk.retrieval.chunking.flow import check_window, cut, windows
from evidencedesk.text.spans import Span

_WORD = re.compile(r"\S+")


def tokens(size: int = 120, overlap: int = 20) -> Chunker:
    """Windows of `size` words, each sharing `overlap` words with the one before.

    A word is a run of characters without white space, so a text that is written without spaces counts as one. A model's
    own tokens are shorter: 100 English words are about 130 of them. The text equals the source but for headings, which
    are left out, as are white space characters at a window's ends.
    """
    check_window(size, overlap, "words")

    def split(text: str) -> Iterator[Span]:
        words = [match.span() for match in _WORD.finditer(text)]
        return (Span(words[first][0], words[end - 1][1]) for first, end in windows(len(words), size, overlap))

    def chunk(document: Document) -> list[Chunk]:
        return build(document, cut(document, split))

    return chunk
