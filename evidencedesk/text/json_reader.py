"""Recovery from whatever is wrong in a JSON text. Invariant: every step consumes text or closes a container.

What guides it: brackets that cannot belong together end what was left open inside; a quotation mark that opens the next
string was not meant to close this one; the first key of the entries shows where the next entry begins.
"""

from __future__ import annotations

import re

from evidencedesk.text.json_nodes import Array, JsonDefect, Member, Node, Object, Scalar, Sound
from evidencedesk.text.json_strings import decode_string
from evidencedesk.text.spans import Span

_TOKEN = re.compile(
    r"""[ \t\r\n\ufeff]*+ (?:
        "([^"\\\x00-\x1f]*+)" (?: [ \t\r\n]*+ (:) )?                                       # 1 string, 2 and a colon
      | ([{}\[\],:])                                                                       # 3
      | (-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null) (?![^ \t\r\n{}\[\],:"])   # 4
      | "((?:[^"\\\r\n]++|\\[^\r\n])*+) (?: (") (?: [ \t\r\n]*+ (:) )? )?      # 5 odd string, 6 closed, 7 and a colon
      | (//[^\r\n]*+|/\*[\s\S]*?(?:\*/|\Z))                                                # 8 comment
      | ([^ \t\r\n{}\[\],:"]++)                                                            # 9 anything else
      | (\Z)                                                                               # 10
    )""",
    re.VERBOSE,
)
_COLON = re.compile(r"[ \t\r\n]*+:")
_STRING_IN_PLACE = re.compile(r'"[^"\\\r\n]*+"[ \t]*+[:,\]}]')
_FIRST_KEY = re.compile(r'\{[ \t\r\n]*+"([^"\\\r\n]*+)"[ \t\r\n]*+:')
_CONSTANTS = {"true": True, "false": False, "null": None}
_SPACE = " \t\r\n"
_AFTER_STRING = frozenset(' \t\r\n,]}:"')

_KEY, _VALUE, _COMMA = range(3)


class _Frame:
    """An open container. `want` is what comes next; `key` is None in an object for a value without a key."""

    __slots__ = ("comma", "first_key", "is_object", "items", "key", "members", "start", "want")

    def __init__(self, is_object: bool, start: int) -> None:
        self.is_object = is_object
        self.start = start
        self.items: list[Node] = []
        self.members: list[Member] = []
        self.want = _KEY if is_object else _VALUE
        self.key: tuple[str, Span] | None = None
        self.comma = -1
        self.first_key = ""


