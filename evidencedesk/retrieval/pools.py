"""Pools: the best chunks of queries that are asked again and again. Invariant: a pool never changes a result.

A pool keeps, for a query, the `capacity` chunks that scored most when they were ranked, and a *floor*: no other chunk
scored more than that at the time. After a change of the index only the pool is scored again, and the chunks that are
new. If the k-th best of them still beats whatever a chunk below the floor can have become, the k best are proven; if
not, the query is searched for in full and its pool begins anew.

Let `s₀(c)` be the score of a chunk when the row was ranked, `s(c)` its present one, `F` the floor, and `ρ` a number
with `s(c) <= ρ · s₀(c)` for every chunk (1 for cosines, see `word_pools` for BM25). A chunk outside the pool has
`s₀(c) <= F`, so

    s(c) <= ρ · F,  and the k best of the pool are the k best of all where  (k-th score) > ρ · F.

A new chunk enters when its `s₀`, the score it would have had, exceeds `F`; where the pool is full the least `s₀` leaves
and `F` rises to it. A chunk that died leaves a gap.

**Twins.** Boilerplate makes chunks that score alike for ever, whatever the statistics: those that hold the query's
terms equally often and are equally long. Of such a class only the first k by id can be among the k best, so a pool
keeps at most `k + SPARE` of them, and those left out are no matter of the floor as long as k of the class are alive;
`spare` counts the deaths that the pool can still bear.

A pool belongs to the newest state of the index, which alters it in place; what it gave before was copied.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.searcher import new_marks

Floats = NDArray[np.float64]
Slots = NDArray[np.int32]
Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]

SPARE = 12
LARGEST_K = 200
"""Queries for more than that get no pool."""

# What rounding may add to either side of the comparison, by far.
_SLACK = 1 + 1e-9
_ENDLESS = 1 << 30


def capacity_of(k: int) -> int:
    """How many chunks a pool keeps that has to give the best `k`; `2k - 1` hold k twins of the k-th."""
    return k + max(12, k)


class Pool:
    """The pools of several queries, one a row; rows without a query have no chunks and let none in.

    `slots`, `entered` (`s₀`) and `scores` (`s`) have shape (queries, capacity), best score first, equal ones in the
    order of chunk ids; a gap has slot -1 and scores -inf. `certain` says whose k best are proven. `top` and `marks` are
    what was given last (see `Rankings`); they may be others where a row is `touched`, and the marks are where it is
    `stirred`, since a Chunk is another object.
    """

    def __init__(self, k: int, queries: int) -> None:
        shape = queries, capacity_of(k)
        self.k = k
        self.slots: Slots = np.full(shape, -1, dtype=np.int32)
        self.entered: Floats = np.full(shape, -np.inf)
        self.scores: Floats = np.full(shape, -np.inf)
        self.floor: Floats = np.full(queries, np.inf)
        self.spare: NDArray[np.int64] = np.zeros(queries, dtype=np.int64)
        self.certain: Mask = np.zeros(queries, dtype=np.bool_)
        self.touched: Mask = np.ones(queries, dtype=np.bool_)
        self.stirred: Mask = np.ones(queries, dtype=np.bool_)
        self.top: Slots = np.full((queries, k), -1, dtype=np.int32)
        self.marks: NDArray[np.object_] = np.full(queries, None, dtype=np.object_)

    def __len__(self) -> int:
        return len(self.floor)

    def per_row(self) -> list[str]:
        """The attributes that are arrays with a row per query."""
        return ["slots", "entered", "scores", "floor", "spare", "certain", "touched", "stirred", "top", "marks"]

    def clear(self, rows: Rows) -> None:
        """Let some rows be without a query."""
        self.slots[rows], self.floor[rows] = -1, np.inf
        self.entered[rows] = self.scores[rows] = -np.inf
        self.certain[rows] = False

    def grow(self, count: int) -> None:
        """Put rows without a query behind."""
        for name in self.per_row():
            array = getattr(self, name)
            setattr(self, name, np.concatenate([array, np.zeros((count, *array.shape[1:]), dtype=array.dtype)]))
        self.clear(np.arange(len(self) - count, len(self)))

    def put(self, rows: Rows, other: Self) -> None:
        """Put all rows of another pool in the place of these."""
        for name in self.per_row():
            getattr(self, name)[rows] = getattr(other, name)

    def bury(self, gone: Slots) -> Rows:
        """Let the chunks in these slots go; returns the rows that lost some."""
        places = _places_of(gone, self.slots)
        rows, columns = np.divmod(places, self.slots.shape[1])
        np.subtract.at(self.spare, rows, 1)
        self.slots[rows, columns] = -1
        self.entered[rows, columns] = -np.inf
        self.scores[rows, columns] = -np.inf
        return rows

    def join(self, rows: Rows, slots: Slots, entered: Floats) -> tuple[Rows, Rows, Rows]:
        """Let chunks in that beat the floor of their row, which may rise.

        Returns which of them are in, and their places (row, column).
        """
        order = np.lexsort((-entered, rows))
        rows, slots, entered = rows[order], slots[order], entered[order]
        starts = np.flatnonzero(np.diff(rows, prepend=-1))
        turn = np.arange(len(rows)) - np.repeat(starts, np.diff(starts, append=len(rows)))
        joined = []
        for number in range(int(turn.max(initial=-1)) + 1):
            here = np.flatnonzero(turn == number)
            at = rows[here]
            column = self.entered[at].argmin(axis=1)
            least = self.entered[at, column]
            wins = entered[here] > least
            lost = np.minimum(entered[here], least)
            self.floor[at] = np.maximum(self.floor[at], lost)
            here, at, column = here[wins], at[wins], column[wins]
            self.slots[at, column] = slots[here]
            self.entered[at, column] = entered[here]
            joined.append((order[here], at, column))
        if not joined:
            nothing = np.zeros(0, dtype=np.intp)
            return nothing, nothing, nothing
        which, at, columns = (np.concatenate(part) for part in zip(*joined, strict=True))
        return which, at, columns

    def sort(self, rows: Rows, order: NDArray[np.int64]) -> None:
        """Sort the chunks of some rows by score and `order`."""
        self.touched[rows] = True
        scores, slots = self.scores[rows], self.slots[rows]
        left, right = scores[:, :-1], scores[:, 1:]
        wrong = left < right
        at = np.nonzero((left == right) & (right > -np.inf))
        wrong[at] = order[slots[:, :-1][at]] > order[slots[:, 1:][at]]
        unsorted = np.flatnonzero(wrong.any(axis=1))
        if len(unsorted):
            columns = np.lexsort((order[slots[unsorted]], -scores[unsorted]), axis=-1)
            self.arrange(rows[unsorted], columns)

    def arrange(self, rows: Rows, columns: Rows) -> None:
        """Order the chunks of some rows anew."""
        for array in (self.slots, self.entered, self.scores):
            array[rows] = np.take_along_axis(array[rows], columns, axis=1)

    def certify(self, rows: Rows, drift: Floats | float) -> None:
        """Find out which of some rows have proven k best; their scores are the present ones, `drift` is `ρ`."""
        floor = self.floor[rows]
        proven = (floor <= 0) | (self.scores[rows, self.k - 1] > floor * drift * _SLACK)
        self.certain[rows] = proven & (self.spare[rows] >= 0)

    def fill(self, rows: Rows, chosen: Chosen, slots: Slots, scores: Floats) -> Rows:
        """Begin rows anew with those of some chunks that are `chosen`, which were all found by a full search.

        Returns the column of each.
        """
        starts = np.searchsorted(chosen.owners, np.arange(len(rows)))
        columns = np.arange(len(chosen.owners)) - starts[chosen.owners]
        at = rows[chosen.owners]
        self.slots[rows], self.scores[rows] = -1, -np.inf
        self.slots[at, columns], self.scores[at, columns] = slots[chosen.places], scores[chosen.places]
        self.entered[rows] = self.scores[rows]
        self.floor[rows], self.spare[rows] = chosen.floor, chosen.spare
        self.certain[rows] = self.touched[rows] = True
        return columns

    def stir(self, touched: tuple[int, ...]) -> None:
        """Note the rows that show one of these slots, whose Chunk is now another object."""
        rows = _places_of(np.array(touched, dtype=np.int32), self.top) // self.k
        self.touched[rows] = self.stirred[rows] = True

    def move(self, moved: Slots) -> None:
        """Follow the slots to their new numbers."""
        with_gap = np.append(moved, np.int32(-1))
        lost = ((self.top >= 0) & (with_gap[self.top] < 0)).any(axis=1)
        self.touched |= lost
        self.stirred |= lost
        self.slots, self.top = with_gap[self.slots], with_gap[self.top]

    def refresh(self, rows: Rows) -> None:
        """Make the scores of these rows, which are certain, the present ones, where a pool puts that off."""

    def top_scores(self, rows: Rows) -> Floats:
        """The scores of the k best of some rows."""
        return self.scores[rows, : self.k]

    def give(self, rows: Rows) -> tuple[Slots, NDArray[np.object_]]:
        """The k best of some rows, which are certain: slots and marks."""
        doubtful = rows[self.touched[rows]]
        top = self.slots[doubtful, : self.k]
        changed = doubtful[self.stirred[doubtful] | (top != self.top[doubtful]).any(axis=1)]
        self.marks[changed] = new_marks(len(changed))
        self.top[doubtful] = top
        self.touched[doubtful] = self.stirred[doubtful] = False
        return self.slots[rows, : self.k], self.marks[rows]


def _places_of(wanted: Slots, array: Slots) -> Rows:
    """Where a flattened array, whose slots are -1 or more, holds one of the `wanted` slots."""
    if not len(wanted):
        return np.zeros(0, dtype=np.intp)
    # Slots above the greatest are cut to one, and -1 to another, that nobody wants.
    is_wanted = np.zeros(int(wanted.max()) + 3, dtype=np.bool_)
    is_wanted[wanted + 1] = True
    return np.flatnonzero(is_wanted.take(array + 1, mode="clip"))


class Chosen(NamedTuple):
    """Who enters the pools of some queries: `places` of candidates and whose they are, each query's best first.

    `floor` and `spare` are by query.
    """

    places: Rows
    owners: Rows
    floor: Floats
    spare: NDArray[np.int64]


def choose(
    k: int,
    owners: Rows,
    scores: Floats,
    order: NDArray[np.int64],
    classes: NDArray[np.int64] | None,
    bound: Floats,
) -> Chosen:
    """Who enters the pools for the best `k` of queries, of which no chunk but the candidates beats `bound`.

    `owners`, `scores` and `order` are of the candidates; `classes` has the rows that twins share, shape (number of
    candidates, any), None when equal scores make twins.
    """
    places = np.lexsort((order, -scores, owners))
    owners, ranked = owners[places], scores[places]
    kinds = np.cumsum((np.diff(ranked, prepend=0.0) != 0) | (np.diff(owners, prepend=0) != 0))
    if classes is not None:
        # Where no more than k chunks score alike, it does not matter which of them are twins.
        crowded = np.flatnonzero(np.bincount(kinds)[kinds] > k)
        _, finer = np.unique(np.column_stack([kinds[crowded], classes[places[crowded]]]), axis=0, return_inverse=True)
        kinds[crowded] = int(kinds.max(initial=0)) + 1 + finer.ravel()
    is_chosen = _turns(kinds) < k + SPARE
    taken = np.cumsum(is_chosen)
    before = np.concatenate([[0], taken])[np.searchsorted(owners, owners)]
    is_chosen &= taken - before <= capacity_of(k)
    members = np.bincount(kinds[is_chosen], minlength=int(kinds.max(initial=0)) + 1)
    is_hidden = ~is_chosen & (members[kinds] >= k)
    spare = np.full(len(bound), _ENDLESS, dtype=np.int64)
    np.minimum.at(spare, owners[is_hidden], members[kinds[is_hidden]] - k)
    is_below = ~is_chosen & ~is_hidden
    floor = bound.copy()
    np.maximum.at(floor, owners[is_below], ranked[is_below])
    return Chosen(places[is_chosen], owners[is_chosen], floor, spare)


def _turns(kinds: NDArray[np.intp]) -> Rows:
    """How many of its kind stand before each."""
    by_kind = np.argsort(kinds, kind="stable")
    starts = np.flatnonzero(np.diff(kinds[by_kind], prepend=-1))
    turns = np.empty(len(kinds), dtype=np.intp)
    turns[by_kind] = np.arange(len(kinds)) - np.repeat(starts, np.diff(starts, append=len(kinds)))
    return turns
