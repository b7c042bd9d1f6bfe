"""BM25 over a corpus. Invariant: what was taken over from an earlier state changes no result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.bm25 import BM25, Formula
from evidencedesk.retrieval.corpus import Corpus, Part, Rows
from evidencedesk.retrieval.digest import Bags
from evidencedesk.retrieval.postings import Filed, Postings
from evidencedesk.retrieval.searcher import Allowed, Best, Tick, new_marks
from evidencedesk.retrieval.selection import best_rows, positive_rows
from evidencedesk.retrieval.standing import Shelf, gather
from evidencedesk.retrieval.word_drift import Drift, Weights
from evidencedesk.retrieval.word_pools import Present, Terms, WordPool, width_of

_TOGETHER = 256
"""How many queries are searched for in full at a time; between them it is told how many are done."""
_ENTRIES = 1 << 20
"""How many texts may hold their terms, each counted by itself: that is the room that a search takes."""


class WordSearch:
    """Finds the chunks of a corpus by terms; `bags` gives those of a document's chunks, in their order.

    `before` is the search over the corpus before, of the same kind, for the same kind of questions.
    """

    def __init__(
        self, corpus: Corpus, bags: Callable[[Part], Bags], formula: Formula, before: WordSearch | None = None
    ) -> None:
        self.corpus = corpus
        self.shelf: Shelf[WordPool] = Shelf()
        if before and not corpus.follows(before.corpus):
            before = None
        if before and corpus.step.moved is None:
            gone, come = ([_filed(rows, bags) for rows in part] for part in (corpus.step.gone, corpus.step.come))
            held = before.bm25.held.changed(gone, come, corpus.live)
        else:
            every = (Rows(part, np.arange(len(part.chunks))) for part in corpus.parts.values())
            terms = before.bm25.held.terms if before else None
            held = Postings.of((_filed(rows, bags) for rows in every), corpus.live, terms)
        self.bm25: BM25 = BM25.over(held, formula, corpus.names)
        self.present = Present(self.bm25, Weights.of(self.bm25), 0.0, corpus.order)
        if before:
            self._take_over(before)

    def _take_over(self, before: WordSearch) -> None:
        """Go on with the standing queries of the search before, which loses them."""
        self.shelf, before.shelf = before.shelf, Shelf()
        self.shelf.settle()
        step, weights = self.corpus.step, self.present.weights
        drift = Drift.between(before.present.weights, weights)
        self.present = replace(self.present, drift=before.present.drift + drift.spread)
        gone = np.concatenate([np.zeros(0, dtype=np.int32), *(rows.slots for rows in step.gone)])
        for pool, mask in self.shelf.pools(self.corpus):
            if step.moved is None:
                pool.stir(step.touched)
                pool.advance(self.present, drift, gone, mask, len(before.corpus.chunks))
            else:
                pool.move(step.moved)
                pool.follow(self.present)

    def forget(self) -> None:
        """Forget all standing queries."""
        self.shelf = Shelf()

    def best(
        self,
        queries: Sequence[str],
        terms_of: Callable[[str], Mapping[str, float]],
        k: int,
        allowed: Allowed,
        tick: Tick,
        source: str,
        with_scores: bool = True,
    ) -> Best:
        """The best `k` for each query; queries that are asked in every state of a corpus have pools (see `pools`).

        `terms_of` gives a query's terms with their weights, in the order in which they add up. Without scores, which
        are NaN then, less is computed.
        """
        formula = self.bm25.formula
        standing = self.shelf.of(self.corpus, allowed, k) if formula.k1 * (1 - formula.b) > 0 else None
        mask = self.corpus.mask(allowed)
        if standing is None:
            return self.scan(queries, terms_of, k, allowed, source)
        new: dict[int, dict[str, Terms]] = {}
        for query in standing.unknown(queries):
            terms = {self.bm25.held.number(term): weight for term, weight in terms_of(query).items()}
            new.setdefault(width_of(terms), {})[query] = terms
        for width, planned in new.items():
            standing.add(width, list(planned), WordPool(k, list(planned.values()), width))

        def renew(pool: WordPool, rows: NDArray[np.intp], told: Callable[[int], None]) -> None:
            start, entries = 0, np.cumsum(self.present.weights.frequency(pool.terms[rows]).sum(axis=1))
            while start < len(rows):
                told(start)
                few = int(np.searchsorted(entries, (entries[start - 1] if start else 0) + _ENTRIES))
                end = min(start + _TOGETHER, max(start + 1, few))
                pool.renew(rows[start:end], self.present, mask)
                start = end

        return gather(standing, queries, k, renew, tick, self.corpus.chunks, source, with_scores)

    def scan(
        self,
        queries: Sequence[str],
        terms_of: Callable[[str], Mapping[str, float]],
        k: int,
        allowed: Allowed,
        source: str,
    ) -> Best:
        """The same as `best`, by scoring every chunk: slower, but no pool is touched, so any thread may call it."""
        mask = self.corpus.mask(allowed)
        slots = np.full((len(queries), max(k, 0)), -1, dtype=np.int32)
        values = np.zeros(slots.shape)
        for row, query in enumerate(queries):
            scores = self.bm25.scores(terms_of(query))
            found = best_rows(scores, k, positive_rows(scores, mask), self.corpus.order)
            slots[row, : len(found)] = found
            values[row, : len(found)] = scores[found]
        return Best(slots, values, new_marks(len(queries)), self.corpus.chunks, source)


def _filed(rows: Rows, bags: Callable[[Part], Bags]) -> Filed:
    return Filed(bags(rows.part), rows.rows, rows.slots)
