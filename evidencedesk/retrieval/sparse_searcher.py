"""Search by words. Invariant: statistics are of all chunks, whatever is allowed; a searcher never sees a label."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evidencedesk.retrieval.analyzers import Analyzers
from evidencedesk.retrieval.bm25 import BM25, Formula
from evidencedesk.retrieval.candidates import RankedList
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.corpus import Corpus, Rows
from evidencedesk.retrieval.digest import digest_words
from evidencedesk.retrieval.postings import Filed, Postings
from evidencedesk.retrieval.searcher import Allowed, Best
from evidencedesk.retrieval.selection import best_rows, positive_rows
from evidencedesk.text.analysis import Analysis, weigh


class SparseSearcher:
    """BM25 over all words of the chunks' texts; the query's stop words are dropped.

    An analysis says which languages are read otherwise. Statistics are of all chunks, whatever is allowed. Only
    positive scores are returned, ties by chunk id.
    """

    name = "sparse"

    def __init__(self, chunks: Sequence[Chunk], analysis: Analysis | None = None) -> None:
        analysis = analysis or Analysis()
        self._begin(Corpus.of_chunks(chunks, lambda own: digest_words(own, analysis)), analysis, None)

    @classmethod
    def over(cls, corpus: Corpus, analysis: Analysis, before: SparseSearcher | None = None) -> SparseSearcher:
        """The searcher of a corpus whose texts were digested by `analysis`.

        `before`, that of the corpus before, gives its postings; this changes no result.
        """
        made = cls.__new__(cls)
        made._begin(corpus, analysis, before)
        return made

    def _begin(self, corpus: Corpus, analysis: Analysis, before: SparseSearcher | None) -> None:
        self._corpus = corpus
        self._analysis = analysis
        self._analyzers = Analyzers(corpus.langs, analysis)
        if before and corpus.follows(before._corpus) and corpus.step.moved is None and before._analysis == analysis:
            gone, come = ([_filed(rows) for rows in part] for part in (corpus.step.gone, corpus.step.come))
            held = before.bm25.held.changed(gone, come, corpus.live)
        else:
            every = (Rows(part, np.arange(len(part.chunks))) for part in corpus.parts.values())
            held = Postings.of(map(_filed, every), len(corpus.chunks))
        self.bm25: BM25 = BM25.over(held, Formula(), corpus.names)

    def terms(self, query: str) -> dict[str, float]:
        """What a query is searched by: its terms in order, with their weights."""
        return weigh(query, self._analyzers.present)

    def search(self, query: str, k: int = 5, allowed: Allowed = None) -> RankedList:
        """See Searcher."""
        return self.search_many([query], k, allowed)[0]

    def search_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None) -> list[RankedList]:
        """See Searcher."""
        best = self.rank_many(queries, k, allowed)
        return [best[row] for row in range(len(queries))]

    def rank_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None) -> Best:
        """See Ranker."""
        mask = self._corpus.mask(allowed)
        slots = np.full((len(queries), max(k, 0)), -1, dtype=np.int32)
        values = np.zeros(slots.shape)
        for row, query in enumerate(queries):
            scores = self.bm25.scores(self.terms(query))
            found = best_rows(scores, k, positive_rows(scores, mask), self._corpus.order)
            slots[row, : len(found)] = found
            values[row, : len(found)] = scores[found]
        return Best(slots, values, [object() for _ in queries], self._corpus.chunks, self.name)


def _filed(rows: Rows) -> Filed:
    return Filed(rows.part.digest.words, rows.rows, rows.slots)
