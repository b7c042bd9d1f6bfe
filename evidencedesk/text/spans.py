"""Places in a text. Invariant: offsets are code points `[start, end)`; lines end at LF, CRLF and CR only."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, NamedTuple

Encoding = Literal["utf-8", "utf-16", "utf-32"]

LINE_END = re.compile(r"\r\n|\n|\r")
"""A line break; nothing else ends a line."""

_STEP = 2048


def line_starts(text: str, start: int = 0) -> list[int]:
    """Where the lines of `text` from `start` on begin; the first does at `start`."""
    if "\r" in text:
        return [start, *(match.end() for match in LINE_END.finditer(text, start))]
    lengths = map(len, text[start:].split("\n"))
    return list(accumulate(map((1).__add__, lengths), initial=start))[:-1]


class Span(NamedTuple):
    """Code points `[start, end)` of one text."""

    start: int
    end: int

    def contains(self, other: Span) -> bool:
        """Whether `other` lies inside, ends included."""
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        """Whether the two share a character; an empty span overlaps what it touches or lies in."""
        if self.start == self.end or other.start == other.end:
            return self.start <= other.end and other.start <= self.end
        return self.start < other.end and other.start < self.end

    def of(self, text: str) -> str:
        """The characters of `text` in this span."""
        return text[self.start : self.end]


class Position(NamedTuple):
    """A line from 0 and a column from 0 in units of an encoding."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace the characters of `span` by `text`."""

    span: Span
    text: str


def apply_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """`text` with all edits applied; spans refer to `text` as given.

    Edits at one place apply in the order given. Raises ValueError when two edits overlap.
    """
    ordered = sorted(enumerate(edits), key=lambda pair: (pair[1].span, pair[0]))
    parts: list[str] = []
    done = 0
    for _, edit in ordered:
        if edit.span.start < done:
            raise ValueError(f"edits overlap at {edit.span.start}")
        parts += [text[done : edit.span.start], edit.text]
        done = edit.span.end
    return "".join([*parts, text[done:]])


class LineIndex:
    """Offsets ↔ lines and columns of one text, in any LSP encoding.

    Positions past the end of a line clamp to its end (before the line break), lines past the end to the end of
    the text, as LSP asks; a column inside a surrogate pair or a UTF-8 sequence rounds down to the character.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._ascii = text.isascii()
        self._starts = line_starts(text)
        self._counts: dict[tuple[int, Encoding], list[int]] = {}

    @property
    def line_count(self) -> int:
        """Number of lines; a text that ends with a line break has an empty last line."""
        return len(self._starts)

    def line_of(self, offset: int) -> int:
        """The line, from 0, that holds `offset`; an offset between CR and LF belongs to the line they end."""
        return bisect_right(self._starts, max(0, min(offset, len(self.text)))) - 1

    def line_span(self, line: int) -> Span:
        """The line without its line break. Raises IndexError for a line that does not exist."""
        if not 0 <= line < len(self._starts):
            raise IndexError(f"no line {line}")
        start = self._starts[line]
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self.text)
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        return Span(start, end)

    def position(self, offset: int, encoding: Encoding = "utf-32") -> Position:
        """Line and column of an offset."""
        line = self.line_of(offset)
        span = self.line_span(line)
        offset = max(span.start, min(offset, span.end))
        return Position(line, self._column(span.start, offset, encoding))

    def offset(self, line: int, column: int, encoding: Encoding = "utf-32") -> int:
        """Offset of a line and column."""
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self.text)
        span = self.line_span(line)
        column = max(0, column)
        if encoding == "utf-32" or self._ascii:
            return min(span.start + column, span.end)
        # The last offset not past the column, by bisection: a minified file is one line of a million characters.
        low, high = span.start, min(span.start + column, span.end)
        while low < high:
            middle = (low + high + 1) // 2
            fits = self._column(span.start, middle, encoding) <= column
            low, high = (middle, high) if fits else (low, middle - 1)
        return low

    def _column(self, start: int, offset: int, encoding: Encoding) -> int:
        """Units between the start of a line and an offset in it; a long line is counted once, step by step."""
        if encoding == "utf-32" or self._ascii:
            return offset - start
        steps = (offset - start) // _STEP
        counts = self._counts.setdefault((start, encoding), [0]) if steps else [0]
        while len(counts) <= steps:
            at = start + (len(counts) - 1) * _STEP
            counts.append(counts[-1] + _units(self.text[at : at + _STEP], encoding))
        return counts[steps] + _units(self.text[start + steps * _STEP : offset], encoding)


def _units(piece: str, encoding: Encoding) -> int:
    if encoding == "utf-16":
        return len(piece.encode("utf-16-le", "surrogatepass")) // 2
    return len(piece.encode("utf-8", "surrogatepass"))
