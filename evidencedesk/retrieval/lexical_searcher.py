"""Search by stems, synonyms and the densest passage. Invariant: a chunk is read in its own language."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.analyzers import Analyzers
from evidencedesk.retrieval.candidates import Candidate, RankedList
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.corpus import Corpus
from evidencedesk.retrieval.digest import digest_nothing
from evidencedesk.retrieval.passages import Entry, PassageIndex, RetrievalConfig
from evidencedesk.retrieval.searcher import Allowed
from evidencedesk.text.analysis import Analysis, snowball, weigh


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
        self._begin(Corpus.of_chunks(chunks, digest_nothing), analysis or Analysis(), depth, config)

    @classmethod
    def over(cls, corpus: Corpus, analysis: Analysis, depth: int) -> LexicalSearcher:
        """The searcher of a corpus; of its digests nothing is read."""
        made = cls.__new__(cls)
        made._begin(corpus, analysis, depth, None)
        return made

    def _begin(self, corpus: Corpus, analysis: Analysis, depth: int, config: RetrievalConfig | None) -> None:
        self.depth = depth
        self._corpus = corpus
        self._analyzers = Analyzers(corpus.langs, Analysis(analysis.by_lang, lambda lang: snowball(lang or "en")))
        self._config = config or RetrievalConfig()
        self._held: dict[str, frozenset[str]] = {}

    @cached_property
    def _slots(self) -> NDArray[np.intp]:
        """The live slots in the order of their chunks' ids: the rows of the index."""
        slots = np.flatnonzero(self._corpus.live)
        return slots[np.argsort(self._corpus.order[slots], kind="stable")]

    @cached_property
    def _chunks(self) -> list[Chunk]:
        return [self._corpus.chunks[slot] for slot in self._slots.tolist()]

    @cached_property
    def index(self) -> PassageIndex:
        """The chunks as rows in the order of their ids."""
        entries = [Entry(one.text, one.section, self._analyzers.of(one.lang).terms) for one in self._chunks]
        return PassageIndex(entries, self._config)

    def search(self, query: str, k: int = 5, allowed: Allowed = None) -> RankedList:
        """See Searcher."""
        return self.search_many([query], k, allowed)[0]

    def search_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None) -> list[RankedList]:
        """See Searcher."""
        mask = None if allowed is None else self._corpus.mask(allowed)[self._slots]
        return [self._search(query, k, mask) for query in queries]

    def _search(self, query: str, k: int, mask: NDArray[np.bool_] | None) -> RankedList:
        weights = weigh(query, self._analyzers.present, repeats=True)
        found = self.index.rank(weights, max(k, self.depth), sys.float_info.min, mask)
        return [
            Candidate(self._chunks[one.row], one.score, rank, self.name, passage=one.passage)
            for rank, one in enumerate(found[: max(k, 0)], start=1)
        ]

    def coverage(self, query: str, chunk: Chunk) -> float:
        """How much of a question, as the chunk's language reads it, the chunk with its title and section speaks about.

        From 0 to 1; see `PassageIndex.coverage`.
        """
        analyzer = self._analyzers.of(chunk.lang)
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
