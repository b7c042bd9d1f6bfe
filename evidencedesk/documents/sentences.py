"""A document's sentences where they stand. Invariant: each is a slice of one block, without markers at its ends."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evidencedesk.documents.document import Block, Document
from evidencedesk.text.spans import Span

# After the sentence's last sign come closing quotation marks, brackets and emphasis, then white space; scripts that
# write none there end at their own signs.
_END = re.compile(r"(?<=[.!?…।])[\"'”’»)\]*_`]*(?=\s)|(?<=[。！？])[”’»」』）]*")
_LINE = re.compile(r"[^\r\n]+")
_ITEM = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+\[[ xX]\])?[ \t]+")
_LEADING = re.compile(r"(?:\s|>|<!--(?:[^-]|-(?!->))*-->)+")


def sentences(document: Document, within: Span) -> Iterator[Span]:
    """The sentences of the blocks in a part of the document: in prose up to a full stop, in tables and code by line."""
    for block in document.blocks:
        if within.start <= block.span.start and block.span.end <= within.end:
            for piece in _pieces(document.text, block):
                if piece.start < piece.end:
                    yield piece


def _pieces(text: str, block: Block) -> Iterator[Span]:
    if block.kind == "table":
        # The row under the header only draws a line.
        yield from (_stripped(text, row) for number, row in enumerate(block.rows) if number != 1)
    elif block.kind == "code":
        lines = [Span(*line.span()) for line in _LINE.finditer(text, block.span.start, block.span.end)]
        fenced = bool(lines) and lines[0].of(text).lstrip(" >").startswith(("```", "~~~"))
        inner = lines[1 : -1 if block.closed else None] if fenced else lines
        yield from (_stripped(text, line) for line in inner)
    elif block.kind == "list":
        for item in _items(text, block.span):
            yield from _split(text, item)
    else:
        yield from _split(text, block.span)


def _items(text: str, span: Span) -> Iterator[Span]:
    """The items of a list, at any depth, without their markers."""
    start = span.start
    for line in _LINE.finditer(text, span.start, span.end):
        marker = _ITEM.match(text, line.start(), line.end())
        if marker:
            yield Span(start, line.start())
            start = marker.end()
    yield Span(start, span.end)


def _split(text: str, span: Span) -> Iterator[Span]:
    start = span.start
    for end in _END.finditer(text, span.start, span.end):
        if end.end() > start and not _goes_on(text, end.end()):
            yield _stripped(text, Span(start, end.end()))
            start = end.end()
    yield _stripped(text, Span(start, span.end))


def _stripped(text: str, span: Span) -> Span:
    leading = _LEADING.match(text, span.start, span.end)
    start, end = leading.end() if leading else span.start, span.end
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


def _goes_on(text: str, at: int) -> bool:
    """Whether a small letter follows, as after "e.g."; only the next few characters are looked at."""
    return text[at : at + 8].lstrip()[:1].islower()
