"""A short search misses no text that can be among the best, and lookups of many terms are those of each."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunk_making import chunk
from evidencedesk.documents.markdown import parse_document
from evidencedesk.retrieval import word_contenders
from evidencedesk.retrieval.corpus import Corpus
from evidencedesk.retrieval.digest import digest_words
from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.retrieval.sparse_searcher import SparseSearcher
from evidencedesk.retrieval.word_contenders import find_contenders
from evidencedesk.retrieval.word_drift import Weights
from evidencedesk.text.analysis import Analysis

DOCUMENT = parse_document("any.md", "")
# Rare ones first.
WORDS = ["axle", "rim", "stem", "seat", "oil", "oil", "oil", "bike", "bike", "bike", "bike", "bike", "bike", "bike"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join), max_size=60)
TERMS = sorted(set(WORDS))
QUERIES = st.lists(st.lists(st.integers(-1, len(TERMS)), min_size=4, max_size=4, unique=True), min_size=1, max_size=5)


def searcher_of(texts: list[str], later: list[str]) -> SparseSearcher:
    """Over the texts of two pages, of which the second has changed, so that slots are dead and some in the tail."""
    make = partial(digest_words, analysis=Analysis())

    def cut(name: str, own: list[str]) -> ChunkedDocument:
        return ChunkedDocument(DOCUMENT, tuple(chunk(f"{name}:c{place}", text) for place, text in enumerate(own)))

    corpus = Corpus.of({"a": cut("a", texts), "b": cut("b", later[::-1])}, make)
    before = SparseSearcher.over(corpus, Analysis())
    return SparseSearcher.over(corpus.changed({"a": cut("a", texts), "b": cut("b", later)}, make), Analysis(), before)


@given(st.sampled_from([0, 20, 2048]), TEXTS, TEXTS, QUERIES, st.integers(1, 8))
def test_no_text_that_can_be_among_the_best_is_missing(
    many: int, texts: list[str], later: list[str], queries: list[list[int]], count: int
) -> None:
    bm25 = searcher_of(texts, later).bm25
    numbers = [bm25.held.number(term) for term in TERMS]
    terms = np.array([[numbers[one] if 0 <= one < len(TERMS) else -1 for one in query] for query in queries])
    most = Weights.of(bm25).idf(terms)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_contenders, "_MANY", many)
        found = find_contenders(bm25, terms, most, count, bm25.held.live)
    for row, query in enumerate(queries):
        scores = bm25.scores([TERMS[one] for one in query if 0 <= one < len(TERMS)])
        scores[~bm25.held.live] = 0.0
        slots = found.slots[found.owners == row]
        assert sorted(set(slots.tolist())) == slots.tolist()
        others = np.delete(scores, slots)
        assert others.max(initial=0.0) <= found.bound[row] + 1e-12
        best = np.sort(scores[scores > 0])[::-1][:count]
        assert np.array_equal(np.sort(scores[slots])[::-1][: len(best)], best)


@given(TEXTS, TEXTS)
def test_lookups_of_many_terms_are_those_of_each(texts: list[str], later: list[str]) -> None:
    held = searcher_of(texts, later).bm25.held
    terms = np.array([-1, *range(len(held.terms) + 2)])
    which, slots, counts = held.of_terms(terms)
    for place, term in enumerate(terms.tolist()):
        own = (which == place) & held.live[slots]
        wanted = held.of_term(term) if term >= 0 else (held.slots[:0], held.counts[:0])
        assert (slots[own].tolist(), counts[own].tolist()) == (wanted[0].tolist(), wanted[1].tolist())
        live = np.flatnonzero(held.live).astype(np.int32)
        told = dict(zip(wanted[0].tolist(), wanted[1].tolist(), strict=True))
        found = held.counts_of(np.full(len(live), term), live)
        assert found.tolist() == [told.get(slot, 0) for slot in live.tolist()]
