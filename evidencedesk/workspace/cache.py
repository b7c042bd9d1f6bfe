"""What was computed before, kept on disk. Invariant: it may be lost, cut or flipped at any time and changes no result.

The cache of a workspace is a folder of packs (see `packs`), `.evidencedesk/cache` or, where that cannot be written, one
in the user's cache folder. Keys are hashes of everything that a record was computed from; names of packs begin with a
hash of the program and its libraries, so that two versions may use the folder beside each other. Packs are only added
and removed whole: any number of processes may do so at once.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import secrets
import sys
import time
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache as remembered
from pathlib import Path

import platformdirs

import evidencedesk
from evidencedesk.errors import InputError
from evidencedesk.workspace.packs import KEY_BYTES, TEMPORARY, Bytes, DamagedError, Pack, PackWriter
from evidencedesk.workspace.settings import CacheSettings

CACHE_PATH = ".evidencedesk/cache"

_ENDING = ".pack"
_LIBRARIES = ("evidencedesk", "markdown-it-py", "numpy", "PyStemmer", "PyYAML")
_MAX_PACKS = 8
_MAX_FILES = 100
_STALE_SECONDS = 3600.0
_MARKERS = {
    ".gitignore": "# Written by EvidenceDesk. `evidencedesk cache clear` removes this folder.\n*\n",
    "CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n# This is a cache of EvidenceDesk.\n",
}


class Cache:
    """Records by key. Nothing in it ever raises; `notes` are sentences about what was wrong with it.

    What is put is on disk after `flush`, and only then found again.
    """

    def __init__(self, folder: Path, limit: int) -> None:
        """`folder` exists; `limit` is the greatest size of its packs in bytes, those of other versions included."""
        self.folder = folder
        self.notes: list[str] = []
        self._limit = limit
        self._version = program_hash()[:16]
        self._used: set[bytes] = set()
        self._writer: PackWriter | None = None
        self._writable = True
        self._damaged = False
        self._packs: list[Pack] = []
        self._where: dict[bytes, Pack] = {}
        for path in sorted(_packs_in(folder)):
            if path.name.startswith(self._version):
                self._take(path)

    @classmethod
    def of(cls, root: Path, settings: CacheSettings) -> Cache | None:
        """The cache of a workspace, made where there is none yet; None where none can be, or none is wanted.

        `root` is a real path; no link is followed out of it.
        """
        if not settings.enabled:
            return None
        return next((cls(folder, settings.limit_mb * 1_000_000) for folder in places(root) if _make(folder)), None)

    def get(self, key: bytes) -> memoryview | None:
        """A record, if it is there and whole."""
        pack = self._where.get(key)
        if pack is None:
            return None
        try:
            record = pack.read(key)
        except DamagedError as error:
            self._note_damage(error)
            self._damaged = True
            del self._where[key]
            return None
        self._used.add(key)
        return record

    def put(self, key: bytes, record: Bytes) -> None:
        """Keep a record."""
        if not self.holds(key):
            self._add(key, record)
        self._used.add(key)

    def holds(self, key: bytes) -> bool:
        """Whether a record was put or found."""
        return key in self._where or key in self._used

    def discard(self, key: bytes) -> None:
        """Say that a record is of no more use; a pack with none that is goes at the next flush."""
        self._where.pop(key, None)
        self._used.discard(key)

    def flush(self) -> None:
        """Write what was put, merge packs that are many or damaged, and keep within the limit."""
        used = {pack.path: pack for key, pack in self._where.items() if key in self._used}
        merges = self._damaged or len(used) >= _MAX_PACKS
        if merges:
            for key in list(self._where.keys() & self._used):
                if (record := self.get(key)) is not None:
                    self._add(key, record)
        old = list(self._packs) if self._damaged else list(used.values())
        if self._finish() and merges:
            for pack in old:
                self._forget(pack)
            self._damaged = False
        in_use = {pack.path for pack in self._where.values()}
        for pack in [pack for pack in self._packs if pack.path not in in_use]:
            self._forget(pack)
        for path in used:
            with suppress(OSError):
                os.utime(path)
        self._bound()

    def close(self) -> None:
        """Drop what was put and not flushed."""
        if self._writer is not None:
            self._writer.drop()
            self._writer = None

    def _take(self, path: Path) -> None:
        try:
            pack = Pack(path)
        except DamagedError as error:
            self._note_damage(error)
            with suppress(OSError):
                path.unlink()
        except (OSError, ValueError):
            # Another process has just removed it.
            return
        else:
            self._packs.append(pack)
            self._where.update(dict.fromkeys(pack.keys(), pack))

    def _forget(self, pack: Pack) -> None:
        self._packs.remove(pack)
        self._where = {key: other for key, other in self._where.items() if other is not pack}
        # On Windows a mapped file cannot be removed; it goes with a later process.
        with suppress(OSError):
            pack.path.unlink()

    def _add(self, key: bytes, record: Bytes) -> None:
        try:
            if self._writer is None and self._writable:
                self._writer = PackWriter(self.folder / f"{self._version}-{secrets.token_hex(8)}{_ENDING}")
            if self._writer is not None:
                self._writer.add(key, record)
        except OSError as error:
            self._could_not_write(error)

    def _finish(self) -> bool:
        """Whether a new pack is in its place."""
        writer, self._writer = self._writer, None
        if writer is None:
            return False
        try:
            path = writer.finish()
        except OSError as error:
            writer.drop()
            self._could_not_write(error)
            return False
        self._take(path)
        return True

    def _bound(self) -> None:
        """Remove the packs that were not used for longest, and what processes left that died while writing."""
        folders = (self.folder, *_siblings(self.folder))
        kept = number = 0
        for path, status in sorted(_stats(folders), key=lambda pair: pair[1].st_mtime, reverse=True):
            if path.suffix == TEMPORARY:
                gone = time.time() - status.st_mtime > _STALE_SECONDS
            else:
                number += 1
                kept += status.st_size
                gone = kept > self._limit or number > _MAX_FILES
            if gone:
                for pack in [pack for pack in self._packs if pack.path == path]:
                    self._forget(pack)
                    self._say(f"The cache would need more than its limit of {self._limit // 1_000_000} MB.")
                with suppress(OSError):
                    path.unlink()

    def _note_damage(self, error: DamagedError) -> None:
        self._say(f"The cache in {self.folder} was damaged ({error}); what was lost is computed again.")

    def _could_not_write(self, error: OSError) -> None:
        self.close()
        self._writable = False
        self._say(f"The cache in {self.folder} could not be written ({error.strerror or error}).")

    def _say(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


@dataclass(frozen=True, slots=True)
class Usage:
    """What a cache folder holds: packs of this version and of others, and their size in bytes."""

    folder: Path
    packs: int
    others: int
    size: int


def places(root: Path) -> tuple[Path, Path]:
    """Where a workspace's cache may be: inside it, else in the user's cache folder."""
    digest = hashlib.blake2b(os.fsencode(root), digest_size=8).hexdigest()
    return root / CACHE_PATH, _user_folder() / f"{root.name}-{digest}"


def usage(root: Path) -> list[Usage]:
    """The cache folders that a workspace has."""
    found = []
    for folder in places(root):
        if folder.is_dir() and not _is_linked(folder):
            stats = [(path, status) for path, status in _stats([folder]) if path.suffix == _ENDING]
            own = sum(path.name.startswith(program_hash()[:16]) for path, _ in stats)
            found.append(Usage(folder, own, len(stats) - own, sum(status.st_size for _, status in stats)))
    return found


def clear(root: Path) -> list[Usage]:
    """Remove a workspace's cache folders; what they held. Raises InputError when a file cannot be removed."""
    held = usage(root)
    for one in held:
        try:
            for path, _ in _stats([one.folder]):
                path.unlink()
            for name in _MARKERS:
                (one.folder / name).unlink(missing_ok=True)
            one.folder.rmdir()
        except OSError as error:
            raise InputError(f"{one.folder} could not be removed ({error.strerror or error}).") from error
        with suppress(OSError):
            # It stays while it holds a baseline.
            one.folder.parent.rmdir()
    return held


