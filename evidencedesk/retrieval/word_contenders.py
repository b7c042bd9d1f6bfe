"""Which texts can be among the best for queries, by BM25. Invariant: none that can is missing.

Terms are looked up from the weightiest on until the rest cannot lift a text that holds none of them to the best ones
(compare MaxScore: Turtle and Flood 1995). Of the texts found so far those stay that can still reach the best, while the
remaining terms are looked up in them. Terms add up in another order than in a score: these sums only choose.

Queries whose terms stand in few texts are searched for together, since each step of a search by itself costs more than
such short lists; the others one by one, since texts of many queries would have to be sorted.
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
_MANY = 2048
"""Queries with more entries of their terms are searched for one by one."""
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


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Slots that can be among the best for queries, by query and slot, and what no other slot's score exceeds."""

    owners: Owners
    slots: Slots
    bound: Floats


def find_contenders(bm25: BM25, terms: NDArray[np.int64], most: Floats, count: int, mask: NDArray[np.bool_]) -> Found:
    """The slots of `mask` among which are the `count` best for queries with these `terms`, shape (queries, width).

    A term of -1 is none. `most` is what no text can get by a term, 0 for none. There are at most 2^16 queries.
    """
    df = np.append(bm25.held.df, 0)
    entries = df[np.where((terms >= 0) & (terms < len(df)), terms, -1)].sum(axis=1)
    light, heavy = np.flatnonzero(entries <= _MANY), np.flatnonzero(entries > _MANY)
    together = Contenders(bm25, terms[light], most[light], count, mask)
    together.search()
    bound = np.zeros(len(terms))
    bound[light] = together.bound
    owners, slots = [light[together.pairs.owners]], [together.pairs.slots]
    sums = np.zeros(len(mask) if len(heavy) else 0)
    for row in heavy.tolist():
        own, bound[row] = _contenders_of_one(bm25, terms[row], most[row], count, mask, sums)
        owners.append(np.full(len(own), row))
        slots.append(own)
    every = np.concatenate(owners)
    by_owner = np.argsort(every, kind="stable")
    return Found(every[by_owner], np.concatenate(slots)[by_owner], bound)


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
            self._raise_least(active)
            active = np.flatnonzero((self._done < self._ends) & ~(self._left() * _SLACK < self._least))
            goal = np.maximum(goal, self._least)
        np.maximum(self.bound, np.where(self._done < self._ends, self._left() * _SLACK, 0.0), out=self.bound)
        self._drop()
        while True:
            sizes = np.bincount(self.pairs.owners, minlength=len(self._done))
            active = np.flatnonzero((self._done < self._ends) & (sizes > self._count))
            if not len(active):
                return
            self._refine(active)
            self._raise_least(active)
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

    def _pairs_of(self, active: Owners) -> Owners:
        """The places of the pairs of some queries."""
        is_active = np.zeros(len(self._done), dtype=np.bool_)
        is_active[active] = True
        return np.flatnonzero(is_active[self.pairs.owners])

    def _refine(self, active: Owners) -> None:
        """Look the next term of some queries up in their texts."""
        at = self._pairs_of(active)
        rows, slots = self.pairs.owners[at], self.pairs.slots[at]
        places = self._done[rows]
        counts = self._bm25.held.counts_of(self._terms[rows, places], slots)
        self.pairs.sums[at] += self._most[rows, places] * (counts / (counts + self._bm25.penalty[slots]))
        self._done[active] += 1

    def _raise_least(self, active: Owners) -> None:
        """Find what the `count` best of some queries have at least."""
        at = self._pairs_of(active)
        owners, sums = self.pairs.owners[at], self.pairs.sums[at]
        # What was the least before still is; less does not matter.
        reached = sums >= self._least[owners]
        owners, sums = owners[reached], sums[reached]
        # Sums of 0 or more go like their bits, of which the last are cut off: one number holds a query and a sum.
        keys = np.sort((owners << _BITS) + (_MOST - (sums.view(np.int64) >> _CUT)))
        ends = np.searchsorted(owners, np.arange(len(self._done) + 1))
        full = np.flatnonzero(np.diff(ends) > self._count)
        least = ((_MOST - (keys[ends[full] + self._count - 1] & _MOST)) << _CUT).view(np.float64)
        self._least[full] = np.maximum(self._least[full], least)

    def _drop(self) -> None:
        """Let the texts go that cannot be among the best."""
        best = (self.pairs.sums + self._left()[self.pairs.owners]) * _SLACK
        kept = best >= self._least[self.pairs.owners]
        np.maximum.at(self.bound, self.pairs.owners[~kept], best[~kept])
        self.pairs = self.pairs.of(kept)


def _contenders_of_one(
    bm25: BM25, terms: NDArray[np.int64], most: Floats, count: int, mask: NDArray[np.bool_], sums: Floats
) -> tuple[Slots, float]:
    """The same for one query; `sums` is 0 for every slot, and is so again afterwards."""
    by_weight = [place for place in np.argsort(-most, kind="stable").tolist() if most[place] > 0]
    left = float(most.sum())
    touched = np.zeros(0, dtype=np.int32)
    done, least, goal = 0, -np.inf, left / 2
    while done < len(by_weight) and not left * _SLACK < least:
        new: list[Slots] = []
        while done < len(by_weight) and not (new and left * _SLACK < goal):
            place = by_weight[done]
            slots, counts = bm25.held.of_term(int(terms[place]))
            allowed = mask[slots]
            if not allowed.all():
                slots, counts = slots[allowed], counts[allowed]
            held = sums[slots]
            new.append(slots[held == 0])
            sums[slots] = held + most[place] * (counts / (counts + bm25.penalty[slots]))
            left -= float(most[place])
            done += 1
        touched = np.concatenate([touched, *new])
        if len(touched) > count:
            goal = least = _kth(sums[touched], count)
    slots, partial = touched, sums[touched]
    sums[slots] = 0.0
    bound = max(left, 0.0) * _SLACK if done < len(by_weight) else 0.0
    while True:
        best = (partial + max(left, 0.0)) * _SLACK
        kept = best >= least
        if not kept.all():
            bound = max(bound, float(best[~kept].max()))
            slots, partial = slots[kept], partial[kept]
        if done == len(by_weight) or len(slots) <= count:
            return np.sort(slots), bound
        place = by_weight[done]
        counts = bm25.held.counts_at(int(terms[place]), slots)
        partial += most[place] * (counts / (counts + bm25.penalty[slots]))
        left -= float(most[place])
        done += 1
        least = max(least, _kth(partial, count))


def _kth(values: Floats, k: int) -> float:
    """The k-th greatest."""
    return float(np.partition(values, len(values) - k)[len(values) - k])
