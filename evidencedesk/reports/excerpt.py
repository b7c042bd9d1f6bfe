"""A source line with the place of a span marked under it. Invariant: one short printable line for any source."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from rich.cells import cell_len

from evidencedesk.text.spans import LineIndex, Span

WIDTH = 100
"""Cells of source text shown at most, the marks of omission not counted."""

_TAB = "    "
_UNPRINTABLE = "␦"
_BEFORE = 30


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Line `line` (from 1) of a text as `text`, and `marks`: spaces and carets that stand under the span.

    A span of several lines is marked to the end of its first; `last_line` says where it really ends.
    """

    line: int
    last_line: int
    text: str
    marks: str


def excerpt(lines: LineIndex, span: Span, width: int = WIDTH) -> Excerpt:
    """The first line of `span`, cut to a window of `width` cells around its start when it is longer."""
    row = lines.line_of(span.start)
    line = lines.line_span(row)
    start = max(line.start, min(span.start, line.end))
    end = max(start, min(span.end, line.end))
    low, high = _window(lines.text, line, start, width)
    before, marked = visible(lines.text[low:start]), visible(lines.text[start : min(end, high)])
    lead = "…" if low > line.start else ""
    shown = lead + visible(lines.text[low:high]) + ("…" if high < line.end else "")
    marks = " " * _cells(lead + before) + "^" * max(1, _cells(marked))
    last = lines.line_of(max(span.start, span.end - 1))
    return Excerpt(row + 1, last + 1, shown, marks)


def visible(text: str) -> str:
    """`text` on one line of a terminal: tabs as spaces, control and direction characters as signs that do nothing."""
    if text.isprintable():
        return text
    return "".join(map(_visible, text))


def _visible(char: str) -> str:
    if char.isprintable() or char in "\u200c\u200d":
        return char
    if char == "\t":
        return _TAB
    if char < " ":
        return chr(0x2400 + ord(char))
    return " " if unicodedata.category(char) == "Zs" else _UNPRINTABLE


def _cells(text: str) -> int:
    return len(text) if text.isascii() else cell_len(text)


def _window(text: str, line: Span, start: int, width: int) -> Span:
    """The part of the line to show: all of it when it fits, else from a little before `start`."""
    piece = text[line.start : min(line.end, line.start + width + 1)]
    if line.start + len(piece) == line.end and _cells(visible(piece)) <= width:
        return line
    low = start
    room = _BEFORE if _cells(visible(text[line.start : start][-width:])) > _BEFORE else width
    while low > line.start and _cells(visible(text[low - 1 : start])) <= room:
        low -= 1
    while line.start < low < start and unicodedata.category(text[low])[0] == "M":
        low += 1
    high = low
    while high < line.end and _cells(visible(text[low : high + 1])) <= width:
        high += 1
    return Span(low, high)
