"""Search in two stages. Invariant: a second stage orders what the first one found and adds nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evidencedesk.retrieval.candidates import RankedList
from evidencedesk.retrieval.diversity import diversify
from evidencedesk.retrieval.embedding.fixed_point import from_units
from evidencedesk.retrieval.rerank import OverlapReranker, Reranker
from evidencedesk.retrieval.searchers import Allowed, Searcher
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


class Diversified:
    """A searcher that fetches `max(k, candidates)` from `first` and orders them by maximal marginal relevance.

    See `diversify`; likeness is the cosine of the chunks' vectors in `index`.
    """

    def __init__(self, first: Searcher, index: VectorIndex, lambda_: float, candidates: int = 20) -> None:
        self.first = first
        self.candidates = candidates
        self.name = first.name
        self._lambda = lambda_
        self._units = index.units
        self._row = {chunk_id: row for row, chunk_id in enumerate(index.ids)}

    def search(self, query: str, k: int = 5, allowed: Allowed = None) -> RankedList:
        """See Searcher."""
        return self.search_many([query], k, allowed)[0]

    def search_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None) -> list[RankedList]:
        """See Searcher."""
        lists = self.first.search_many(queries, max(k, self.candidates), allowed)
        return [self.spread(found)[: max(k, 0)] for found in lists]

    def spread(self, found: RankedList) -> RankedList:
        """All of a ranked list, ordered anew."""
        rows = np.fromiter((self._row[one.chunk.id] for one in found), dtype=np.intp, count=len(found))
        return diversify(found, from_units(self._units[rows]), self._lambda)
