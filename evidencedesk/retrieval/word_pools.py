"""Pools for BM25, whose scores move with every text. Invariant: a score here has the bits of one made in full.

A term gives `idf · tf / (tf + K)` with `K = k1 · (1 - b + b · length / mean length)`. Where idf₀ and mean₀ are those of
the moment at which a row was ranked, a text's share grows at most by

    ρ = max over the query's terms of idf / idf₀ · max(1, mean / mean₀),

because `K` shrinks at most by `mean₀ / mean` and `tf / (tf + K)` grows at most as `1 / K` does. See `pools` for the
rest.

**Scores wait.** Since a row's scores were made, the logs of all scores for its query have moved up by `most` at the
most and by `least` at the least; `word_drift` tells how far these are apart, in one number `D` that adds up over the
states, and in what some terms have in excess of it. Until it passes the row's `leeway`,

    most - least < leeway = min(log(sᵢ / sⱼ), log(s_k) - log(ρ · F)),

its k best are what they were, and proven, and their scores are `stale` and made when somebody asks for scores:

- Two neighbours keep their order while `log sᵢ + least > log sⱼ + most`. The first term is the least such distance down
  to the k-th chunk and the next. Twins keep their order for ever. (`test_a_ranking_turns_when_one_of_its_words…`)
- `ρ · F` grows at most by `most`, since its maximum is a maximum over the same factors, and `s_k` shrinks at most by
  `least`. (`test_long_texts_come_up_when_the_mean_length_grows`)

So after a change the rows in question are those with a new chunk, a dead one, or a `limit` (the value of `D` at which
the leeway ends, less what their own terms have in excess) that `D` has passed: one comparison.

Which new texts can enter a row is found by its *essential* terms: without one of them a text cannot pass the floor,
even if it holds all others as often as one likes. The same thought makes a full search short (see `word_contenders`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.bm25 import BM25
from evidencedesk.retrieval.key_table import KeyTable
from evidencedesk.retrieval.pools import Floats, Mask, Pool, Rows, Slots, capacity_of, choose
from evidencedesk.retrieval.postings import ranges
from evidencedesk.retrieval.word_contenders import find_contenders
from evidencedesk.retrieval.word_drift import Drift, Weights

Terms = Mapping[int, float]
"""Numbers of terms with their weights, in the order in which they add up."""

_SLACK = 1 + 1e-9
# Few, since each pool costs a save some array operations, and close enough to waste little room.
_WIDTHS = (2, 4, 6, 8, 12, 16, 32, 64)
_BLOCK = 1 << 13
"""How many scores are computed together: their arrays stay in the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Present:
    """A state of the index: `order` is by slot (see `Corpus`), `drift` is `D`."""

    bm25: BM25
    weights: Weights
    drift: float
    order: NDArray[np.int64]


def width_of(terms: Terms) -> int:
    """How many terms the rows hold that this query shares with others of about its length."""
    count = len(terms)
    return next((width for width in _WIDTHS if width >= count), count)


