"""Pieces at the coarsest separator that fits, merged up to a size: the usual production splitter."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.chunking.build import Chunker, build
from evidencedesk.retrieval.chunking.flow import Flow, check_window, windows
from evidencedesk.text.spans import Span

SEPARATORS = ("\n\n", "\n", " ", "")


def recursive(size: int = 400, overlap: int = 0, separators: Sequence[str] = SEPARATORS) -> Chunker:
    """Chunks of at most `size` characters, cut at the first of `separators` that occurs.

    What is still too long is cut at the separators after it; small neighbours are merged again, and a chunk begins
    with as many of the last pieces of the one before as fit into `overlap`. A separator belongs to the piece after
    it. The empty separator cuts between any two characters; without it a piece that holds no separator stays longer
    than `size`. The text equals the source but for headings, which are left out, and white space at a chunk's ends.
    """
    check_window(size, overlap, "characters")
    if isinstance(separators, str) or not all(isinstance(separator, str) for separator in separators):
        raise ValueError(f"separators must be a list of texts, not {separators!r}")
    splitter = _Splitter(size, overlap)

    def chunk(document: Document) -> list[Chunk]:
        flow = Flow(document)
        return build(document, flow.pieces(splitter.split(flow.text, Span(0, len(flow.text)), tuple(separators))))

    return chunk


class _Splitter:
    def __init__(self, size: int, overlap: int) -> None:
        self.size = size
        self.overlap = overlap

    def split(self, text: str, span: Span, separators: tuple[str, ...]) -> Iterator[Span]:
        """The chunks of `text[span]`, in order."""
        usable = next((index for index, cut in enumerate(separators) if text.find(cut, *span) >= 0), None)
        if usable is None:
            yield span
            return
        separator, rest = separators[usable], separators[usable + 1 :]
        if not separator:
            for start, end in windows(span.end - span.start, self.size, self.overlap):
                yield Span(span.start + start, span.start + end)
            return
        small: list[Span] = []
        for piece in _cut(text, span, separator):
            if piece.end - piece.start < self.size:
                small.append(piece)
                continue
            yield from self._merge(small)
            small = []
            yield from self.split(text, piece, rest)
        yield from self._merge(small)

    def _merge(self, pieces: list[Span]) -> Iterator[Span]:
        """Neighbouring pieces joined as long as they fit."""
        current: deque[Span] = deque()
        for piece in pieces:
            if current and piece.end - current[0].start > self.size:
                yield Span(current[0].start, current[-1].end)
                while current and (
                    current[-1].end - current[0].start > self.overlap or piece.end - current[0].start > self.size
                ):
                    current.popleft()
            current.append(piece)
        if current:
            yield Span(current[0].start, current[-1].end)


def _cut(text: str, span: Span, separator: str) -> Iterator[Span]:
    start = span.start
    cut = text.find(separator, *span)
    while cut >= 0:
        if cut > start:
            yield Span(start, cut)
        start = cut
        cut = text.find(separator, cut + len(separator), span.end)
    yield Span(start, span.end)