@remembered
def program_hash() -> str:
    """A hash, in hexadecimal digits, of all that decides what this program makes of a text, but for the settings."""
    found = hashlib.blake2b(digest_size=16)
    for part in (sys.version, sys.byteorder, unicodedata.unidata_version, *map(_version_of, _LIBRARIES)):
        found.update(f"{part}\0".encode())
    home = Path(evidencedesk.__file__).parent
    for path in sorted(home.rglob("*.py")):
        found.update(f"{path.relative_to(home)}\0".encode() + path.read_bytes())
    return found.hexdigest()


def key_of(kind: str, *parts: str | bytes) -> bytes:
    """The key of a record: `kind` says what it is, `parts` are all that it was computed from."""
    found = hashlib.blake2b(kind.encode(), digest_size=KEY_BYTES)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        found.update(len(data).to_bytes(8, "little"))
        found.update(data)
    return found.digest()


def _user_folder() -> Path:
    return platformdirs.user_cache_path("evidencedesk", appauthor=False)


def _version_of(library: str) -> str:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _make(folder: Path) -> bool:
    """Whether the folder is there, made if need be, and may be written. A link instead of it is not followed."""
    try:
        if _is_linked(folder):
            return False
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in _MARKERS.items():
            with suppress(FileExistsError), (folder / name).open("x", encoding="utf-8") as file:
                file.write(text)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def _is_linked(folder: Path) -> bool:
    return folder.is_symlink() or folder.parent.is_symlink()


def _siblings(folder: Path) -> list[Path]:
    """The caches of other workspaces that share the limit: all that lie in the user's cache folder."""
    if folder.parent != _user_folder():
        return []
    with suppress(OSError):
        return [
            other for other in folder.parent.iterdir() if other != folder and other.is_dir() and not _is_linked(other)
        ]
    return []


def _packs_in(folder: Path) -> Iterator[Path]:
    return (path for path, _ in _stats([folder]) if path.suffix == _ENDING)


def _stats(folders: Iterable[Path]) -> list[tuple[Path, os.stat_result]]:
    """The packs, finished or not, in the folders; links are left out."""
    found = []
    for folder in folders:
        with suppress(OSError), os.scandir(folder) as listing:
            for entry in listing:
                if entry.name.endswith((_ENDING, TEMPORARY)) and entry.is_file(follow_symlinks=False):
                    found.append((Path(entry.path), entry.stat(follow_symlinks=False)))
    return found