class WordPool(Pool):
    """Pools of queries of up to `width` terms.

    `terms`, `weights` and `idf0` have shape (queries, width), -1, 0 and 1 where a query has ended; `tf` has shape
    (queries, width, capacity). `essential` marks terms without which no text passes the floor. `scores` are not the
    present ones where `stale`; see above for `limit`, which is infinite where a row is not certain.
    """

    def __init__(self, k: int, queries: Sequence[Terms], width: int) -> None:
        super().__init__(k, len(queries))
        shape = len(queries), width
        self.terms = np.full(shape, -1, dtype=np.int64)
        self.weights = np.zeros(shape)
        for row, query in enumerate(queries):
            self.terms[row, : len(query)] = list(query.keys())
            self.weights[row, : len(query)] = list(query.values())
        self.idf0 = np.ones(shape)
        self.mean0 = np.ones(len(queries))
        self.tf = np.zeros((*shape, capacity_of(k)), dtype=np.float32)
        self.essential = np.zeros(shape, dtype=np.bool_)
        self.limit = np.full(len(queries), np.inf)
        self.stale = np.zeros(len(queries), dtype=np.bool_)
        self._present: Present | None = None
        self._holders: KeyTable[np.int64] = KeyTable()
        self.post()

    @property
    def width(self) -> int:
        """How many terms a row has room for."""
        return self.terms.shape[1]

    def per_row(self) -> list[str]:
        """See Pool."""
        return [*super().per_row(), "terms", "weights", "idf0", "mean0", "tf", "essential", "limit", "stale"]

    def clear(self, rows: Rows) -> None:
        """See Pool."""
        super().clear(rows)
        self.terms[rows], self.essential[rows], self.limit[rows] = -1, False, np.inf

    def put(self, rows: Rows, other: Self) -> None:
        """See Pool."""
        super().put(rows, other)
        self._holders = self._posted(self._holders, rows)

    def move(self, moved: Slots) -> None:
        """See Pool."""
        super().move(moved)
        self.post()

    def arrange(self, rows: Rows, columns: Rows) -> None:
        """See Pool."""
        super().arrange(rows, columns)
        self.tf[rows] = np.take_along_axis(self.tf[rows], columns[:, np.newaxis], axis=2)

    def advance(self, present: Present, drift: Drift, gone: Slots, mask: Mask, first_new: int) -> None:
        """Follow the index to its next state, in which slots from `first_new` on are new; `mask` says which slots the
        queries may find.
        """
        self._present = present
        self.stale[:] = True
        places, rows, _ = self._rows_of(drift.terms)
        np.subtract.at(self.limit, rows, drift.excess[places])
        due = [np.flatnonzero(self.limit < present.drift), self.bury(gone)]
        if first_new < len(mask):
            due.append(self._let_in(present.bm25, mask, first_new))
        rows = np.unique(np.concatenate(due))
        self._score(rows[self.certain[rows]])

    def follow(self, present: Present) -> None:
        """Follow the index to a state in which nothing but the numbers of slots is another."""
        self._present = present

    def refresh(self, rows: Rows) -> None:
        """See Pool."""
        self._score(rows[self.stale[rows] & self.certain[rows]])

    def top_scores(self, rows: Rows) -> Floats:
        """See Pool. Stale rows stay so: their leeway goes on counting from where it was."""
        found = super().top_scores(rows)
        stale = np.flatnonzero(self.stale[rows])
        if len(stale) and self._present is not None:
            step = max(1, _BLOCK // self.k)
            for start in range(0, len(stale), step):
                part = stale[start : start + step]
                found[part] = self._computed(rows[part], self.k, self._present)
        return found

    def _score(self, rows: Rows) -> None:
        """Score the chunks of some rows, each given once, by the present statistics, sort and judge them."""
        if not len(rows) or self._present is None:
            return
        step = max(1, _BLOCK // self.slots.shape[1])
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            self.scores[part] = self._computed(part, self.slots.shape[1], self._present)
        self.sort(rows, self._present.order)
        ratios = self._present.weights.idf(self.terms[rows]) / self.idf0[rows]
        growth = self._present.weights.mean / self.mean0[rows]
        drift = ratios.max(axis=1, initial=0.0) * np.maximum(1.0, growth)
        self.certify(rows, drift)
        self._judge(rows, drift, self._present)

    def _judge(self, rows: Rows, drift: Floats | float, present: Present) -> None:
        """Find out for how long the k best of some rows stay; `drift` is `ρ`, and the scores are the present ones."""
        # A floor that no chunk has reached leaves a distance for ever; so does a place that no chunk has.
        reached, bound = self.scores[rows, self.k - 1], self.floor[rows] * drift
        above = np.divide(reached, bound, out=np.full(len(rows), np.inf), where=(bound > 0) & (reached > 0))
        leeway = np.log(np.minimum(self._gaps(rows, present.bm25), above)) - np.log(_SLACK)
        self.limit[rows] = np.where(self.certain[rows], present.drift + leeway, np.inf)
        self.stale[rows] = False

    def _computed(self, rows: Rows, columns: int, present: Present) -> Floats:
        """The present scores of the first chunks of some rows."""
        bm25 = present.bm25
        slots, idf = self.slots[rows, :columns], present.weights.idf(self.terms[rows])
        scores = np.zeros(slots.shape)
        penalty = bm25.penalty[slots] if len(bm25.penalty) else scores + 1
        for place in range(self.width):
            given = bm25.given(idf[:, place, np.newaxis], self.tf[rows, place, :columns], penalty)
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
        twins &= (self.tf[rows[at], :, column] == self.tf[rows[at], :, column + 1]).all(axis=1)
        is_twin = np.zeros(ratios.shape, dtype=np.bool_)
        is_twin[at, column] = twins
        ratios[is_twin] = np.inf
        gaps: Floats = ratios[:, : self.k].min(axis=1)
        # Where twins stand on both sides of the k-th place, the next one below may overtake all of them.
        across = is_twin[:, self.k - 1]
        gaps[across] = ratios[across].min(axis=1)
        return gaps

    def _let_in(self, bm25: BM25, mask: Mask, first_new: int) -> Rows:
        """Let new chunks in that pass the floor of a row; returns the rows that some have passed."""
        held = bm25.held
        terms, slots, counts = (part[held.old :] for part in (held.tail_terms, held.tail_slots, held.tail_counts))
        allowed = mask[slots]
        terms, places, counts = terms[allowed], slots[allowed] - first_new, counts[allowed]
        # How often each new text holds each of their terms.
        own, numbers = np.unique(terms.astype(np.int64), return_inverse=True)
        table = np.zeros((len(mask) - first_new, len(own)))
        table[places, numbers] = counts
        which, rows, columns = self._rows_of(own)
        needed = self.essential[rows, columns]
        which, rows = which[needed], rows[needed]
        # Each row with each text that holds one of its essential terms.
        by_term = np.argsort(numbers, kind="stable")
        starts, sizes = np.searchsorted(numbers[by_term], which), np.bincount(numbers, minlength=len(own))[which]
        pairs = np.repeat(rows, sizes) * len(table) + places[by_term][ranges(starts, sizes)]
        rows, new = np.divmod(np.unique(pairs), max(1, len(table)))
        if not len(rows):
            return rows
        wanted = self.terms[rows]
        column = np.minimum(np.searchsorted(own, wanted), len(own) - 1)
        tf = np.where(own[column] == wanted, table[new[:, np.newaxis], column], 0.0)
        penalty = bm25.formula.penalty(bm25.lengths[new + first_new], self.mean0[rows])
        scores = np.zeros(len(rows))
        for place in range(self.width):
            scores += bm25.given(self.idf0[rows, place], tf[:, place], penalty) * self.weights[rows, place]
        wins = np.flatnonzero(scores > self.floor[rows])
        joined, at, columns = self.join(rows[wins], (new[wins] + first_new).astype(np.int32), scores[wins])
        self.tf[at, :, columns] = tf[wins[joined]]
        return rows[wins]

    def _rows_of(self, terms: NDArray[np.int64]) -> tuple[Rows, Rows, Rows]:
        """Who is asked by some distinct terms: the term's place in `terms`, the row, and the term's place there."""
        places, entries = self._holders.find(terms)
        # A row may have another query since.
        still = self.terms.ravel()[entries] == terms[places]
        rows, columns = np.divmod(entries[still].astype(np.intp), max(1, self.width))
        return places[still], rows, columns

    def post(self) -> None:
        """List anew by which rows each term is asked; `terms` may be others than before."""
        self._holders = self._posted(KeyTable(), np.arange(len(self)))

    def _posted(self, table: KeyTable[np.int64], rows: Rows) -> KeyTable[np.int64]:
        """The table with the terms of these rows as well; what they lead to is `row · width + place`."""
        at, columns = np.nonzero(self.terms[rows] >= 0)
        entries = rows[at] * self.width + columns
        return table.add(self.terms.ravel()[entries], entries.astype(np.int32), self.terms.ravel() >= 0)

    def renew(self, rows: Rows, present: Present, mask: Mask) -> None:
        """Search in full for some rows."""
        bm25, terms, weights = present.bm25, self.terms[rows], self.weights[rows]
        idf = present.weights.idf(terms)
        most = idf * bm25.formula.gain * weights
        found = find_contenders(bm25, terms, most, capacity_of(self.k), mask)
        owners, slots = found.owners, found.slots
        penalty = bm25.penalty[slots]
        tf = np.zeros((len(slots), self.width), dtype=np.int64)
        scores = np.zeros(len(slots))
        for place in range(self.width):
            tf[:, place] = bm25.held.counts_of(terms[owners, place], slots)
            scores += bm25.given(idf[owners, place], tf[:, place], penalty) * weights[owners, place]
        classes = np.column_stack([bm25.lengths[slots], tf])
        chosen = choose(self.k, owners, scores, present.order[slots], classes, found.bound)
        columns = self.fill(rows, chosen, slots, scores)
        self.tf[rows] = 0
        self.tf[rows[chosen.owners], :, columns] = tf[chosen.places]
        self.idf0[rows] = np.where(terms >= 0, idf, 1.0)
        self.mean0[rows] = present.weights.mean
        by_weight = np.argsort(most, axis=1)
        reached = np.cumsum(np.take_along_axis(most, by_weight, axis=1), axis=1) * _SLACK > chosen.floor[:, np.newaxis]
        np.put_along_axis(reached, by_weight, reached.copy(), axis=1)
        self.essential[rows] = reached & (terms >= 0)
        self._present = present
        self._judge(rows, 1.0, present)
