"""Search by words, by stems, by vectors, and by both. Invariant: a searcher sees chunks and a query, never a label."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.bm25 import BM25, Known
from evidencedesk.retrieval.candidates import Candidate, RankedList, ranked
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.embedding import Model
from evidencedesk.retrieval.fusion import K, rrf
from evidencedesk.retrieval.passages import Entry, PassageIndex, RetrievalConfig
from evidencedesk.retrieval.selection import best_rows, is_among_best, positive_rows
from evidencedesk.retrieval.vectors import IndexMeta, VectorIndex, embed_units, score_rows, unusable_reason
from evidencedesk.text.analysis import Analysis, Analyzer, snowball, weigh

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


Wanted = Mapping[str, AbstractSet[str]]
"""Per query, the ids of chunks that it should find."""


class Finder(Searcher, Protocol):
    """A searcher that can tell what it finds without making a list of it."""

    def missed(self, wanted: Wanted, k: int, depth: int, allowed: Allowed = None) -> dict[str, RankedList]:
        """What `search` gives at `depth` for those queries whose best `k` hold none of the chunks wanted for them."""


class SparseSearcher:
    """BM25 over all words of the chunks' texts; the query's stop words are dropped.

    An analysis says which languages are read otherwise. Statistics are of all chunks, whatever is allowed. Only
    positive scores are returned, ties by chunk id.
    """

    name = "sparse"

    def __init__(
        self, chunks: Sequence[Chunk], analysis: Analysis | None = None, before: SparseSearcher | None = None
    ) -> None:
        """`before` is an earlier searcher, whose terms of unchanged chunks are taken over; it changes no result."""
        self._rows = _Rows(chunks)
        self._analysis = analysis or Analysis()
        self._analyzers = _Analyzers(self._rows.chunks, self._analysis)
        known = None
        if before and before._analysis == self._analysis:
            known = Known(before.bm25, *self._rows.shared(before._rows, lambda chunk: (chunk.text, chunk.lang)))
        terms: list[Sequence[str]] = [()] * len(self._rows.ids)
        for row in self._rows.others(known.here if known else None):
            chunk = self._rows.chunks[row]
            terms[row] = self._analyzers.of(chunk).terms(chunk.text)
        self.bm25: BM25 = BM25(self._rows.ids, terms, known=known)

    def terms(self, query: str) -> dict[str, float]:
        """What a query is searched by: its terms in order, with their weights."""
        return weigh(query, self._analyzers.present)

    def search(self, query: str, k: int = 5, allowed: Allowed = None) -> RankedList:
        """See Searcher."""
        return self.search_many([query], k, allowed)[0]

    def search_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None) -> list[RankedList]:
        """See Searcher."""
        mask = self._rows.mask(allowed)
        return [self._rows.best(self.bm25.scores(self.terms(query)), mask, k, self.name) for query in queries]

    def missed(self, wanted: Wanted, k: int, depth: int, allowed: Allowed = None) -> dict[str, RankedList]:
        """See Finder."""
        terms = {query: self.terms(query) for query in wanted}
        # Queries that begin alike follow each other, so that their beginnings are summed up once.
        queries = sorted(wanted, key=lambda query: list(terms[query]))
        every = self.bm25.scores_many(terms[query] for query in queries)
        return self._rows.missed(zip(queries, every, strict=True), wanted, k, depth, allowed, self.name)


class LexicalSearcher:
    """BM25 over stems and synonyms, then a second look at the passages of the best `max(k, depth)` chunks.

    See PassageIndex; a chunk's section is its title, and its candidate names the passage. A language that the analysis
    does not name is read by its Snowball algorithm and stop words, where it has them; a text of no language as
    English. Only positive scores are returned, ties by BM25, then by chunk id. The index is built when first searched.
    """

    name = "lexical"

    def __init__(
        self,
        chunks: Sequence[Chunk],
        analysis: Analysis | None = None,
        *,
        depth: int = 20,
        config: RetrievalConfig | None = None,
    ) -> None:
        self.depth = depth
        self._rows = _Rows(chunks)
        configured = analysis.by_lang if analysis else {}
        stemmed = Analysis(configured, lambda lang: snowball(lang or "en"))
        self._analyzers = _Analyzers(self._rows.chunks, stemmed)
        self._config = config or RetrievalConfig()
        self._held: dict[str, frozenset[str]] = {}

    @cached_property
    def index(self) -> PassageIndex:
        """The chunks as rows in the order of their ids."""
        entries = [Entry(chunk.text, chunk.section, self._analyzers.of(chunk).terms) for chunk in self._rows.chunks]
        return PassageIndex(entries, self._config)

    def search(self, query: str, k: int = 5, allowed: Allowed = None) -> RankedList:
        """See Searcher."""
        return self.search_many([query], k, allowed)[0]

    def search_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None) -> list[RankedList]:
        """See Searcher."""
        mask = self._rows.mask(allowed)
        return [self._search(query, k, mask) for query in queries]

    def _search(self, query: str, k: int, mask: NDArray[np.bool_] | None) -> RankedList:
        weights = weigh(query, self._analyzers.present, repeats=True)
        found = self.index.rank(weights, max(k, self.depth), sys.float_info.min, mask)
        return [
            Candidate(self._rows.chunks[one.row], one.score, rank, self.name, passage=one.passage)
            for rank, one in enumerate(found[: max(k, 0)], start=1)
        ]

    def coverage(self, query: str, chunk: Chunk) -> float:
        """How much of a question, as the chunk's language reads it, the chunk with its title and section speaks about.

        From 0 to 1; see `PassageIndex.coverage`.
        """
        analyzer = self._analyzers.of(chunk)
        if chunk.id not in self._held:
            self._held[chunk.id] = frozenset(analyzer.terms(chunk.to_passage().text))
        return self.index.coverage(self._held[chunk.id], analyzer.content(query), analyzer.related)

    def rarity(self, word: str) -> float:
        """The weight in the index of what a word is searched by; 0 for a stop word of some language."""
        weighed = (map(self.index.weight, analyzer.content(word)) for analyzer in self._analyzers.present)
        return min((max(weights, default=0.0) for weights in weighed), default=0.0)

    def best_coverage(self, query: str, found: RankedList) -> float:
        """The greatest coverage that one of the candidates reaches, 0 without any."""
        return max((self.coverage(query, candidate.chunk) for candidate in found), default=0.0)


class DenseSearcher:
    """Exact cosine search over the chunks' passages, with `Model.hashed()` unless another model is given.

    A cosine of 0 or less is no match, and a query that cannot be embedded matches nothing; ties by chunk id.
    """

    name = "dense"

    def __init__(
        self, chunks: Sequence[Chunk], model: Model | None = None, before: DenseSearcher | None = None
    ) -> None:
        """`before` is an earlier searcher, whose vectors of unchanged chunks are taken over; it changes no result."""
        self.model = model or Model.hashed()
        self._rows = _Rows(chunks)
        units = np.empty((len(self._rows.ids), self.model.dim), dtype=np.int16)
        here = None
        if before and before.model == self.model:
            there, here = self._rows.shared(before._rows, lambda chunk: (chunk.title, chunk.section, chunk.text))
            units[here] = before.index.units[there]
        others = self._rows.others(here)
        units[others] = embed_units([self._rows.chunks[row].to_passage().text for row in others], self.model)
        self.index: VectorIndex = VectorIndex(
            tuple(self._rows.ids), units, IndexMeta(self.model.name, self.model.dim, "")
        )

    def search(self, query: str, k: int = 5, allowed: Allowed = None) -> RankedList:
        """See Searcher."""
        return self.search_many([query], k, allowed)[0]

    def search_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None) -> list[RankedList]:
        """See Searcher."""
        mask = self._rows.mask(allowed)
        results: list[RankedList] = [[] for _ in queries]
        usable = [place for place, query in enumerate(queries) if unusable_reason(query) is None]
        vectors = self.model.embed_batch([queries[place] for place in usable])
        for place, scores in zip(usable, score_rows(vectors, self.index.units), strict=True):
            results[place] = self._rows.best(scores, mask, k, self.name)
        return results

    def missed(self, wanted: Wanted, k: int, depth: int, allowed: Allowed = None) -> dict[str, RankedList]:
        """See Finder."""
        usable = [query for query in wanted if unusable_reason(query) is None]
        every = score_rows(self.model.embed_batch(usable), self.index.units)
        nothing: dict[str, RankedList] = {query: [] for query in wanted.keys() - set(usable)}
        return nothing | self._rows.missed(zip(usable, every, strict=True), wanted, k, depth, allowed, self.name)


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


class _Analyzers:
    """The analyzers of the languages that some chunks are in."""

    def __init__(self, chunks: Iterable[Chunk], analysis: Analysis) -> None:
        self._analysis = analysis
        self._by_lang = {lang: analysis.of(lang) for lang in sorted({chunk.lang for chunk in chunks})}

    @property
    def present(self) -> Iterable[Analyzer]:
        """Those that a question is read by."""
        return self._by_lang.values()

    def of(self, chunk: Chunk) -> Analyzer:
        """The one that reads a chunk."""
        return self._by_lang.get(chunk.lang) or self._analysis.of(chunk.lang)


class _Rows:
    """Chunks as rows in the order of their ids, so that ties by row are ties by id."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self.chunks = sorted(chunks, key=lambda chunk: chunk.id)
        self.ids = [chunk.id for chunk in self.chunks]

    @cached_property
    def _row(self) -> Mapping[str, int]:
        return {chunk_id: row for row, chunk_id in enumerate(self.ids)}

    def shared(self, other: _Rows, content: Callable[[Chunk], object]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows there, and here, both ascending, of the chunks whose id and `content` are the same in both."""
        there, here = [], []
        for row, chunk in enumerate(self.chunks):
            old = other._row.get(chunk.id)
            if old is not None and (other.chunks[old] is chunk or content(other.chunks[old]) == content(chunk)):
                there.append(old)
                here.append(row)
        return np.array(there, dtype=np.intp), np.array(here, dtype=np.intp)

    def others(self, rows: NDArray[np.intp] | None) -> list[int]:
        """All rows but these, ascending."""
        return sorted(set(range(len(self.ids))).difference([] if rows is None else rows.tolist()))

    def mask(self, allowed: Allowed) -> NDArray[np.bool_] | None:
        """Which rows are allowed; None when all are."""
        if allowed is None:
            return None
        return np.fromiter((chunk_id in allowed for chunk_id in self.ids), dtype=np.bool_, count=len(self.ids))

    def best(self, scores: NDArray[np.floating], mask: NDArray[np.bool_] | None, k: int, source: str) -> RankedList:
        """The best `k` allowed rows with a positive score, as candidates."""
        rows = best_rows(scores, k, positive_rows(scores, mask)).tolist()
        return ranked(((self.chunks[row], float(scores[row])) for row in rows), source)

    def missed(
        self,
        scored: Iterable[tuple[str, NDArray[np.floating]]],
        wanted: Wanted,
        k: int,
        depth: int,
        allowed: Allowed,
        source: str,
    ) -> dict[str, RankedList]:
        """The best `depth` for those queries whose best `k` hold none of the chunks wanted for them."""
        mask = self.mask(allowed)
        found = {}
        for query, scores in scored:
            own = sorted(self._row[name] for name in wanted[query] if allowed is None or name in allowed)
            if not is_among_best(np.array(own, dtype=np.intp), scores, k, mask):
                found[query] = self.best(scores, mask, depth, source)
        return found
