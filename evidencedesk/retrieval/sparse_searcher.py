"""Search by words. Invariant: statistics are of all chunks, whatever is allowed; a searcher never sees a label."""

from __future__ import annotations

from collections.abc import Sequence

from evidencedesk.retrieval.analyzers import Analyzers
from evidencedesk.retrieval.bm25 import BM25, Formula
from evidencedesk.retrieval.candidates import RankedList
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.corpus import Corpus
from evidencedesk.retrieval.digest import digest_words
from evidencedesk.retrieval.kept_pools import KeptWords, keep_words, restore_words
from evidencedesk.retrieval.searcher import Allowed, Best, Tick, untold
from evidencedesk.retrieval.word_search import WordSearch
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
        self._analysis = analysis
        self._analyzers = Analyzers(corpus.langs, analysis)
        known = before._words if before and before._analysis == analysis else None
        if known and before and before._analyzers.present != self._analyzers.present:
            known.forget()
        self._words: WordSearch = WordSearch(corpus, lambda part: part.digest.words, Formula(), known)

    @property
    def bm25(self) -> BM25:
        """The index."""
        return self._words.bm25

    def kept(self) -> KeptWords:
        """Its standing queries, to be restored over equal documents."""
        return keep_words(self._words.shelf, self._words.corpus, self._words.present)

    def restore(self, kept: KeptWords) -> None:
        """Take standing queries over that were kept of equal documents, in their order; this changes no result."""
        restore_words(kept, self._words.shelf, self._words.present)

    def terms(self, query: str) -> dict[str, float]:
        """What a query is searched by: its terms in order, with their weights."""
        return weigh(query, self._analyzers.present)

    def search(self, query: str, k: int = 5, allowed: Allowed = None) -> RankedList:
        """See Searcher. Any thread may call it."""
        return self._words.scan([query], self.terms, k, allowed, self.name)[0]

    def search_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None) -> list[RankedList]:
        """See Searcher."""
        best = self.rank_many(queries, k, allowed)
        return [best[row] for row in range(len(queries))]

    def rank_many(
        self,
        queries: Sequence[str],
        k: int = 5,
        allowed: Allowed = None,
        tick: Tick = untold,
        *,
        with_scores: bool = True,
    ) -> Best:
        """See Ranker. Whoever wants to know chunks and their order alone may forgo the scores, which are NaN then."""
        return self._words.best(queries, self.terms, k, allowed, tick, self.name, with_scores)