class Reader:
    """One reading of `text[start:end]`.

    `resync` is for texts whose brackets are known not to match: an object inside an entry of the outermost list that
    begins with the same key as the first entry is taken for the next entry, whatever is still open before it.

    Entries of the outermost list that are `sound` are not looked into: they are Objects without members.
    """

    def __init__(self, text: str, start: int, end: int, *, resync: bool, sound: Sound | None = None) -> None:
        self.text = text
        self.pos = start
        self.end = end
        self.resync = resync
        self.sound = sound or {}
        self.defects: list[JsonDefect] = []
        self.unbalanced = False
        self.root = _Frame(False, start)
        self.frame = self.root
        self.stack: list[_Frame] = []
        self.objects = 0
        # Faults in a row have one cause: after one, none is reported until something reads well again.
        self.calm = True
        self.last_end = start
        # Where nothing but closing brackets follows: the only place where the outermost container may end.
        self.tail_start = start + len(text[start:end].rstrip(_SPACE + "]}"))

    def read(self) -> Node | None:
        """The root value; fills `defects` and `unbalanced`."""
        match = _TOKEN.match
        text, end = self.text, self.end
        new = tuple.__new__
        while True:
            frame = self.frame
            token = match(text, self.pos, end)
            assert token is not None  # every character is covered by an alternative
            kind = token.lastindex
            self.pos = stop = token.end()
            if kind == 1:
                if stop < end and text[stop] not in _AFTER_STRING and self._cut(token.start(1) - 1, stop):
                    continue
                self._value(new(Scalar, (token[1], new(Span, (token.start(1) - 1, stop)))))
            elif kind == 2:
                key_span = new(Span, (token.start(1) - 1, token.end(1) + 1))
                if frame.want == _KEY:
                    frame.key = (token[1], key_span)
                    frame.want = _VALUE
                    self.calm = True
                else:
                    self._key(token[1], key_span)
            elif kind == 3:
                char = token[3]
                if char == ",":
                    if frame.want == _COMMA and self.stack:
                        frame.want = _KEY if frame.is_object else _VALUE
                        frame.comma = stop - 1
                    else:
                        self._misplaced_comma(stop - 1)
                elif char in "{[":
                    self._open(char == "{", stop - 1)
                elif char in "}]":
                    self._close(char == "}", stop - 1)
                else:
                    self._stray(Span(stop - 1, stop))
            elif kind == 4:
                self._value(new(Scalar, (_number(token[4]), new(Span, (token.start(4), stop)))))
            elif kind == 9:
                self._word(Span(token.start(9), stop))
            elif kind == 8:
                self.defects.append(JsonDefect(Span(*token.span(8)), "JSON has no comments; remove this one"))
            elif kind == 10:
                return self._finish()
            else:
                self._odd_string(token)

    # What the tokens mean ---------------------------------------------------------------------------------------

    def _value(self, node: Scalar) -> None:
        frame = self.frame
        if frame.want == _VALUE:
            self.calm = True
        elif frame is self.root or frame.is_object:
            if frame.is_object and frame.want == _KEY and isinstance(node.value, str):
                self._defect(node.span, "a key needs a `:` and a value after it")
                frame.want = _COMMA
            else:
                self._stray(node.span)
            return
        else:
            self._missing_comma()
        self._attach(node)

    def _key(self, key: str, span: Span) -> None:
        frame = self.frame
        if not frame.is_object:
            if (parent := self._parent()).is_object:
                self._abandon(parent)
                return self._key(key, span)
            if frame is self.root and frame.want == _COMMA:
                return self._stray(span)
            self._defect(Span(span.start, span.start + 1), "`{` is missing before this key")
            if frame.want == _COMMA:
                frame.want = _VALUE
            self._push(_Frame(True, span.start))
            frame = self.frame
        elif frame.want == _COMMA:
            self._missing_comma()
        elif frame.want == _VALUE:
            self._missing_value()
        else:
            self.calm = True
        frame.key = (key, span)
        frame.want = _VALUE
        self.last_end = self.pos
        return None

    def _misplaced_comma(self, at: int) -> None:
        frame = self.frame
        if frame.is_object and frame.want == _VALUE:
            self._missing_value()
            frame.want = _KEY
            frame.comma = at
        elif frame is self.root:
            self._stray(Span(at, at + 1))
        else:
            self._defect(Span(at, at + 1), "one comma too many")

    def _open(self, is_object: bool, at: int) -> None:
        if self.resync and is_object and self._starts_next_entry(at):
            self._abandon(self._outer_list())
        frame = self.frame
        if frame.want == _VALUE:
            self.calm = True
        elif frame is self.root:
            return self._stray(Span(at, at + 1))
        elif not frame.is_object:
            self._missing_comma()
        elif is_object and len(self.stack) > self.objects:
            self._abandon(next(outer for outer in reversed(self.stack) if not outer.is_object))
            return self._open(is_object, at)
        else:
            self._stray(Span(at, at + 1))
            frame.key = None
        if not (is_object and at in self.sound and self._passes_over(at)):
            self._push(_Frame(is_object, at))
        return None

    def _passes_over(self, at: int) -> bool:
        """Whether a sound object was taken as an entry, unread; everything is then as if it had been read."""
        frame, end = self.frame, self.sound[at]
        key = _FIRST_KEY.match(self.text, at, end)
        if key is None or frame is self.root or frame is not self._outer_list():
            return False
        first = frame.first_key or key[1]
        if self.resync and any(inner[1] == first for inner in _FIRST_KEY.finditer(self.text, at + 1, end)):
            return False
        frame.first_key = first
        self.calm, self.pos = True, end
        self._attach(Object((), Span(at, end)))
        return True

    def _close(self, is_object: bool, at: int) -> None:
        frame = self.frame
        same_kind = self.objects if is_object else len(self.stack) - self.objects
        outermost = same_kind == 1 and self.stack[0].is_object == is_object
        if not same_kind:
            self._stray(Span(at, at + 1))
        elif outermost and at < self.tail_start:
            self._defect(Span(at, at + 1), f"`{self.text[at]}` closes the whole file's value, but more follows")
        elif frame.is_object != is_object:
            self._abandon(next(outer for outer in reversed(self.stack) if outer.is_object == is_object))
            self._close(is_object, at)
        else:
            if frame.is_object and frame.want == _VALUE:
                self._missing_value()
            elif frame.want != _COMMA and frame.comma >= 0:
                self._defect(Span(frame.comma, frame.comma + 1), "remove this comma: nothing follows it")
            self.calm = True
            self._pop(at + 1)

    def _word(self, span: Span) -> None:
        frame = self.frame
        word = span.of(self.text)
        if frame.is_object and frame.want != _VALUE and (colon := _COLON.match(self.text, span.end, self.end)):
            self.pos = colon.end()
            self._key(word.strip("'"), span)
            self._defect(span, "a key stands in double quotation marks")
        elif frame.want == _VALUE:
            self._defect(span, f"`{_short(word)}` is no JSON value: {_advice(word)}")
            if frame.is_object:
                self._missing_value()
            frame.want = _COMMA
            self.last_end = span.end
        else:
            self._stray(span)

    def _odd_string(self, token: re.Match[str]) -> None:
        start = token.start(5) - 1
        if token.lastindex == 5:
            self.pos = start + 1 + len(token[5].rstrip(" \t,"))
            self._unclosed(Span(start, self.pos))
            return
        span = Span(start, token.end(6))
        colon = token.lastindex == 7
        after = self.text[span.end : span.end + 1]
        if not colon and span.end < self.end and after not in _AFTER_STRING and self._cut(*span):
            return
        value, defects = decode_string(self.text, span)
        self.defects += (JsonDefect(*defect) for defect in defects)
        if colon:
            self._key(value, span)
        else:
            self._value(Scalar(value, span))

    def _cut(self, start: int, stop: int) -> bool:
        """Whether the quotation mark that ends `[start, stop)` opens the next string: then read it as unclosed."""
        inner = self.text[start + 1 : stop - 1]
        kept = inner.rstrip(" \t,:{}[]")
        if kept == inner or not _STRING_IN_PLACE.match(self.text, stop - 1, self.end):
            return False
        self.pos = start + 1 + len(kept)
        self._unclosed(Span(start, self.pos))
        return True

    def _unclosed(self, span: Span) -> None:
        self._defect(span, "this text has no closing quotation mark")
        value, _ = decode_string(self.text, span, closed=False)
        if colon := _COLON.match(self.text, self.pos, self.end):
            self.pos = colon.end()
            self._key(value, span)
        else:
            self._value(Scalar(value, span))
        self.calm = False

    # Containers -------------------------------------------------------------------------------------------------

    def _push(self, frame: _Frame) -> None:
        self.stack.append(frame)
        self.objects += frame.is_object
        self.frame = frame
        self.last_end = self.pos

    def _pop(self, end: int) -> None:
        frame = self.stack.pop()
        self.objects -= frame.is_object
        self.frame = self.stack[-1] if self.stack else self.root
        span = Span(frame.start, end)
        if not frame.is_object:
            self._attach(Array(tuple(frame.items), span))
            return
        if frame.members and not self.frame.first_key:
            self.frame.first_key = frame.members[0].key
        self._attach(Object(tuple(frame.members), span))

    def _attach(self, node: Node) -> None:
        frame = self.frame
        if not frame.is_object:
            frame.items.append(node)
        elif frame.key is not None:
            frame.members.append(Member(*frame.key, node))
        frame.want = _COMMA
        self.last_end = node.span.end

    def _abandon(self, outer: _Frame) -> None:
        """Close everything that is open inside `outer`; name the innermost."""
        self.unbalanced = True
        if self.frame is not outer:
            self._defect(Span(self.frame.start, self.frame.start + 1), self._never_closed())
        while self.frame is not outer:
            if self.frame.is_object and self.frame.want == _VALUE:
                self._missing_value()
            self._pop(max(self.last_end, self.frame.start + 1))

    def _never_closed(self) -> str:
        return f"this `{'{' if self.frame.is_object else '['}` is never closed"

    def _parent(self) -> _Frame:
        return self.stack[-2] if len(self.stack) > 1 else self.root

    def _outer_list(self) -> _Frame:
        """The list of entries: the outermost container, or the first list inside it."""
        for frame in self.stack[:2]:
            if not frame.is_object:
                return frame
        return self.root

    def _starts_next_entry(self, at: int) -> bool:
        entries = self._outer_list()
        if entries is self.frame or entries is self.root:
            return False
        key = _FIRST_KEY.match(self.text, at, self.end)
        first = entries.first_key or self._first_key_of_open_entry(entries)
        return key is not None and key[1] == first != self.frame.first_key

    def _first_key_of_open_entry(self, entries: _Frame) -> str:
        entry = self.stack[self.stack.index(entries) + 1]
        return entry.members[0].key if entry.members else ""

    def _finish(self) -> Node | None:
        if self.stack:
            self._abandon(self.root)
        if not self.root.items:
            if self.calm:
                self._defect(Span(self.end, self.end), "the text is empty")
            return None
        return self.root.items[0]

    # Defects ----------------------------------------------------------------------------------------------------

    def _defect(self, span: Span, message: str) -> None:
        if self.calm:
            self.defects.append(JsonDefect(span, message))
        self.calm = False

    def _stray(self, span: Span) -> None:
        self._defect(span, f"`{_short(span.of(self.text))}` does not belong here")

    def _missing_comma(self) -> None:
        self._defect(Span(max(0, self.last_end - 1), self.last_end), "a comma is missing after this value")
        self.frame.want = _KEY if self.frame.is_object else _VALUE

    def _missing_value(self) -> None:
        """Record the pending key with no value."""
        frame = self.frame
        if frame.key is not None:
            self._defect(frame.key[1], f"`{_short(frame.key[0])}` has no value")
            frame.members.append(Member(*frame.key, None))
        frame.key = None


def _number(text: str) -> int | float | bool | None:
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    # Python refuses to convert integers of more than 4300 digits.
    return float(text) if not text.lstrip("-").isdigit() or len(text) > 4000 else int(text)


def _advice(word: str) -> str:
    if word.lower() in _CONSTANTS:
        return f"write {word.lower()}"
    if word[0] in "-+.0123456789":
        return "write numbers as 12 or 0.5"
    return "write text in double quotation marks"


def _short(text: str) -> str:
    return text if len(text) <= 30 else text[:29] + "…"
