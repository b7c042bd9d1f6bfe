"""Numbered texts in groups of equal ones. Invariant: groups, and the members of each, are in catalog order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.key_table import KeyTable
from evidencedesk.retrieval.twin_rows import Flags, RowNumbers


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


@dataclass(frozen=True, slots=True, eq=False)
class EqualGroups:
    """Groups of two members or more, by name; `firsts` are the rows of their first members, `table` has all rows."""

    table: KeyTable[np.bytes_]
    firsts: RowNumbers
    names: tuple[tuple[str, ...], ...]

    @classmethod
    def none(cls) -> EqualGroups:
        """No rows and no groups."""
        return cls(KeyTable(), np.empty(0, dtype=np.int32), ())

    def after(self, change: Change, named: Callable[[RowNumbers], list[str]]) -> Regrouped:
        """The groups after a change; only those of texts that went or came are made anew. `named` names rows."""
        texts = np.unique(np.append(change.went, change.came))
        _, touched = self.table.find(texts)
        table = self.table.add(change.came, change.rows, change.live)
        owners, rows = table.find(texts)
        owners, rows = owners[change.live[rows]], rows[change.live[rows]]
        order = np.lexsort((change.position[rows], owners))
        owners, rows = owners[order], rows[order]
        starts = np.flatnonzero(np.diff(owners, prepend=-1))
        ends = np.append(starts, len(rows))[1:]
        several = ends - starts > 1

        is_touched = np.zeros(len(change.live), dtype=np.bool_)
        is_touched[touched] = True
        kept = ~is_touched[self.firsts]
        firsts = np.append(self.firsts[kept], rows[starts[several]])
        # A page that changed often has the same chunks in a group as before.
        earlier = {group: group for group in compress(self.names, (~kept).tolist())}
        members = named(rows)
        new = [tuple(members[start:end]) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        names = [*compress(self.names, kept.tolist()), *(earlier.get(one, one) for one in new if len(one) > 1)]
        order = np.argsort(change.position[firsts], kind="stable")
        groups = EqualGroups(table, firsts[order], tuple(map(names.__getitem__, order.tolist())))
        return Regrouped(groups, touched, rows[starts])
