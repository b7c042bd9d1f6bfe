"""Search by words, by vectors, and by both. Invariant: a searcher sees chunks and a query, never a label."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.bm25 import BM25
from evidencedesk.retrieval.candidates import RankedList, ranked
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.embedding import Model
from evidencedesk.retrieval.fusion import K, rrf
from evidencedesk.retrieval.selection import best_rows, positive_rows
from evidencedesk.retrieval.vectors import VectorIndex, score_rows, unusable_reason
from evidencedesk.text.analysis import index_terms, query_terms

Allowed = AbstractSet[str] | None


class Searcher(Protocol):
    """Whatever ranks chunks for a query."""

    @property
    def name(self) -> str:
        """What its candidates name as their source."""

    def search(self, query: str, k: int = 5, allowed: Allowed = None) -> RankedList:
        """The best `k` chunks, best first; only those with an id in `allowed` (None: all)."""

    def search_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None) -> list[RankedList]:
        """The same result as `search` for each query, in order."""


class SparseSearcher:
    """BM25 over all words of the chunks' texts; the query's stop words are dropped.

    Statistics are of all chunks, whatever is allowed. Only positive scores are returned, ties by chunk id.
    """

    name = "sparse"

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._rows = _Rows(chunks)
        self.bm25 = BM25(self._rows.ids, [index_terms(chunk.text) for chunk in self._rows.chunks])

    def search(self, query: str, k: int = 5, allowed: Allowed = None) -> RankedList:
        """See Searcher."""
        return self.search_many([query], k, allowed)[0]

    def search_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None) -> list[RankedList]:
        """See Searcher."""
        mask = self._rows.mask(allowed)
        return [self._rows.best(self.bm25.scores(query_terms(query)), mask, k, self.name) for query in queries]


class DenseSearcher:
    """Exact cosine search over the chunks' passages, with `Model.hashed()` unless another model is given.

    A cosine of 0 or less is no match, and a query that cannot be embedded matches nothing; ties by chunk id.
    """

    name = "dense"

    def __init__(self, chunks: Sequence[Chunk], model: Model | None = None) -> None:
        self.model = model or Model.hashed()
        self._rows = _Rows(chunks)
        passages = [(chunk.id, chunk.to_passage()) for chunk in self._rows.chunks]
        self.index, _ = VectorIndex.build(passages, self.model)

    def search(self, query: str, k: int = 5, allowed: Allowed = None) -> RankedList:
        """See Searcher."""
        return self.search_many([query], k, allowed)[0]

    def search_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None) -> list[RankedList]:
        """See Searcher."""
        mask = self._rows.mask(allowed)
        results: list[RankedList] = [[] for _ in queries]
        usable = [place for place, query in enumerate(queries) if unusable_reason(query) is None]
        vectors = self.model.embed_batch([queries[place] for place in usable])
        for place, scores in zip(usable, score_rows(vectors, self.index.matrix), strict=True):
            results[place] = self._rows.best(scores, mask, k, self.name)
        return results


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
        return self._fuse(self.sparse.search(query, depth, allowed), self.dense.search(query, depth, allowed), k)

    def search_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None) -> list[RankedList]:
        """See Searcher."""
        depth = max(k, self.depth)
        sparse = self.sparse.search_many(queries, depth, allowed)
        dense = self.dense.search_many(queries, depth, allowed)
        return [self._fuse(*legs, k) for legs in zip(sparse, dense, strict=True)]

    def _fuse(self, sparse: RankedList, dense: RankedList, k: int) -> RankedList:
        return rrf([sparse, dense], k=self.rrf_k, top=max(k, 0), source=self.name)


def post_filter(searcher: Searcher, query: str, k: int, allowed: AbstractSet[str]) -> RankedList:
    """Search without a filter, then drop what is not allowed: how a filter put after the search loses answers.

    May return fewer than `k`, or nothing; ranks run from 1 again.
    """
    kept = (found for found in searcher.search(query, k) if found.chunk.id in allowed)
    return [replace(found, rank=rank) for rank, found in enumerate(kept, start=1)]


class _Rows:
    """Chunks as rows in the order of their ids, so that ties by row are ties by id."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self.chunks = sorted(chunks, key=lambda chunk: chunk.id)
        self.ids = [chunk.id for chunk in self.chunks]

    def mask(self, allowed: Allowed) -> NDArray[np.bool_] | None:
        """Which rows are allowed; None when all are."""
        if allowed is None:
            return None
        return np.fromiter((chunk_id in allowed for chunk_id in self.ids), dtype=np.bool_, count=len(self.ids))

    def best(self, scores: NDArray[np.floating], mask: NDArray[np.bool_] | None, k: int, source: str) -> RankedList:
        """The best `k` allowed rows with a positive score, as candidates."""
        rows = best_rows(scores, k, positive_rows(scores, mask)).tolist()
        return ranked(((self.chunks[row], float(scores[row])) for row in rows), source)
