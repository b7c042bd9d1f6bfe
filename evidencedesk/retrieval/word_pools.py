"""Pools for BM25, whose scores move with every text. Invariant: a score here has the bits of one made in full.

A term gives `idf · tf / (tf + K)` with `K = k1 · (1 - b + b · length / mean length)`. Where idf₀ and mean₀ are those of
the moment at which a row was ranked, a text's share grows at most by

    ρ = max over the query's terms of idf / idf₀ · max(1, mean / mean₀),

because `K` shrinks at most by `mean₀ / mean` and `tf / (tf + K)` grows at most as `1 / K` does. See `pools` for the
rest.

**Scores wait.** By the same argument no score of a row has grown more than `hi` times, or less than `lo` times, since
they were computed (with `hi` and `lo` the greatest and least of `idf / idf₁ · mean / mean₁`, where the mean counts in
its own direction only). Two neighbours in the ranking keep their order as long as `hi / lo` is less than the ratio of
their scores, and twins keep theirs for ever. So a row remembers the least ratio down to its k-th chunk and the next,
its `gap`, and while that is not used up its k best are what they were: their scores are `stale`, and made when somebody
asks for scores.

Which new texts can enter a row is found by its *essential* terms: without one of them a text cannot pass the floor,
even if it holds all others as often as one likes (compare MaxScore: Turtle and Flood 1995). The same thought makes a
full search short: terms are looked up from the weightiest on until the rest cannot lift a text into the pool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.bm25 import BM25
from evidencedesk.retrieval.pools import Floats, Mask, Pool, Rows, Slots, capacity_of, choose

Terms = Mapping[int, float]
"""Numbers of terms with their weights, in the order in which they add up."""

_SLACK = 1 + 1e-9
# Few, since each pool costs a save some array operations, and close enough to waste little room.
_WIDTHS = (2, 4, 6, 8, 12, 16, 32, 64)
_OWN = ("terms", "weights", "idf0", "mean0", "essential", "idf1", "mean1", "gap", "stale")
_BLOCK = 1 << 13
"""How many scores are computed together: their arrays stay in the processor's cache."""


def width_of(terms: Terms) -> int:
    """How many terms the rows hold that this query shares with others of about its length."""
    count = len(terms)
    return next((width for width in _WIDTHS if width >= count), count)


