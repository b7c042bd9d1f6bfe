"""Search by words, by stems, by vectors, and by both. Invariant: a searcher sees chunks and a query, never a label."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from evidencedesk.retrieval.candidates import RankedList
from evidencedesk.retrieval.dense_searcher import DenseSearcher
from evidencedesk.retrieval.fusion import K, rrf
from evidencedesk.retrieval.lexical_searcher import LexicalSearcher
from evidencedesk.retrieval.searcher import Allowed, Derived, Ranker, Rankings, Searcher, Tick, rank_many, untold
from evidencedesk.retrieval.sparse_searcher import SparseSearcher

__all__ = [
    "Allowed",
    "DenseSearcher",
    "HybridSearcher",
    "LexicalSearcher",
    "Ranker",
    "Rankings",
    "Searcher",
    "SparseSearcher",
    "post_filter",
]


class HybridSearcher:
    """Reciprocal rank fusion of a sparse and a dense searcher, each asked for `max(k, depth)` chunks."""

    name = "hybrid"

    def __init__(self, sparse: Searcher, dense: Searcher, *, depth: int = 20, rrf_k: int = K) -> None:
        self.sparse = sparse
        self.dense = dense
        self.depth = depth
        self.rrf_k = rrf_k

    def search(self, query: str, k: int = 5, allowed: Allowed = None) -> RankedList:
        """See Searcher."""
        depth = max(k, self.depth)
        legs = [leg.search(query, depth, allowed) for leg in (self.sparse, self.dense)]
        return rrf(legs, k=self.rrf_k, top=max(k, 0), source=self.name)

    def search_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None) -> list[RankedList]:
        """See Searcher."""
        rankings = self.rank_many(queries, k, allowed)
        return [rankings[row] for row in range(len(queries))]

    def rank_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None, tick: Tick = untold) -> Rankings:
        """See Ranker."""
        depth = max(k, self.depth)
        legs = tuple(rank_many(leg, queries, depth, allowed, tick) for leg in (self.sparse, self.dense))
        return Derived(legs, lambda row, lists: rrf(lists, k=self.rrf_k, top=max(k, 0), source=self.name))


def post_filter(searcher: Searcher, query: str, k: int, allowed: AbstractSet[str]) -> RankedList:
    """Search without a filter, then drop what is not allowed: how a filter put after the search loses answers.

    May return fewer than `k`, or nothing; ranks run from 1 again.
    """
    kept = (found for found in searcher.search(query, k) if found.chunk.id in allowed)
    return [replace(found, rank=rank) for rank, found in enumerate(kept, start=1)]
