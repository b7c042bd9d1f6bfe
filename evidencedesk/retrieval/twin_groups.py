"""Numbered texts in groups of equal ones. Invariant: groups, and the members of each, are in catalog order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.key_table import KeyTable
from evidencedesk.retrieval.twin_rows import Flags, RowNumbers

_MOST_CHANGED = 0.25


class Change(NamedTuple):
    """What became of the rows: the digests of the texts that went, and those that came with their rows.

    `live` says of every row whether it is there now, `position` where it stands in catalog order.
    """

    went: NDArray[np.bytes_]
    came: NDArray[np.bytes_]
    rows: RowNumbers
    live: Flags
    position: NDArray[np.int64]


class Regrouped(NamedTuple):
    """The groups after a change, all earlier rows of the texts that went or came, and the first row of each now."""

    groups: EqualGroups
    touched: RowNumbers
    firsts: RowNumbers


class GroupOf(Mapping[str, tuple[str, ...]]):
    """Name → its group: those of an earlier state, and what changed since (None: no group any more).

    So what most states share is there once. A state with many changes has them all made one.
    """

    def __init__(self, shared: dict[str, tuple[str, ...]], changed: dict[str, tuple[str, ...] | None]) -> None:
        self._shared = shared
        self._changed = changed

    def __getitem__(self, name: str) -> tuple[str, ...]:
        group = self._changed[name] if name in self._changed else self._shared[name]
        if group is None:
            raise KeyError(name)
        return group

    def __iter__(self) -> Iterator[str]:
        yield from (name for name in self._shared if name not in self._changed)
        yield from (name for name, group in self._changed.items() if group is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def after(self, gone: Iterable[str], new: Iterable[tuple[str, ...]]) -> GroupOf:
        """Without the groups of the names that are `gone`, with `new` ones."""
        changed: dict[str, tuple[str, ...] | None] = {**self._changed, **dict.fromkeys(gone)}
        changed.update((name, group) for group in new for name in group)
        if len(changed) <= _MOST_CHANGED * len(self._shared):
            return GroupOf(self._shared, changed)
        shared = {name: group for name, group in self._shared.items() if name not in changed}
        shared.update((name, group) for name, group in changed.items() if group is not None)
        return GroupOf(shared, {})


@dataclass(frozen=True, slots=True, eq=False)
class EqualGroups:
    """Groups of two members or more, by name; `firsts` are the rows of their first members, `table` has all rows.

    `of` maps each name to its group.
    """

    table: KeyTable[np.bytes_]
    firsts: RowNumbers
    names: tuple[tuple[str, ...], ...]
    of: GroupOf

    @classmethod
    def none(cls) -> EqualGroups:
        """No rows and no groups."""
        return cls(KeyTable(), np.empty(0, dtype=np.int32), (), GroupOf({}, {}))

    def after(self, change: Change, name: Callable[[int], str]) -> Regrouped:
        """The groups after a change; only those of texts that went or came are made anew."""
        texts = np.unique(np.append(change.went, change.came))
        _, touched = self.table.find(texts)
        table = self.table.add(change.came, change.rows, change.live)
        owners, rows = table.find(texts)
        owners, rows = owners[change.live[rows]], rows[change.live[rows]]
        order = np.lexsort((change.position[rows], owners))
        owners, rows = owners[order], rows[order]
        starts = np.flatnonzero(np.diff(owners, prepend=-1))
        ends = np.append(starts[1:], len(rows))
        several = ends - starts > 1

        is_touched = np.zeros(len(change.live), dtype=np.bool_)
        is_touched[touched] = True
        kept = ~is_touched[self.firsts]
        firsts = np.append(self.firsts[kept], rows[starts[several]])
        new = [
            tuple(map(name, rows[start:end].tolist()))
            for start, end in zip(starts[several].tolist(), ends[several].tolist(), strict=True)
        ]
        names = [*compress(self.names, kept.tolist()), *new]
        order = np.argsort(change.position[firsts], kind="stable")
        of = self.of.after(chain.from_iterable(compress(self.names, (~kept).tolist())), new)
        groups = EqualGroups(table, firsts[order], tuple(map(names.__getitem__, order.tolist())), of)
        return Regrouped(groups, touched, rows[starts])
