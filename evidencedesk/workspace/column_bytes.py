"""The bytes under columns of values. Invariant: what is cut short is refused, wherever it is cut.

Layout: all whole numbers of all columns in one run, then the texts that such numbers name, then the rest as it comes.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence
from itertools import count

Bytes = bytes | memoryview

_HEAD = struct.Struct("=c7xQQ")
_HALF = 1 << 31
_ALIGNED = 8


class UnwritableError(ValueError):
    """A value that has no place in its columns, such as a number of more than 64 bits or a list that holds itself."""


class UnreadableError(ValueError):
    """Bytes that are not what a codec of this type writes."""


class Out:
    """Columns being written; whole numbers are appended to `numbers`."""

    def __init__(self, shared: Sequence[str]) -> None:
        self._known: dict[str, int] = {text: number for number, text in reversed([*enumerate(shared)])}
        self._shared = len(shared)
        self._new: list[str] = []
        self._parts: list[bytes] = []
        self.numbers: list[int] = []

    def raw(self, data: bytes) -> None:
        """Add bytes as they are."""
        self._parts += [data, bytes(-len(data) % _ALIGNED)]

    def texts(self, texts: Sequence[str]) -> None:
        """Add texts; one that is known is only named."""
        known, new, numbers = self._known, self._new, self.numbers
        for text in texts:
            place = known.get(text)
            if place is None:
                place = known[text] = self._shared + len(new)
                new.append(text)
            numbers.append(place)

    def bytes(self) -> bytes:
        """All of it. Raises ValueError or TypeError for what is no number and no text."""
        joined = "".join(self._new)
        mark = next(mark for mark in map(chr, count()) if mark not in joined)
        table = "".join(mark + text for text in self._new).encode("utf-8", "surrogatepass")
        numbers = self.numbers
        code = "i" if not numbers or (min(numbers) >= -_HALF and max(numbers) < _HALF) else "q"
        head = _HEAD.pack(code.encode(), len(numbers), len(table))
        out = Out(())
        for part in (head, array(code, numbers).tobytes(), table):
            out.raw(part)
        return b"".join([*out._parts, *self._parts])


class In:
    """Columns being read, in the order in which they were written. Raises UnreadableError where they end too early."""

    def __init__(self, data: memoryview, shared: Sequence[str], known: dict[str, str] | None) -> None:
        self._data = data
        self._at = 0
        code, numbers, table = _HEAD.unpack(self.raw(_HEAD.size))
        if code not in (b"i", b"q"):
            raise UnreadableError("these are no columns")
        letter = code.decode()
        self.numbers: list[int] = self.raw(numbers * array(letter).itemsize).cast(letter).tolist()
        self._next = 0
        # Each text of the table follows a mark that occurs in none of them.
        texts = str(self.raw(table), "utf-8", "surrogatepass")
        own = texts.split(texts[0])[1:] if texts else []
        self._texts = [*shared, *(own if known is None else map(known.setdefault, own, own))]

    def raw(self, size: int) -> memoryview:
        """So many bytes."""
        part = self._data[self._at : self._at + size]
        if len(part) != size:
            raise UnreadableError("a column is cut short")
        self._at += size + -size % _ALIGNED
        return part

    def whole(self, count: int) -> list[int]:
        """So many whole numbers."""
        start, self._next = self._next, self._next + count
        part = self.numbers[start : self._next]
        if len(part) != count:
            raise UnreadableError("a column is cut short")
        return part

    def texts(self, count: int) -> list[str]:
        """So many texts."""
        table = self._texts
        return [table[place] for place in self.whole(count)]
