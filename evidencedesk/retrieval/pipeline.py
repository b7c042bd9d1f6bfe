"""Search in two stages. Invariant: a second stage orders what the first one found and adds nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.candidates import RankedList
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.diversity import diversify
from evidencedesk.retrieval.embedding.fixed_point import from_units
from evidencedesk.retrieval.rerank import OverlapReranker, Reranker
from evidencedesk.retrieval.searcher import Allowed, Searcher
from evidencedesk.retrieval.vectors import VectorIndex

__all__ = ["Diversified", "OverlapReranker", "Reranker", "TwoStage"]


class TwoStage:
    """A searcher that fetches `candidates` from `first`, lets `reranker` order them, and keeps the best.

    `scored` counts the candidates that were reranked, over all searches so far: the price of the second stage.
    """

    def __init__(
        self, first: Searcher, reranker: Reranker, candidates: int = 20, final: int = 3, name: str = "two_stage"
    ) -> None:
        self.first = first
        self.reranker = reranker
        self.candidates = candidates
        self.final = final
        self.name = name
        self.scored = 0

    def search(self, query: str, k: int = 0, allowed: Allowed = None) -> RankedList:
        """The best `k` after reranking; `k=0` means `final`."""
        return self._rerank(query, self.first.search(query, self.candidates, allowed), k)

    def search_many(self, queries: Sequence[str], k: int = 0, allowed: Allowed = None) -> list[RankedList]:
        """The same result as `search` for each query, in order."""
        lists = self.first.search_many(queries, self.candidates, allowed)
        return [self._rerank(query, found, k) for query, found in zip(queries, lists, strict=True)]

    def _rerank(self, query: str, found: RankedList, k: int) -> RankedList:
        self.scored += len(found)
        return self.reranker.rerank(query, found)[: k or self.final]


class Vectors(Protocol):
    """Whoever knows the vectors of chunks."""

    def vectors(self, chunks: Sequence[Chunk]) -> NDArray[np.float32]:
        """Their unit vectors, shape (number of chunks, dim)."""


class Diversified:
    """A searcher that fetches `max(k, candidates)` from `first` and orders them by maximal marginal relevance.

    See `diversify`; likeness is the cosine of the chunks' vectors in `index`.
    """

    def __init__(self, first: Searcher, index: VectorIndex | Vectors, lambda_: float, candidates: int = 20) -> None:
        self.first = first
        self.candidates = candidates
        self.name = first.name
        self._lambda = lambda_
        self._vectors = _vectors_of(index) if isinstance(index, VectorIndex) else index.vectors

    def search(self, query: str, k: int = 5, allowed: Allowed = None) -> RankedList:
        """See Searcher."""
        return self.spread(self.first.search(query, max(k, self.candidates), allowed))[: max(k, 0)]

    def search_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None) -> list[RankedList]:
        """See Searcher."""
        lists = self.first.search_many(queries, max(k, self.candidates), allowed)
        return [self.spread(found)[: max(k, 0)] for found in lists]

    def spread(self, found: RankedList) -> RankedList:
        """All of a ranked list, ordered anew."""
        return diversify(found, self._vectors([one.chunk for one in found]), self._lambda)


def _vectors_of(index: VectorIndex) -> Callable[[Sequence[Chunk]], NDArray[np.float32]]:
    row = {chunk_id: row for row, chunk_id in enumerate(index.ids)}
    return lambda chunks: from_units(index.units[np.array([row[chunk.id] for chunk in chunks], dtype=np.intp)])
