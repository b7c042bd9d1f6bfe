"""The queries that a searcher is asked again and again. Invariant: what nobody asks any more is forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Generic, NamedTuple, TypeVar

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
_ROOM = 8
"""A pool that is full grows by one part in so many."""

Rows = NDArray[np.intp]


class _Asked(NamedTuple):
    """A list that was asked: where each query stands, and per width the places in the list and the rows."""

    queries: Sequence[str]
    found: NDArray[np.int64]
    by_width: dict[int, tuple[Rows, Rows]]


class Standing(Generic[P]):
    """The pools of the queries asked with one scope (None: everything is allowed) and one `k`.

    Queries of the same `width`, a number that the searcher chooses, share a pool.
    """

    def __init__(self) -> None:
        self.pools: dict[int, P] = {}
        self._place: dict[str, int] = {}
        """By query: its pool's width, shifted by `_ROW_BITS`, and its row."""
        self._queries: dict[int, list[str | None]] = {}
        """By width: the query of each row."""
        self._idle: dict[int, Rows] = {}
        """By width: for how many states nobody has asked for a row, -1 for one without a query."""
        self._recent: list[_Asked] = []

    def add(self, width: int, queries: Sequence[str], pool: P) -> None:
        """Make room for new queries, whose rows `pool` holds."""
        known = self.pools.setdefault(width, pool)
        if known is pool:
            self._queries[width], self._idle[width] = list(queries), np.zeros(len(queries), dtype=np.intp)
            rows = np.arange(len(queries))
            self._make_room(width, 1)
        else:
            self._make_room(width, len(queries))
            rows = np.flatnonzero(self._idle[width] < 0)[: len(queries)]
            known.put(rows, pool)
            for row, query in zip(rows.tolist(), queries, strict=True):
                self._queries[width][row] = query
        self._idle[width][rows] = 0
        self._place.update(zip(queries, (rows + (width << _ROW_BITS)).tolist(), strict=True))

    def _make_room(self, width: int, count: int) -> None:
        """See to it that so many rows are without a query; many come at once, since all arrays are copied."""
        missing = count - int(np.count_nonzero(self._idle[width] < 0))
        if missing > 0:
            missing = max(missing, len(self._idle[width]) // _ROOM)
            self.pools[width].grow(missing)
            self._queries[width].extend([None] * missing)
            self._idle[width] = np.concatenate([self._idle[width], np.full(missing, -1, dtype=np.intp)])

    def unknown(self, queries: Sequence[str]) -> list[str]:
        """Those that have no row yet, each once."""
        _, head, tail = self._nearest(queries)
        return [query for query in dict.fromkeys(queries[head : len(queries) - tail]) if query not in self._place]

    def queries(self, width: int) -> tuple[list[str], Rows]:
        """The queries of a width, and their rows."""
        held = self._queries[width]
        rows = np.array([row for row, query in enumerate(held) if query is not None], dtype=np.intp)
        return [query for query in held if query is not None], rows

    def rows(self, queries: Sequence[str]) -> dict[int, tuple[Rows, Rows]]:
        """Per width the places of queries in the list, and their rows; they count as asked."""
        asked, head, tail = self._nearest(queries)
        if head < max(len(queries), len(asked.queries)):
            new = queries[head : len(queries) - tail]
            found = np.concatenate(
                [
                    asked.found[:head],
                    np.fromiter(map(self._place.__getitem__, new), np.int64, len(new)),
                    asked.found[len(asked.found) - tail :],
                ]
            )
            widths = found >> _ROW_BITS
            by_width = {}
            for width in np.flatnonzero(np.bincount(widths)).tolist():
                places = np.flatnonzero(widths == width)
                by_width[width] = places, found[places] - (width << _ROW_BITS)
            asked = _Asked(list(queries), found, by_width)
            self._recent = [asked, *self._recent[: _LISTS - 1]]
        for width, (_, rows_asked) in asked.by_width.items():
            self._idle[width][rows_asked] = 0
        return asked.by_width

    def _nearest(self, queries: Sequence[str]) -> tuple[_Asked, int, int]:
        """A list that was asked, and how many queries the two have in common at the head and, behind that, at the tail.

        An equal one, if there is one.
        """
        best = _Asked([], np.zeros(0, dtype=np.int64), {}), 0, 0
        for asked in self._recent:
            if asked.queries == queries:
                return asked, len(queries), 0
            head = _common(asked.queries, queries)
            tail = _common(asked.queries[head:][::-1], queries[head:][::-1])
            if head + tail > best[1] + best[2]:
                best = asked, head, tail
        return best

    def settle(self) -> None:
        """Let a state end: forget the queries that nobody asked in the last states.

        A state in which none was asked does not count, since it was given up.
        """
        if not any((idle == 0).any() for idle in self._idle.values()):
            return
        for width, idle in self._idle.items():
            gone = np.flatnonzero(idle >= _STATES)
            held = self._queries[width]
            for row in gone.tolist():
                query, held[row] = held[row], None
                if query is not None:
                    del self._place[query]
            if len(gone):
                self.pools[width].clear(gone)
                self._recent = [one for one in self._recent if not _holds(one.by_width.get(width), gone)]
            idle[gone] = -1
            idle[idle >= 0] += 1


def _common(some: Sequence[str], others: Sequence[str]) -> int:
    """At how many places from the first on two lists hold the same; whole stretches are compared at once."""
    same, end = 0, min(len(some), len(others))
    while same < end:
        middle = (same + end + 1) // 2
        if some[same:middle] == others[same:middle]:
            same = middle
        else:
            end = middle - 1
    return same


def _holds(asked: tuple[Rows, Rows] | None, rows: Rows) -> bool:
    return asked is not None and bool(np.isin(rows, asked[1]).any())


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

    def contents(self) -> Iterator[tuple[Scope | None, int, list[str], NDArray[np.intp], P]]:
        """Every pool, with the restrictions of its queries, and these with their rows."""
        for (scope, k), standing in self._standing.items():
            for width, pool in standing.pools.items():
                yield scope, k, *standing.queries(width), pool

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
