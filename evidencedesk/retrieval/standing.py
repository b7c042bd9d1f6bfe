"""The queries that a searcher is asked again and again. Invariant: what nobody asks any more is forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import count
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.corpus import Corpus, InScope
from evidencedesk.retrieval.pools import LARGEST_K, Floats, Mask, Pool, Slots
from evidencedesk.retrieval.scope import Scope
from evidencedesk.retrieval.searcher import Best, Tick

Key = tuple[Scope | None, int]
P = TypeVar("P", bound=Pool)


_ROW_BITS = 32
_STATES = 4
"""For how many states a query that nobody asks is remembered: some are given up before all is asked."""
_LISTS = 2
"""Whose places are remembered: headings and questions are asked by turns."""


class Standing(Generic[P]):
    """The pools of the queries asked with one scope (None: everything is allowed) and one `k`.

    Queries of the same `width`, a number that the searcher chooses, share a pool.
    """

    def __init__(self) -> None:
        self.pools: dict[int, P] = {}
        self._place: dict[str, int] = {}
        """By query: its pool's width, shifted by `_ROW_BITS`, and its row."""
        self._idle: dict[int, NDArray[np.intp]] = {}
        self._recent: list[tuple[list[str], dict[int, tuple[NDArray[np.intp], NDArray[np.intp]]]]] = []

    def add(self, width: int, queries: Sequence[str], pool: P) -> None:
        """Make room for new queries, whose rows `pool` holds."""
        known = self.pools.setdefault(width, pool)
        first = 0
        if known is not pool:
            first = len(known)
            known.extend(pool)
        self._place.update(zip(queries, count((width << _ROW_BITS) + first), strict=False))
        idle = self._idle.get(width, np.zeros(0, dtype=np.intp))
        self._idle[width] = np.concatenate([idle, np.zeros(len(queries), dtype=np.intp)])

    def unknown(self, queries: Sequence[str]) -> list[str]:
        """Those that have no row yet, each once."""
        if any(queries == known for known, _ in self._recent) or all(map(self._place.__contains__, queries)):
            return []
        return [query for query in dict.fromkeys(queries) if query not in self._place]

    def queries(self, width: int) -> list[str]:
        """The queries of a width, by their rows."""
        found = [""] * len(self.pools[width])
        for query, place in self._place.items():
            if place >> _ROW_BITS == width:
                found[place - (width << _ROW_BITS)] = query
        return found

    def rows(self, queries: Sequence[str]) -> dict[int, tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Per width the places of queries in the list, and their rows; they count as asked."""
        arrays = next((arrays for known, arrays in self._recent if known == queries), None)
        if arrays is None:
            found = np.fromiter(map(self._place.__getitem__, queries), np.int64, len(queries))
            widths = found >> _ROW_BITS
            arrays = {}
            for width in np.unique(widths).tolist():
                places = np.flatnonzero(widths == width)
                arrays[width] = places, found[places] - (width << _ROW_BITS)
            self._recent = [(list(queries), arrays), *self._recent[: _LISTS - 1]]
        for width, (_, rows_asked) in arrays.items():
            self._idle[width][rows_asked] = 0
        return arrays

    def settle(self) -> None:
        """Let a state end: forget the queries that nobody asked in the last states.

        A state in which none was asked does not count, since it was given up.
        """
        if not any(idle.size and idle.min() == 0 for idle in self._idle.values()):
            return
        kept = {width: idle < _STATES for width, idle in self._idle.items()}
        if not all(rows.all() for rows in kept.values()):
            moved = {width: np.cumsum(rows) - 1 for width, rows in kept.items()}
            after = {}
            for query, place in self._place.items():
                width, row = divmod(place, 1 << _ROW_BITS)
                if kept[width][row]:
                    after[query] = (width << _ROW_BITS) + int(moved[width][row])
            self._place = after
            for width, rows in kept.items():
                self.pools[width].keep(np.flatnonzero(rows))
            self._recent = []
        self._idle = {width: idle[kept[width]] + 1 for width, idle in self._idle.items()}


class Shelf(Generic[P]):
    """All standing queries of a searcher. The newest searcher has it; one before it has lost it."""

    def __init__(self) -> None:
        self._standing: dict[Key, Standing[P]] = {}

    def pools(self, corpus: Corpus) -> Iterator[tuple[P, Mask]]:
        """Every pool, with the slots that its queries may find."""
        for (scope, _), standing in self._standing.items():
            mask = corpus.mask(None if scope is None else InScope(corpus, scope))
            for pool in standing.pools.values():
                yield pool, mask

    def contents(self) -> Iterator[tuple[Scope | None, int, list[str], P]]:
        """Every pool, with the restrictions of its queries and these by their rows."""
        for (scope, k), standing in self._standing.items():
            for width, pool in standing.pools.items():
                yield scope, k, standing.queries(width), pool

    def put(self, scope: Scope | None, k: int, width: int, queries: Sequence[str], pool: P) -> None:
        """Let queries stand here whose rows `pool` holds."""
        self._standing.setdefault((scope, k), Standing()).add(width, queries, pool)

    def settle(self) -> None:
        """Forget what was not asked in the state that ends."""
        for standing in self._standing.values():
            standing.settle()

    def of(self, corpus: Corpus, allowed: AbstractSet[str] | None, k: int) -> Standing[P] | None:
        """Where queries with these restrictions stand; None for such as will not come again."""
        if not 0 < k <= LARGEST_K:
            return None
        if allowed is None:
            return self._standing.setdefault((None, k), Standing())
        if isinstance(allowed, InScope) and allowed.corpus is corpus:
            return self._standing.setdefault((allowed.scope, k), Standing())
        return None


def gather(
    standing: Standing[P],
    queries: Sequence[str],
    k: int,
    renew: Callable[[P, NDArray[np.intp], Callable[[int], None]], None],
    tick: Tick,
    chunks: Sequence[Chunk],
    source: str,
    with_scores: bool = True,
) -> Best:
    """The k best for queries that all have a row; scores are NaN when nobody needs them.

    `renew` searches in full for rows of a pool that are not certain, and says at times how many of them are done.
    """
    rows_of = standing.rows(queries)
    doubtful = {width: np.unique(rows[~standing.pools[width].certain[rows]]) for width, (_, rows) in rows_of.items()}
    done, total = 0, sum(map(len, doubtful.values()))
    for width, rows in doubtful.items():
        if len(rows):
            renew(standing.pools[width], rows, partial(_add, tick, done, total))
            done += len(rows)
    slots: Slots = np.full((len(queries), k), -1, dtype=np.int32)
    scores: Floats = np.zeros((len(queries), k))
    marks: NDArray[np.object_] = np.full(len(queries), None, dtype=np.object_)
    for width, (places, rows) in rows_of.items():
        pool = standing.pools[width]
        slots[places], marks[places] = pool.give(rows)
        if with_scores:
            scores[places] = pool.top_scores(rows)
    scores[:] = np.where(slots >= 0, scores, 0.0) if with_scores else np.nan
    return Best(slots, scores, marks, chunks, source)


def _add(tick: Tick, before: int, total: int, count: int) -> None:
    tick(before + count, total)
