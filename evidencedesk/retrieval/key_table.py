"""Key → the rows that have it. Invariant: immutable; adding leaves the older table as it was, and shares its arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Key = TypeVar("Key", bound=np.generic)


class _Run(NamedTuple):
    """Pairs of a key and a row; the keys ascend."""

    keys: NDArray[np.generic]
    rows: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class KeyTable(Generic[Key]):
    """Pairs of a key and a row, in sorted runs, each at least twice as long as the next.

    So there are few runs to search, and a pair is copied to another run no more often than there are runs.
    """

    runs: tuple[_Run, ...] = ()

    def add(self, keys: NDArray[Key], rows: NDArray[np.int32], live: NDArray[np.bool_]) -> KeyTable[Key]:
        """A table with these pairs as well. Pairs of rows that are not `live` may be left out."""
        runs = list(self.runs)
        while runs and len(runs[-1].keys) < 2 * len(keys):
            last = runs.pop()
            kept = live[last.rows]
            keys = np.concatenate([last.keys[kept], keys])
            rows = np.concatenate([last.rows[kept], rows])
        if len(keys):
            order = np.argsort(keys)
            runs.append(_Run(keys[order], rows[order]))
        return KeyTable(tuple(runs))

    def find(self, keys: NDArray[Key]) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """All rows that have one of `keys`: the place of the key in `keys`, and the row, in no order."""
        places: list[NDArray[np.intp]] = [np.empty(0, dtype=np.intp)]
        rows: list[NDArray[np.int32]] = [np.empty(0, dtype=np.int32)]
        for run in self.runs:
            first = np.searchsorted(run.keys, keys, "left")
            counts = np.searchsorted(run.keys, keys, "right") - first
            places.append(np.repeat(np.arange(len(keys)), counts))
            # Where the i-th range begins in `run` less where it begins in the result, so that one count serves all.
            offsets = np.repeat(first - (np.cumsum(counts) - counts), counts)
            rows.append(run.rows[offsets + np.arange(len(offsets))])
        return np.concatenate(places), np.concatenate(rows)
