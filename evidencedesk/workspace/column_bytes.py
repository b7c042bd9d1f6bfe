"""The bytes under columns of values. Invariant: what is cut short is refused, wherever it is cut.

Layout: all whole numbers of all columns in one run, then the texts that such numbers name, then the rest as it comes.
"""

from __future__ import annotations

import struct
from array import array
from collections import defaultdict
from collections.abc import Sequence
from itertools import count, islice

Bytes = bytes | memoryview

_HEAD = struct.Struct("=c7xQQ")
_ALIGNED = 8


class UnwritableError(ValueError):
    """A value that has no place in its columns, such as a number of more than 64 bits or a list that holds itself."""


class UnreadableError(ValueError):
    """Bytes that are not what a codec of this type writes."""


class Out:
    """Columns being written; whole numbers are appended to `numbers`."""

    def __init__(self, shared: Sequence[str]) -> None:
        # A text gets the next number when it is first looked up.
        self._known: defaultdict[str, int] = defaultdict(count(len(shared)).__next__)
        self._known.update((text, number) for number, text in reversed([*enumerate(shared)]))
        self._shared = len(self._known)
        self._parts: list[Bytes] = []
        self.numbers: list[int] = []

    def raw(self, data: Bytes) -> None:
        """Add bytes as they are."""
        self._parts += [data, bytes(-len(data) % _ALIGNED)]

    def texts(self, texts: Sequence[str]) -> None:
        """Add texts; one that is known is only named."""
        self.numbers += map(self._known.__getitem__, texts)

    def bytes(self) -> bytes:
        """All of it. Raises ValueError or TypeError for what is no number and no text."""
        new = list(islice(self._known, self._shared, None))
        joined = "".join(new)
        mark = next(mark for mark in map(chr, count()) if mark not in joined)
        table = "".join([mark, mark.join(new)] if new else []).encode("utf-8", "surrogatepass")
        try:
            code, numbers = "i", array("i", self.numbers)
        except OverflowError:
            code, numbers = "q", array("q", self.numbers)
        head = _HEAD.pack(code.encode(), len(numbers), len(table))
        out = Out(())
        for part in (head, numbers.tobytes(), table):
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
        return list(map(self._texts.__getitem__, self.whole(count)))
