"""Search by words. Invariant: statistics are of all chunks, whatever is allowed; a searcher never sees a label."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.analyzers import Analyzers
from evidencedesk.retrieval.bm25 import BM25, Formula
from evidencedesk.retrieval.candidates import RankedList
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.corpus import Corpus, Mask, Rows
from evidencedesk.retrieval.digest import digest_words
from evidencedesk.retrieval.kept_pools import KeptWords, keep_words, restore_words
from evidencedesk.retrieval.postings import Filed, Postings
from evidencedesk.retrieval.searcher import Allowed, Best, Tick, untold
from evidencedesk.retrieval.selection import best_rows, positive_rows
from evidencedesk.retrieval.standing import Shelf, gather
from evidencedesk.retrieval.word_pools import Terms, WordPool, width_of
from evidencedesk.text.analysis import Analysis, weigh

_TOLD = 16
"""After how many searches in full it is told how far they are."""


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
        self._shelf: Shelf[WordPool] = Shelf()
        if before and not (corpus.follows(before._corpus) and before._analysis == analysis):
            before = None
        if before and corpus.step.moved is None:
            gone, come = ([_filed(rows) for rows in part] for part in (corpus.step.gone, corpus.step.come))
            held = before.bm25.held.changed(gone, come, corpus.live)
        else:
            every = (Rows(part, np.arange(len(part.chunks))) for part in corpus.parts.values())
            held = Postings.of(map(_filed, every), len(corpus.chunks), before.bm25.held.terms if before else None)
        self.bm25: BM25 = BM25.over(held, Formula(), corpus.names)
        if before and before._analyzers.present == self._analyzers.present:
            self._take_over(before)

    def _take_over(self, before: SparseSearcher) -> None:
        """Go on with the standing queries of the searcher before."""
        self._shelf, before._shelf = before._shelf, Shelf()
        self._shelf.settle()
        step = self._corpus.step
        pools = list(self._shelf.pools(self._corpus))
        idf = self._idf(*(pool.terms for pool, _ in pools))
        for pool, mask in pools:
            if step.moved is None:
                pool.stir(step.touched)
                pool.advance(self.bm25, idf, mask, self._corpus.order, len(before._corpus.chunks))
            else:
                pool.move(step.moved)

    def _idf(self, *terms: NDArray[np.int64]) -> NDArray[np.float64]:
        """The weights of these terms by their numbers, and 0 behind for no term."""
        held = self.bm25.held
        wanted = np.zeros(len(held.terms) + 1, dtype=np.bool_)
        for numbers in terms:
            wanted[numbers] = True
        places = np.flatnonzero(wanted[:-1])
        df = np.zeros(len(places), dtype=np.int64)
        df[: np.searchsorted(places, len(held.df))] = held.df[places[places < len(held.df)]]
        distinct, which = np.unique(df, return_inverse=True)
        idf = np.zeros(len(wanted))
        idf[places] = np.array([self.bm25.formula.idf(self.bm25.n, count) for count in distinct.tolist()])[which]
        return idf

    def kept(self) -> KeptWords:
        """Its standing queries, to be restored over equal documents."""
        return keep_words(self._shelf, self._corpus, self.bm25.held)

    def restore(self, kept: KeptWords) -> None:
        """Take standing queries over that were kept of equal documents, in their order; this changes no result."""
        restore_words(kept, self._shelf, self.bm25.held)

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

    def rank_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None, tick: Tick = untold) -> Best:
        """See Ranker. Queries that are asked in every state of a corpus have pools (see `pools`)."""
        standing = self._shelf.of(self._corpus, allowed, k)
        mask = self._corpus.mask(allowed)
        if standing is None:
            return self._scan(queries, k, mask)
        new: dict[int, dict[str, Terms]] = {}
        for query in standing.unknown(queries):
            terms = {self.bm25.held.number(term): weight for term, weight in self.terms(query).items()}
            new.setdefault(width_of(terms), {})[query] = terms
        for width, planned in new.items():
            standing.add(width, list(planned), WordPool(k, list(planned.values()), width))
        sums = np.zeros(len(self._corpus.chunks))

        def renew(pool: WordPool, rows: NDArray[np.intp], told: Callable[[int], None]) -> None:
            idf = self._idf(pool.terms[rows])
            for done, row in enumerate(rows.tolist()):
                if done % _TOLD == 0:
                    told(done)
                pool.renew(row, self.bm25, idf, mask, self._corpus.order, sums)

        return gather(standing, queries, k, renew, tick, self._corpus.chunks, self.name)

    def _scan(self, queries: Sequence[str], k: int, mask: Mask) -> Best:
        """Score every chunk for every query."""
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
