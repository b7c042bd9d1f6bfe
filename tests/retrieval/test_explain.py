from __future__ import annotations

from fractions import Fraction
from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunk_making import chunk
from evidencedesk.retrieval.explain import explain_bm25, explain_rrf
from evidencedesk.retrieval.fusion import rrf
from evidencedesk.retrieval.searchers import DenseSearcher, HybridSearcher, SparseSearcher
from evidencedesk.text.analysis import query_terms

WORDS = st.sampled_from(["bike", "stem", "bolt", "return", "rd2-24", "the", "nm"])
SENTENCES = st.lists(WORDS, max_size=9).map(" ".join)


@settings(deadline=None)
@given(st.lists(SENTENCES, min_size=1, max_size=9), SENTENCES)
def test_term_parts_add_up_to_the_score_to_the_last_bit(texts: list[str], query: str) -> None:
    searcher = SparseSearcher([chunk(f"d:c{place}", text) for place, text in enumerate(texts)])
    for found in searcher.search(query):
        parts = explain_bm25(searcher.bm25, query_terms(query), found.chunk.id)
        # Not `sum`: from Python 3.12 on it adds floats more exactly than a search does.
        assert reduce(lambda total, part: total + part.contribution, parts, 0.0) == found.score


def test_a_term_part_says_where_its_number_comes_from() -> None:
    searcher = SparseSearcher([chunk("d:c0", "stem bolt, stem bolt"), chunk("d:c1", "stem")])
    parts = explain_bm25(searcher.bm25, ["bolt", "brake", "bolt"], "d:c0")
    assert [(part.term, part.tf, part.df, part.length) for part in parts] == [("bolt", 2, 1, 4), ("brake", 0, 0, 4)]
    bolt, brake = parts
    assert bolt.contribution == bolt.idf * 2 / (2 + 1.2 * (1 - 0.75 + 0.75 * 4 / 2.5))
    assert brake.contribution == 0
    assert explain_bm25(searcher.bm25, ["bolt"], "d:c1")[0].contribution == 0


def test_an_unknown_chunk_is_refused() -> None:
    with pytest.raises(ValueError):
        explain_bm25(SparseSearcher([]).bm25, ["bolt"], "d:c0")


@pytest.mark.parametrize("k", [0, 60])
def test_fusion_parts_are_exact_fractions_of_the_score(k: int) -> None:
    chunks = [chunk(f"d:c{place}", f"bike {'stem ' * place}") for place in range(5)]
    hybrid = HybridSearcher(SparseSearcher(chunks), DenseSearcher(chunks), rrf_k=k)
    found = hybrid.search("stem of a bike")
    assert len(found) == 5
    for candidate in found:
        parts = explain_rrf(candidate, k)
        assert [part.source for part in parts] == ["sparse", "dense"][: len(parts)]
        assert float(sum((part.share for part in parts), Fraction(0))) == candidate.score
    assert rrf([hybrid.search("stem"), hybrid.search("bike")])[0].parts[0].source == "hybrid"
