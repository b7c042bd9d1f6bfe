"""Which texts can be among the best for queries, by BM25. Invariant: none that can is missing.

Terms are looked up from the weightiest on until the rest cannot lift a text that holds none of them to the best ones
(compare MaxScore: Turtle and Flood 1995). Of the texts found so far those stay that can still reach the best, while the
remaining terms are looked up in them. Terms add up in another order than in a score: these sums only choose.

It is done for many queries at once, since most have short lists.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.bm25 import BM25

Floats = NDArray[np.float64]
Slots = NDArray[np.int32]
Owners = NDArray[np.intp]

_SLACK = 1 + 1e-9
"""What rounding may add, by far."""
_CUT = 16
_BITS = 63 - _CUT
_MOST = (1 << _BITS) - 1


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """A query's number, a slot, and the sum so far of what the slot's text gets for the query's terms.

    By query and slot, each once.
    """

    owners: Owners
    slots: Slots
    sums: Floats

    def of(self, wanted: NDArray[np.bool_]) -> Pairs:
        """Some of them."""
        return Pairs(self.owners[wanted], self.slots[wanted], self.sums[wanted])

    def joined(self, owners: Owners, slots: Slots, sums: Floats, size: int) -> Pairs:
        """With more, each any number of times; slots are less than `size`."""
        keys = np.concatenate([self.owners, owners]) * size + np.concatenate([self.slots, slots])
        order = np.argsort(keys, kind="stable")
        keys, every = keys[order], np.concatenate([self.sums, sums])[order]
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        owners, found = np.divmod(keys[starts], max(size, 1))
        return Pairs(owners, found.astype(np.int32), np.add.reduceat(every, starts) if len(starts) else every)


class Contenders:
    """The search for the `count` best for queries with these `terms`, shape (queries, width), -1 for none.

    There are at most 2^16 queries. `most` is what no text can get by a term, 0 for none; only slots of `mask` count.
    After `search`, `pairs` has all texts that can be among the best, and `bound` what no other text's score exceeds.
    """

    def __init__(self, bm25: BM25, terms: NDArray[np.int64], most: Floats, count: int, mask: NDArray[np.bool_]) -> None:
        self._bm25 = bm25
        self._mask = mask
        self._count = count
        order = np.argsort(-most, axis=1, kind="stable")
        self._terms, self._most = np.take_along_axis(terms, order, axis=1), np.take_along_axis(most, order, axis=1)
        queries, width = terms.shape
        # What the terms from each place on can give, the weightiest first.
        self._rest = np.zeros((queries, width + 1))
        self._rest[:, :-1] = np.cumsum(self._most[:, ::-1], axis=1)[:, ::-1]
        self._ends = np.count_nonzero(self._most > 0, axis=1)
        self._done = np.zeros(queries, dtype=np.intp)
        self._least = np.full(queries, -np.inf)
        nothing = np.zeros(0, dtype=np.intp)
        self.pairs = Pairs(nothing, nothing.astype(np.int32), np.zeros(0))
        self.bound = np.zeros(queries)

    def search(self) -> None:
        """Find them."""
        # Terms are looked up many at a time: until half of the weight is spent, then until the rest cannot reach the
        # least of the best.
        goal = self._rest[:, 0] / 2
        active = np.flatnonzero(self._done < self._ends)
        while len(active):
            self._look_up(active, goal)
            self._raise_least()
            active = np.flatnonzero((self._done < self._ends) & ~(self._left() * _SLACK < self._least))
            goal = np.maximum(goal, self._least)
        np.maximum(self.bound, np.where(self._done < self._ends, self._left() * _SLACK, 0.0), out=self.bound)
        self._drop()
        while True:
            sizes = np.bincount(self.pairs.owners, minlength=len(self._done))
            active = (self._done < self._ends) & (sizes > self._count)
            if not active.any():
                return
            self._refine(active)
            self._raise_least()
            self._drop()

    def _left(self) -> Floats:
        """What the terms that are not looked up can give."""
        left: Floats = np.take_along_axis(self._rest, self._done[:, np.newaxis], axis=1)[:, 0]
        return left

    def _look_up(self, active: Owners, goal: Floats) -> None:
        """Add all texts that hold the next terms of some queries, at least one, until the rest is below the goal."""
        enough = self._rest[active] * _SLACK < goal[active, np.newaxis]
        enough[np.arange(enough.shape[1]) <= self._done[active, np.newaxis]] = False
        last = np.where(enough.any(axis=1), enough.argmax(axis=1), self._ends[active])
        last = np.minimum(last, self._ends[active])
        columns = np.arange(self._most.shape[1])
        at, places = np.nonzero((columns >= self._done[active, np.newaxis]) & (columns < last[:, np.newaxis]))
        rows = active[at]
        which, slots, counts = self._bm25.held.of_terms(self._terms[rows, places])
        allowed = self._mask[slots]
        which, slots, counts = which[allowed], slots[allowed], counts[allowed]
        given = self._most[rows, places][which] * (counts / (counts + self._bm25.penalty[slots]))
        self.pairs = self.pairs.joined(rows[which], slots, given, len(self._mask))
        self._done[active] = last

    def _refine(self, active: NDArray[np.bool_]) -> None:
        """Look the next term of some queries up in their texts."""
        at = np.flatnonzero(active[self.pairs.owners])
        rows, slots = self.pairs.owners[at], self.pairs.slots[at]
        places = self._done[rows]
        counts = self._bm25.held.counts_of(self._terms[rows, places], slots)
        self.pairs.sums[at] += self._most[rows, places] * (counts / (counts + self._bm25.penalty[slots]))
        self._done[active] += 1

    def _raise_least(self) -> None:
        """Find what the `count` best of each query have at least."""
        # Sums of 0 or more go like their bits, of which the last are cut off: one number holds a query and a sum.
        bits = self.pairs.sums.view(np.int64) >> _CUT
        keys = np.sort((self.pairs.owners << _BITS) + (_MOST - bits))
        ends = np.searchsorted(self.pairs.owners, np.arange(len(self._done) + 1))
        full = np.flatnonzero(np.diff(ends) > self._count)
        least = ((_MOST - (keys[ends[full] + self._count - 1] & _MOST)) << _CUT).view(np.float64)
        self._least[full] = np.maximum(self._least[full], least)

    def _drop(self) -> None:
        """Let the texts go that cannot be among the best."""
        best = (self.pairs.sums + self._left()[self.pairs.owners]) * _SLACK
        kept = best >= self._least[self.pairs.owners]
        np.maximum.at(self.bound, self.pairs.owners[~kept], best[~kept])
        self.pairs = self.pairs.of(kept)
