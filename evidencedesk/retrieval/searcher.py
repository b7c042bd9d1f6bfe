"""What a searcher is, and many rankings at once. Invariant: a ranked list is made when it is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.candidates import RankedList, ranked
from evidencedesk.retrieval.chunk import Chunk

Allowed = AbstractSet[str] | None

Tick = Callable[[int, int], None]
"""Told at times how much of some work is done, and how much there is."""


def untold(done: int, total: int) -> None:
    """Progress that nobody watches."""


class Searcher(Protocol):
    """Whatever ranks chunks for a query."""

    @property
    def name(self) -> str:
        """What its candidates name as their source."""

    def search(self, query: str, k: int = 5, allowed: Allowed = None) -> RankedList:
        """The best `k` chunks, best first; only those with an id in `allowed` (None: all)."""

    def search_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None) -> list[RankedList]:
        """The same result as `search` for each query, in order."""


class Rankings(Protocol):
    """A ranked list per query, made when it is asked for.

    After a change of the index scores move a little in all lists, and chunks in hardly any. `marks[row]` tells: it is
    equal to the mark of the same query in an earlier state exactly where the list holds the very same Chunk objects in
    the same order.
    """

    @property
    def marks(self) -> Sequence[object] | NDArray[np.object_]:
        """A mark per query."""

    def __getitem__(self, row: int) -> RankedList: ...


@runtime_checkable
class Ranker(Searcher, Protocol):
    """A searcher that can put off making lists."""

    def rank_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None, tick: Tick = untold) -> Rankings:
        """What `search_many` gives, one list at a time; `tick` is told how it goes, and may raise to give it up."""


def rank_many(searcher: Searcher, queries: Sequence[str], k: int, allowed: Allowed, tick: Tick = untold) -> Rankings:
    """What the searcher finds, put off where it can do that."""
    if isinstance(searcher, Ranker):
        return searcher.rank_many(queries, k, allowed, tick)
    return Listed(searcher.search_many(queries, k, allowed))


class Listed:
    """Rankings that were made in full."""

    def __init__(self, lists: Sequence[RankedList]) -> None:
        self._lists = lists

    @property
    def marks(self) -> Sequence[object]:
        """See Rankings."""
        return [tuple([found.chunk for found in ranking]) for ranking in self._lists]

    def __getitem__(self, row: int) -> RankedList:
        return self._lists[row]


def new_marks(count: int) -> NDArray[np.object_]:
    """Marks that equal no other."""
    marks = np.empty(count, dtype=np.object_)
    marks[:] = [object() for _ in range(count)]
    return marks


@dataclass(frozen=True, slots=True, eq=False)
class Best:
    """The best slots of many queries: shapes (queries, k), best first, slot -1 where a list has ended.

    `chunks` are by slot; `source` is what the candidates name.
    """

    slots: NDArray[np.int32]
    scores: NDArray[np.float64]
    marks: NDArray[np.object_]
    chunks: Sequence[Chunk]
    source: str

    def of(self, wanted: NDArray[np.bool_]) -> Best:
        """The rankings of some of the queries."""
        return Best(self.slots[wanted], self.scores[wanted], self.marks[wanted], self.chunks, self.source)

    def __getitem__(self, row: int) -> RankedList:
        pairs = zip(self.slots[row].tolist(), self.scores[row].tolist(), strict=True)
        return ranked(((self.chunks[slot], score) for slot, score in pairs if slot >= 0), self.source)


class Lists(Mapping[str, RankedList]):
    """The ranked lists of one query by the searchers' names, each made once."""

    def __init__(self, rankings: Mapping[str, Rankings], row: int) -> None:
        self._rankings = rankings
        self._row = row
        self._made: dict[str, RankedList] = {}

    def __getitem__(self, name: str) -> RankedList:
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = self._rankings[name][self._row]
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(self._rankings)

    def __len__(self) -> int:
        return len(self._rankings)


@dataclass(frozen=True, slots=True, eq=False)
class Derived:
    """Rankings made from others, row by row, by what depends on the chunks in the lists and their order alone."""

    of: tuple[Rankings, ...]
    make: Callable[[int, list[RankedList]], RankedList]

    @property
    def marks(self) -> Sequence[object]:
        """See Rankings."""
        return list(zip(*(rankings.marks for rankings in self.of), strict=True))

    def __getitem__(self, row: int) -> RankedList:
        return self.make(row, [rankings[row] for rankings in self.of])
