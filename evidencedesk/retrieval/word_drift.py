"""How far BM25's weights move from state to state. Invariant: no text's score moves further than is said here.

A change of a few texts moves the weights of all terms a little, since there are more or fewer texts and their mean
length is another, and those of the terms that the texts hold much. So what is said is one number for all terms, and
another for some of them:

- Let `c(t) = log(idf'(t) / idf(t))` be the way of a term, and `low <= c(t) <= high` for all terms that are not named.
- Let `g = log(mean' / mean)`. A text's share by a term, `tf / (tf + K)`, moves by a factor between `1` and `mean' /
  mean`, because `K` shrinks or grows at most as the mean grows or shrinks.

The log of a score moves up at most by the greatest `c` of the query's terms and `max(0, g)`, down at most by the least
and `min(0, g)`. These are `most` and `least`, and with `excess(t) = max(0, c(t) - high, low - c(t))`

    most - least  <=  (high - low + |g|) + Σ excess(t)   over the query's terms that are named.

Both sides add up over many states (`tests/retrieval/test_word_drift.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.bm25 import BM25

Floats = NDArray[np.float64]
Terms = NDArray[np.int64]

_COMMON = 0.25
"""Terms of more texts than this share move further than others when the number of texts changes."""


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """The idf of all terms of an index, by the number of texts that hold them; 0 for numbers that do not occur."""

    df: NDArray[np.int64]
    by_df: Floats
    n: int
    mean: float

    @classmethod
    def of(cls, bm25: BM25) -> Weights:
        """Those of this index."""
        df = bm25.held.df
        occurs = np.bincount(df, minlength=1) > 0
        occurs[0] = True
        by_df = np.zeros(len(occurs))
        by_df[occurs] = [bm25.formula.idf(bm25.n, count) for count in np.flatnonzero(occurs).tolist()]
        return cls(df, by_df, bm25.n, bm25.avg_len or 1.0)

    def frequency(self, terms: Terms) -> Terms:
        """How many texts hold each of these terms, 0 for -1, which is no term."""
        is_known = (terms >= 0) & (terms < len(self.df))
        df = np.zeros(terms.shape, dtype=np.int64)
        df[is_known] = self.df[terms[is_known]]
        return df

    def idf(self, terms: Terms) -> Floats:
        """The weights of these terms, 0 for -1."""
        return np.where(terms >= 0, self.by_df[self.frequency(terms)], 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Drift:
    """From one state to the next: `high - low + |g|`, and the terms that are named, ascending, with their excess."""

    spread: float
    terms: Terms
    excess: Floats

    @classmethod
    def between(cls, before: Weights, after: Weights) -> Drift:
        """How far the weights move from one to the other, whose terms have the same numbers or new ones."""
        known = len(before.df)
        is_named = np.append(after.df[:known] != before.df, after.df[known:] > 0)
        common = int(_COMMON * after.n)
        if after.n != before.n:
            is_named |= after.df > common
        low, high = 0.0, 0.0
        shared = min(len(before.by_df), len(after.by_df), common + 1 if after.n != before.n else len(after.by_df))
        old, new = before.by_df[:shared], after.by_df[:shared]
        at = np.flatnonzero((old > 0) & (new > 0))
        if len(at):
            ways = np.log(new[at] / old[at])
            low, high = float(ways.min()), float(ways.max())
        terms = np.flatnonzero(is_named)
        ways = np.log(after.idf(terms) / before.idf(terms))
        excess = np.maximum(ways - high, low - ways)
        named = excess > 0
        return cls(high - low + abs(float(np.log(after.mean / before.mean))), terms[named], excess[named])