class WordPool(Pool):
    """Pools of queries of up to `width` terms.

    `terms`, `weights` and `idf0` have shape (queries, width), -1, 0 and 1 where a query has ended; `tf[j]` has the
    shape of `slots` and counts term `j`. `essential` marks terms without which no text passes the floor. `scores` rest
    on `idf1` and `mean1`, which are not the present ones where `stale`; see above for `gap`.
    """

    def __init__(self, k: int, queries: Sequence[Terms], width: int) -> None:
        super().__init__(k, len(queries))
        self.terms = np.full((len(queries), width), -1, dtype=np.int64)
        self.weights = np.zeros((len(queries), width))
        for row, query in enumerate(queries):
            self.terms[row, : len(query)] = list(query.keys())
            self.weights[row, : len(query)] = list(query.values())
        self.idf0 = np.ones((len(queries), width))
        self.mean0 = np.ones(len(queries))
        self.idf1 = np.ones((len(queries), width))
        self.mean1 = np.ones(len(queries))
        self.gap = np.zeros(len(queries))
        self.stale = np.zeros(len(queries), dtype=np.bool_)
        self._present: tuple[BM25, Floats, NDArray[np.int64]] | None = None
        self.tf = [np.zeros(self.slots.shape, dtype=np.float32) for _ in range(width)]
        self.essential = np.zeros((len(queries), width), dtype=np.bool_)
        self._posted: tuple[NDArray[np.int64], Rows] | None = None

    def per_row(self) -> list[str]:
        """See Pool."""
        return [*super().per_row(), *_OWN]

    def keep(self, rows: Rows) -> None:
        """See Pool."""
        super().keep(rows)
        self.tf = [counts[rows] for counts in self.tf]
        self._posted = None

    def extend(self, other: Self) -> None:
        """See Pool."""
        super().extend(other)
        self.tf = [np.concatenate(pair) for pair in zip(self.tf, other.tf, strict=True)]
        self._posted = None

    def arrange(self, rows: Rows, columns: Rows) -> None:
        """See Pool."""
        super().arrange(rows, columns)
        for counts in self.tf:
            counts[rows] = np.take_along_axis(counts[rows], columns, axis=1)

    def advance(self, bm25: BM25, idf: Floats, mask: Mask, order: NDArray[np.int64], first_new: int) -> None:
        """Follow the index to its next state, in which slots from `first_new` on are new.

        `idf` is by term, with an entry behind for no term; `mask` says which slots the queries may find.
        """
        self._present = bm25, idf, order
        stirred = [self.bury(mask)]
        if first_new < len(mask):
            stirred.append(self._let_in(bm25, mask, first_new))
        mean = bm25.avg_len or 1.0
        present, used = idf[self.terms], self.terms >= 0
        ratios = present / self.idf1
        growth = mean / self.mean1
        most = ratios.max(axis=1, initial=0.0, where=used) * np.maximum(1.0, growth)
        least = ratios.min(axis=1, initial=2.0, where=used) * np.minimum(1.0, growth)
        self.stale = most * _SLACK < self.gap * least
        for rows in stirred:
            self.stale[rows] = False
        self._score(np.flatnonzero(~self.stale))
        drift = (present / self.idf0).max(axis=1, initial=0.0, where=used) * np.maximum(1.0, mean / self.mean0)
        self.certify(drift, np.where(self.stale, least, 1.0))
        doubtful = np.flatnonzero(self.stale & ~self.certain)
        if len(doubtful):
            self._score(doubtful)
            self.certify(drift, np.where(self.stale, least, 1.0))

    def refresh(self, rows: Rows) -> None:
        """See Pool."""
        self._score(rows[self.stale[rows]])

    def top_scores(self, rows: Rows) -> Floats:
        """See Pool. Stale rows stay so: their gaps go on counting from where they were."""
        found = super().top_scores(rows)
        stale = np.flatnonzero(self.stale[rows])
        if len(stale) and self._present is not None:
            bm25, idf, _ = self._present
            step = max(1, _BLOCK // self.k)
            for start in range(0, len(stale), step):
                part = stale[start : start + step]
                found[part] = self._computed(rows[part], self.k, bm25, idf)
        return found

    def _score(self, rows: Rows) -> None:
        """Score the chunks of some rows, each given once, by the present statistics, and sort them."""
        if not len(rows) or self._present is None:
            return
        bm25, idf, order = self._present
        step = max(1, _BLOCK // self.slots.shape[1])
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            self.scores[part] = self._computed(part, self.slots.shape[1], bm25, idf)
        self.sort(rows, order)
        self.gap[rows] = self._gaps(rows, bm25)
        self.idf1[rows] = np.where(self.terms[rows] >= 0, idf[self.terms[rows]], 1.0)
        self.mean1[rows] = bm25.avg_len or 1.0
        self.stale[rows] = False

    def _computed(self, rows: Rows, columns: int, bm25: BM25, idf: Floats) -> Floats:
        """The present scores of the first chunks of some rows."""
        slots, terms = self.slots[rows, :columns], self.terms[rows]
        scores = np.zeros(slots.shape)
        penalty = bm25.penalty[slots] if len(bm25.penalty) else scores + 1
        for place, counts in enumerate(self.tf):
            given = bm25.given(idf[terms[:, place, np.newaxis]], counts[rows, :columns], penalty)
            given *= self.weights[rows, place, np.newaxis]
            scores += given
        return np.where(slots >= 0, scores, -np.inf)

    def _gaps(self, rows: Rows, bm25: BM25) -> Floats:
        """The least ratio of two neighbours' scores that can change the k best of these rows."""
        scores, slots = self.scores[rows], self.slots[rows]
        left, right = scores[:, :-1], scores[:, 1:]
        ratios = np.divide(left, right, out=np.ones(left.shape), where=right > 0)
        ratios[right == -np.inf] = np.inf
        at, column = np.nonzero((left == right) & (right > 0))
        twins = bm25.lengths[slots[at, column]] == bm25.lengths[slots[at, column + 1]]
        for counts in self.tf:
            twins &= counts[rows[at], column] == counts[rows[at], column + 1]
        is_twin = np.zeros(ratios.shape, dtype=np.bool_)
        is_twin[at, column] = twins
        ratios[is_twin] = np.inf
        gaps: Floats = ratios[:, : self.k].min(axis=1)
        # Where twins stand on both sides of the k-th place, the next one below may overtake all of them.
        across = is_twin[:, self.k - 1]
        gaps[across] = ratios[across].min(axis=1)
        return gaps

    def _let_in(self, bm25: BM25, mask: Mask, first_new: int) -> Rows:
        """Let new chunks in that pass the floor of a row; returns the rows that let any in."""
        held = bm25.held
        terms, slots, counts = (part[held.old :] for part in (held.tail_terms, held.tail_slots, held.tail_counts))
        allowed = mask[slots]
        terms, places, counts = terms[allowed], slots[allowed] - first_new, counts[allowed]
        posted_terms, posted_rows = self._essential_rows()
        starts = np.searchsorted(posted_terms, terms)
        sizes = np.searchsorted(posted_terms, terms, side="right") - starts
        pairs = np.repeat(places, sizes) + len(mask) * posted_rows[_ranges(starts, sizes)]
        rows, new = np.divmod(np.unique(pairs), len(mask))
        if not len(rows):
            return rows
        # How often each new text holds each of its terms.
        own, numbers = np.unique(terms, return_inverse=True)
        table = np.zeros((len(mask) - first_new, len(own)))
        table[places, numbers] = counts
        wanted = self.terms[rows]
        column = np.minimum(np.searchsorted(own, wanted), len(own) - 1)
        tf = list(np.where(own[column] == wanted, table[new[:, np.newaxis], column], 0.0).T)
        penalty = bm25.formula.penalty(bm25.lengths[new + first_new], self.mean0[rows])
        scores = np.zeros(len(rows))
        for place, counts_here in enumerate(tf):
            scores += bm25.given(self.idf0[rows, place], counts_here, penalty) * self.weights[rows, place]
        wins = np.flatnonzero(scores > self.floor[rows])
        which, at, columns = self.join(rows[wins], (new[wins] + first_new).astype(np.int32), scores[wins])
        for counts_of, counts_here in zip(self.tf, tf, strict=True):
            counts_of[at, columns] = counts_here[wins[which]]
        return at

    def _essential_rows(self) -> tuple[NDArray[np.int64], Rows]:
        """Essential terms, ascending, and the rows they are essential for."""
        if self._posted is None:
            rows, places = np.nonzero(self.essential)
            terms = self.terms[rows, places]
            order = np.argsort(terms, kind="stable")
            self._posted = terms[order], rows[order]
        return self._posted

    def renew(self, row: int, bm25: BM25, idf: Floats, mask: Mask, order: NDArray[np.int64], sums: Floats) -> None:
        """Search in full for one row; `sums` is 0 for every slot, and is so again afterwards."""
        width = int(np.count_nonzero(self.terms[row] >= 0))
        terms, weights = self.terms[row, :width], self.weights[row, :width]
        most = idf[terms] * bm25.formula.gain * weights
        slots, bound = contenders(bm25, terms, most, capacity_of(self.k), mask, sums)
        penalty = bm25.penalty[slots]
        tf = np.zeros((len(slots), width), dtype=np.int64)
        scores = np.zeros(len(slots))
        for place, term in enumerate(terms.tolist()):
            tf[:, place] = bm25.held.counts_at(term, slots)
            scores += bm25.given(idf[term], tf[:, place], penalty) * weights[place]
        classes = np.column_stack([bm25.lengths[slots], tf])
        chosen, floor, spare = choose(self.k, scores, order[slots], classes, bound)
        self.fill(row, slots[chosen], scores[chosen], floor, spare)
        for place, counts in enumerate(self.tf):
            counts[row] = 0
            if place < width:
                counts[row, : len(chosen)] = tf[chosen, place]
        self.idf0[row, :width] = idf[terms]
        self.mean0[row] = bm25.avg_len or 1.0
        self.idf1[row], self.mean1[row] = self.idf0[row], self.mean0[row]
        self.gap[row], self.stale[row] = 0.0, False
        essential = np.zeros(len(self.tf), dtype=np.bool_)
        by_weight = np.argsort(most)
        essential[by_weight] = np.cumsum(most[by_weight]) * _SLACK > floor
        if (essential & ~self.essential[row]).any():
            self._posted = None
        self.essential[row] |= essential


def contenders(
    bm25: BM25, terms: NDArray[np.int64], most: Floats, count: int, mask: Mask, sums: Floats
) -> tuple[Slots, float]:
    """Slots of `mask`, ascending, among which are the `count` best for a query, and what no other slot's score exceeds.

    `most` is what no text can get by a term. `sums` is 0 for every slot, and is so again afterwards. Terms are added
    from the weightiest to the lightest, not in the order of the query: these sums only choose.
    """
    by_weight = [place for place in np.argsort(-most, kind="stable").tolist() if most[place] > 0]
    left = float(most.sum())
    touched = np.zeros(0, dtype=np.int32)
    # Terms are looked up many at a time: until half of the weight is spent, then until the rest cannot reach the least.
    done, least, goal = 0, -np.inf, left / 2
    while done < len(by_weight) and not left * _SLACK < least:
        parts: list[tuple[Slots, Slots, Floats]] = []
        while done < len(by_weight) and not (parts and left * _SLACK < goal):
            place = by_weight[done]
            slots, counts = bm25.held.of_term(int(terms[place]))
            parts.append((slots, counts, np.full(len(slots), most[place])))
            left -= float(most[place])
            done += 1
        slots, counts, weights = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        allowed = mask[slots]
        if not allowed.all():
            slots, counts, weights = slots[allowed], counts[allowed], weights[allowed]
        touched = np.concatenate([touched, _distinct(slots[sums[slots] == 0])])
        np.add.at(sums, slots, weights * (counts / (counts + bm25.penalty[slots])))
        if len(touched) > count:
            goal = least = _kth(sums[touched], count)
    slots = np.sort(touched)
    partial = sums[slots]
    sums[slots] = 0.0
    bound = max(left, 0.0) * _SLACK if done < len(by_weight) else 0.0
    while True:
        best = (partial + max(left, 0.0)) * _SLACK
        kept = best >= least
        if not kept.all():
            bound = max(bound, float(best[~kept].max()))
            slots, partial = slots[kept], partial[kept]
        if done == len(by_weight) or len(slots) <= count:
            return slots, bound
        place = by_weight[done]
        counts = bm25.held.counts_at(int(terms[place]), slots)
        partial += most[place] * (counts / (counts + bm25.penalty[slots]))
        left -= float(most[place])
        done += 1
        least = max(least, _kth(partial, count))


def _distinct(slots: Slots) -> Slots:
    """Each of them once, ascending; `np.unique` takes ten times as long for so few."""
    slots = np.sort(slots)
    is_first = np.ones(len(slots), dtype=np.bool_)
    np.not_equal(slots[1:], slots[:-1], out=is_first[1:])
    return slots[is_first]


def _kth(values: Floats, k: int) -> float:
    """The k-th greatest."""
    return float(np.partition(values, len(values) - k)[len(values) - k])


def _ranges(starts: NDArray[np.intp], sizes: NDArray[np.intp]) -> NDArray[np.intp]:
    """`starts[i]`, `starts[i] + 1` … `sizes[i]` numbers each, one after the other."""
    ends = np.cumsum(sizes)
    numbers: NDArray[np.intp] = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - sizes), sizes)
    return numbers
