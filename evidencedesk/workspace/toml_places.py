"""Where the keys and values of a TOML text stand. Invariant: for TOML that `tomllib` accepts, every path it yields."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import NamedTuple

from evidencedesk.text.spans import Span

Path = tuple[str | int, ...]
"""Keys and list indices from the top of the file."""


class Place(NamedTuple):
    """Where a key and its value are written; for a table with a header, both are the header's name."""

    key: Span
    value: Span


def find_places(text: str) -> Mapping[Path, Place]:
    """The place of every table, key and list item of a valid TOML text."""
    return _Locator(text).run()


def place_of(places: Mapping[Path, Place], path: Path) -> Place:
    """The place of a path, else of its nearest parent, else the start of the file."""
    for length in range(len(path), 0, -1):
        if path[:length] in places:
            return places[path[:length]]
    return Place(Span(0, 0), Span(0, 0))


_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\r\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_KEY = re.compile(r"""[ \t]*("(?:[^"\\\r\n]|\\.)*"|'[^'\r\n]*'|[^\s.=\]\[{},"'#]+)[ \t]*""")
_HEADER = re.compile(r"\[(\[?)")
_STRING = re.compile(
    r'"""(?:[^"\\]|\\[\s\S]|"(?!""))*"{3,5}'
    r"|'''(?:[^']|'(?!''))*'{3,5}"
    r'|"(?:[^"\\\r\n]|\\.)*"'
    r"|'[^'\r\n]*'"
)
_BARE = re.compile(r"[^\r\n,\]}#]*[^\s,\]}#]")


class _Locator:
    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = 0
        self.places: dict[Path, Place] = {}
        # Arrays of tables: path → index of the table that is being filled.
        self.current: dict[Path, int] = {}

    def run(self) -> Mapping[Path, Place]:
        table: Path = ()
        while self._skip(_BLANK) < len(self.text):
            header = _HEADER.match(self.text, self.pos)
            if header:
                self.pos = header.end()
                table = self._header(bool(header[1]))
            else:
                self._entry(table)
        return self.places

    def _header(self, is_array: bool) -> Path:
        start = self.pos
        *outer, (name, last) = self._keys()
        path = self._resolve(())
        for key, span in outer:
            path = self._resolve((*path, key))
            self.places.setdefault(path, Place(span, span))
        path = (*path, name)
        place = Place(last, Span(start, last.end))
        self.places.setdefault(path, place)
        if is_array:
            self.current[path] = self.current.get(path, -1) + 1
            path = self._resolve(path)
            self.places[path] = place
        self.pos += 1 + is_array
        return path

    def _resolve(self, path: Path) -> Path:
        return (*path, self.current[path]) if path in self.current else path

    def _keys(self) -> list[tuple[str, Span]]:
        keys = []
        while match := _KEY.match(self.text, self.pos):
            written = match[1]
            name = next(iter(tomllib.loads(f"{written} = 0"))) if written[0] in "\"'" else written
            keys.append((name, Span(*match.span(1))))
            self.pos = match.end()
            if self.text[self.pos : self.pos + 1] != ".":
                break
            self.pos += 1
        return keys

    def _entry(self, table: Path) -> None:
        path = table
        keys = self._keys()
        self.pos += 1  # the equals sign
        self._skip(_SPACE)
        start = self.pos
        for key, span in keys:
            path = (*path, key)
            self.places.setdefault(path, Place(span, span))
        self._value(path)
        self.places[path] = Place(keys[-1][1], Span(start, self.pos))

    def _value(self, path: Path) -> None:
        char = self.text[self.pos : self.pos + 1]
        if char in ("[", "{"):
            self._container(path, char == "[")
            return
        match = _STRING.match(self.text, self.pos) or _BARE.match(self.text, self.pos)
        self.pos = match.end() if match else len(self.text)

    def _container(self, path: Path, is_list: bool) -> None:
        self.pos += 1
        index = 0
        while self._skip(_BLANK) < len(self.text) and self.text[self.pos] not in "]}":
            if self.text[self.pos] == ",":
                self.pos += 1
            elif is_list:
                start = self.pos
                self._value((*path, index))
                span = Span(start, self.pos)
                self.places[(*path, index)] = Place(span, span)
                index += 1
            else:
                self._entry(path)
        self.pos += 1

    def _skip(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self.text, self.pos)
        self.pos = match.end() if match else self.pos
        return self.pos
