"""What is being typed at a place of a JSON text. Invariant: reads a bounded part of the text, and never fails."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from evidencedesk.text.json_nodes import Node, Scalar, plain
from evidencedesk.text.json_reader import Reader
from evidencedesk.text.json_strings import decode_string
from evidencedesk.text.spans import Span

_BEFORE, _AFTER = 40_000, 20_000
_ENTRY = re.compile(r'\{\s*+"(?:id|question)"\s*+:')
_STRING = re.compile(r'"(?:[^"\\\r\n]|\\[^\r\n])*+"')
_ENDS_STRING = re.compile(r"[ \t]*+(?:[,:\]}\r\n]|\Z)")
_WORD = re.compile(r"[\w.+-]*")
_COLON = re.compile(r"\s*+:")
_PIECE = re.compile(r'"((?:[^"\\\r\n]|\\[^\r\n])*+)"(\s*+:)?|([{\[])|([}\]])')


class Wants(Enum):
    """What may stand at the cursor. `COMMA`: nothing before a comma, or the end of what is open."""

    KEY = 0
    VALUE = 1
    COMMA = 2


@dataclass(frozen=True, slots=True)
class Around:
    """A list or object that is open at the cursor.

    `key` is the key it is the value of ("" in a list or at the top). `values` are an object's members: key → value as
    `json.loads` gives it, those after the cursor only where they are texts (else None). `items` are a list's values
    before the cursor.
    """

    is_object: bool
    key: str
    values: Mapping[str, object]
    items: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class JsonCursor:
    """The place of the cursor in what is open around it, outermost first (as far as it was read).

    `key` is the key whose value is wanted, in an object. `span` is what a completion replaces: the inside of a string
    (`quoted`; up to the cursor where it is not `closed`), else the word at the cursor. `typed` is the decoded text from
    its start to the cursor. `colon` says whether a colon follows. `last_end` is where the value before the cursor ends
    that lacks a comma, or None.
    """

    around: tuple[Around, ...]
    wants: Wants
    key: str
    span: Span
    typed: str
    quoted: bool = False
    closed: bool = False
    colon: bool = False
    last_end: int | None = None


def json_cursor(text: str, offset: int, *, lines: bool = False) -> JsonCursor:
    """What stands around `offset` and is being typed there, whatever is broken before and after it.

    `lines` is for texts with one JSON value a line.
    """
    start = _line_start(text, offset) if lines else _start(text, offset)
    inside = start > 0 and not lines
    reader = _CursorReader(text, Span(start, offset), inside, resync=False)
    reader.read()
    if reader.broken:
        reader = _CursorReader(text, Span(start, offset), inside, resync=True)
        reader.read()
    frames = reader.frames
    wants, last_end = Wants(frames[-1].want) if frames else Wants.VALUE, None
    if wants is Wants.COMMA:
        # A key or value that is begun all the same only lacks the comma before it.
        wants, last_end = (Wants.KEY if frames[-1].is_object else Wants.VALUE), reader.last_end
    key = frames[-1].key[0] if frames and frames[-1].key and frames[-1].want == Wants.VALUE.value else ""
    quoted = reader.string_start is not None
    if reader.string_start is not None:
        span, closed = _inside(text, reader.string_start, offset)
        raw = Span(reader.string_start, offset)
        typed, _ = decode_string(text, raw, closed=False)
    else:
        word_start = offset if reader.word_start is None else reader.word_start
        word = _WORD.match(text, offset)
        span, closed = Span(word_start, word.end() if word else offset), False
        typed = text[word_start:offset]
    after = span.end + closed
    around = [
        Around(
            frame.is_object,
            outer.key[0] if outer is not None and outer.key else "",
            {member.key: plain(member.value) for member in frame.members},
            tuple(plain(item) for item in frame.items),
        )
        for outer, frame in zip([None, *frames], frames, strict=False)
    ]
    if around and around[-1].is_object:
        inner = around[-1]
        around[-1] = Around(True, inner.key, {**inner.values, **dict(_members_after(text, after))})
    return JsonCursor(
        around=tuple(around),
        wants=wants,
        key=key,
        span=span,
        typed=typed,
        quoted=quoted,
        closed=closed,
        colon=_COLON.match(text, after) is not None,
        last_end=last_end,
    )


def _start(text: str, offset: int) -> int:
    """Where reading begins: at the last entry, which no string can hold unescaped; else at the top of what is near."""
    near = max(0, offset - _BEFORE)
    entry = None
    for entry in _ENTRY.finditer(text, near, offset):  # noqa: B007 (the last one is wanted)
        pass
    if entry is not None:
        return entry.start()
    return max(near, _line_start(text, offset)) if near else 0


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def _inside(text: str, start: int, offset: int) -> tuple[Span, bool]:
    """The inside of the string that begins at `start`, and whether its quotation mark stands where one may."""
    string = _STRING.match(text, start)
    if string is not None and string.end() > offset and _ENDS_STRING.match(text, string.end()):
        return Span(start + 1, string.end() - 1), True
    return Span(start + 1, offset), False


def _members_after(text: str, start: int) -> Iterator[tuple[str, object]]:
    """Keys of the open object after the cursor, with their values where those are strings."""
    depth, key = 0, ""
    for piece in _PIECE.finditer(text, start, min(len(text), start + _AFTER)):
        if piece[4]:
            depth -= 1
            if depth < 0:
                return
        elif piece[3]:
            depth += 1
        elif depth == 0:
            if piece[2]:
                key = piece[1]
                yield key, None
            elif key:
                value, _ = decode_string(text, Span(piece.start(), piece.end()))
                yield key, value
                key = ""


class _CursorReader(Reader):
    """Reads up to the cursor, and keeps what is open there instead of closing it.

    `inside` says that the part to be read lies in a list. What touches the cursor is left out: a word (`word_start`),
    or a string without its end (`string_start`).
    """

    def __init__(self, text: str, part: Span, inside: bool, *, resync: bool) -> None:
        super().__init__(text, part.start, part.end, resync=resync)
        if inside:
            self._open(False, part.start)
        self.frames = list(self.stack)
        self.broken = False
        self.string_start: int | None = None
        self.word_start: int | None = None

    def _finish(self) -> Node | None:
        self.broken = self.unbalanced
        self.frames = list(self.stack)
        return None

    def _unclosed(self, span: Span) -> None:
        # Blanks and commas after it are what is being typed, unless the line ends.
        if self.text[span.end : self.end].strip(" \t,\\") == "":
            self.string_start, self.pos = span.start, self.end
        else:
            super()._unclosed(span)

    def _value(self, node: Scalar) -> None:
        if node.span.end == self.end and not isinstance(node.value, str):
            self.word_start = node.span.start
        else:
            super()._value(node)

    def _word(self, span: Span) -> None:
        if span.end == self.end:
            self.word_start = span.start
        else:
            super()._word(span)
