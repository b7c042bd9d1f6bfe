"""A document's body as one running text, and windows over it. Invariant: every offset maps back to the source."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.chunking.build import Piece, source_piece
from evidencedesk.retrieval.chunking.keep import stretches
from evidencedesk.text.spans import Span

_LINE_END = re.compile(r"\r\n|\n|\r")
_JOINT = "\n\n"


def cut(document: Document, split: Callable[[str], Iterable[Span]]) -> Iterator[Piece]:
    """The pieces that `split` makes of the running text, anew after each stretch that is kept, which is one piece."""
    parts: list[Span] = []
    for section in document.sections:
        for span, kept in stretches(document, section.body):
            if not kept:
                parts.append(span)
                continue
            before = Flow(document.text, parts)
            yield from before.pieces(split(before.text))
            parts = []
            if whole := source_piece(document, span):
                yield whole
    rest = Flow(document.text, parts)
    yield from rest.pieces(split(rest.text))


class Flow:
    """Parts of a source without the white space around them, joined by a blank line: the bodies of sections, mostly."""

    def __init__(self, source: str, bodies: Sequence[Span]) -> None:
        parts: list[str] = []
        self._starts: list[int] = []
        self._sources: list[int] = []
        length = 0
        for span in bodies:
            body = span.of(source)
            start = span.start + len(body) - len(body.lstrip())
            body = body.strip()
            if not body:
                continue
            if parts:
                parts.append(_JOINT)
                length += len(_JOINT)
            for text, offset in _lines(body):
                self._starts.append(length)
                self._sources.append(start + offset)
                parts.append(text)
                length += len(text)
        self.text = "".join(parts)

    def pieces(self, spans: Iterable[Span]) -> Iterator[Piece]:
        """The pieces that these stretches of `text` make, cut down to what is visible.

        A stretch that brings nothing beyond the one before it is dropped.
        """
        done = 0
        for first, last in spans:
            text = self.text[first:last].rstrip()
            end = first + len(text)
            text = text.lstrip()
            if end > done and text:
                yield Span(self._source(end - len(text)), self._source(end - 1) + 1), text
                done = end

    def _source(self, offset: int) -> int:
        part = bisect_right(self._starts, offset) - 1
        return self._sources[part] + offset - self._starts[part]


def _lines(body: str) -> Iterator[tuple[str, int]]:
    """Parts of `body` whose offsets run in step with the source, line ends as LF; the whole when it has LF only."""
    if "\r" not in body:
        yield body, 0
        return
    done = 0
    for end in _LINE_END.finditer(body):
        yield body[done : end.start()] + "\n", done
        done = end.end()
    yield body[done:], done


def windows(length: int, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """`[start, end)` of windows of `size` over `length` items, each starting `size - overlap` after the one before."""
    start = 0
    while start + size < length:
        yield start, start + size
        start += size - overlap
    if length:
        yield start, length


def check_window(size: int, overlap: int, unit: str) -> None:
    """Raise ValueError, in plain words, unless `0 <= overlap < size` and both are whole numbers."""
    for name, value, least in (("size", size, 1), ("overlap", overlap, 0)):
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ValueError(f"{name} must be a whole number of {unit}, {least} or more, not {value!r}")
    if overlap >= size:
        raise ValueError(f"overlap must be smaller than size: {overlap} {unit} of {size} would never move on")
