"""Files of checked records. Invariant: a record is given out only when it is, bit for bit, what was written.

A pack is written once, all at once, and never changed: who reads one may map it into memory while others write theirs.
Layout: a mark, the records, an index (key, place, size and CRC-32 of each), and a footer (their number, the index's
CRC-32, the mark again); everything on multiples of eight bytes.
"""

from __future__ import annotations

import mmap
import os
import struct
import tempfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

KEY_BYTES = 16

_MARK = b"EvidenceDesk-1\r\n"
_ENTRY = struct.Struct(f"<{KEY_BYTES}sQQI4x")
_FOOTER = struct.Struct(f"<QI4x{len(_MARK)}s")
_ALIGNED = 8

Bytes = bytes | memoryview


class DamagedError(ValueError):
    """A file is no pack, or not all of one, or a record in it has changed."""


class _Entry(NamedTuple):
    offset: int
    size: int
    checksum: int


class Pack:
    """A pack, mapped into memory."""

    def __init__(self, path: Path) -> None:
        """Raises DamagedError, or OSError when the file cannot be read."""
        self.path = path
        with path.open("rb") as file:
            self.size = os.fstat(file.fileno()).st_size
            if self.size < len(_MARK) + _FOOTER.size:
                raise DamagedError("it is cut short")
            self._data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        self._entries = self._read_index()

    def _read_index(self) -> dict[bytes, _Entry]:
        count, checksum, mark = _FOOTER.unpack(self._data[-_FOOTER.size :])
        start = self.size - _FOOTER.size - count * _ENTRY.size
        if mark != _MARK or start < len(_MARK):
            raise DamagedError("it is cut short, or something else")
        index = self._data[start : -_FOOTER.size]
        if zlib.crc32(index) != checksum:
            raise DamagedError("its index has changed")
        return {key: _Entry(*entry) for key, *entry in _ENTRY.iter_unpack(index)}

    def keys(self) -> frozenset[bytes]:
        """The keys of all its records."""
        return frozenset(self._entries)

    def read(self, key: bytes) -> memoryview:
        """A record. Raises KeyError when there is none, DamagedError when it has changed."""
        offset, size, checksum = self._entries[key]
        record = self._data[offset : offset + size]
        if len(record) != size or _checksum(key, record) != checksum:
            raise DamagedError("a record has changed")
        return record


class PackWriter:
    """A pack being written; it appears under its name when finished, and leaves nothing when dropped."""

    def __init__(self, path: Path) -> None:
        """Raises OSError when nothing can be written there."""
        self._path = path
        self._entries: list[bytes] = []
        handle, name = tempfile.mkstemp(prefix=f"{path.stem}-", suffix=TEMPORARY, dir=path.parent)
        self._name = Path(name)
        self._file = os.fdopen(handle, "wb")
        self._file.write(_MARK)
        self.size = len(_MARK)

    def add(self, key: bytes, record: Bytes) -> None:
        """Append a record. Raises OSError."""
        size = len(record)
        self._file.write(record)
        self._file.write(bytes(-size % _ALIGNED))
        self._entries.append(_ENTRY.pack(key, self.size, size, _checksum(key, record)))
        self.size += size + -size % _ALIGNED

    def finish(self) -> Path:
        """Put the pack in its place, and where that is. Raises OSError."""
        index = b"".join(self._entries)
        self._file.write(index)
        self._file.write(_FOOTER.pack(len(self._entries), zlib.crc32(index), _MARK))
        self._file.close()
        self._name.replace(self._path)
        return self._path

    def drop(self) -> None:
        """Leave nothing behind."""
        with suppress(OSError):
            self._file.close()
        with suppress(OSError):
            self._name.unlink()


TEMPORARY = ".tmp"
"""How the name of a pack ends while it is written; one that is hours old was left by a process that died."""


def _checksum(key: bytes, record: Bytes) -> int:
    return zlib.crc32(record, zlib.crc32(key))
