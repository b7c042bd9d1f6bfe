"""Pieces at the coarsest separator that fits, merged up to a size: the usual production splitter."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.chunking.build import Chunker, build
from evidencedesk.retrieval.chunking.flow import check_window, cut, windows
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
    if not isinstance(separators, list | tuple) or not all(isinstance(separator, str) for separator in separators):
        raise ValueError(f"separators must be a list of texts, not {separators!r}")
    splitter = _Splitter(size, overlap)

    def chunk(document: Document) -> list[Chunk]:
        return build(document, cut(document, lambda text: splitter.split(text, Span(0, len(text)), tuple(separators))))

    return chunk


class _Splitter:
    def __init__(self, size: int, overlap: int) -> None:
        self.size = size
        self.overlap = overlap

    def split(self, text: str, span: Span, separators: Sequence[str]) -> Iterator[Span]:
        """The chunks of `text[span]`, in order."""
        usable = next((index for index, cut in enumerate(separators) if text.find(cut, *span) >= 0), None)
        if usable is None:
            yield span
            return
        separator, finer = separators[usable], separators[usable + 1 :]
        if not separator:
            for start, end in windows(span.end - span.start, self.size, self.overlap):
                yield Span(span.start + start, span.start + end)
            return
        lengths = list(map(len, span.of(text).split(separator)))
        cuts = accumulate(map(len(separator).__add__, lengths), initial=span.start - len(separator))
        bounds = [span.start, *islice(cuts, 1, None)]
        if bounds[1] == span.start:
            del bounds[1]
        if len(separator) + max(lengths) < self.size:
            yield from self._merge(bounds)
            return
        done = 0
        for index in range(1, len(bounds)):
            if bounds[index] - bounds[index - 1] >= self.size:
                yield from self._merge(bounds[done:index])
                yield from self.split(text, Span(bounds[index - 1], bounds[index]), finer)
                done = index
        yield from self._merge(bounds[done:])

    def _merge(self, bounds: Sequence[int]) -> Iterator[Span]:
        """Neighbouring pieces joined as long as they fit; piece n is `[bounds[n], bounds[n + 1])`."""
        first, last = 0, len(bounds) - 1
        while first < last:
            end = bisect_right(bounds, bounds[first] + self.size) - 1
            yield Span(bounds[first], bounds[end])
            if end == last:
                return
            first = bisect_left(bounds, max(bounds[end] - self.overlap, bounds[end + 1] - self.size))
