from __future__ import annotations

import math
from collections import Counter

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidencedesk.retrieval.bm25 import BM25, Formula

WORDS = st.sampled_from(["bike", "stem", "bolt", "return", "day", "rd2-24", "খরচ", "nm"])
TEXTS = st.lists(st.lists(WORDS, max_size=12), min_size=1, max_size=12)
QUERIES = st.lists(WORDS, max_size=5)


def index(texts: list[list[str]], formula: Formula | None = None) -> BM25:
    return BM25([f"c{row}" for row in range(len(texts))], texts, formula)


def by_hand(texts: list[list[str]], query: list[str], row: int) -> float:
    """The textbook sum, one term after the other."""
    n, avg_len = len(texts), sum(map(len, texts)) / len(texts)
    score = 0.0
    for term in dict.fromkeys(query):
        tf = texts[row].count(term)
        if tf:
            df = sum(term in text for text in texts)
            idf = math.log(1 + (n - df + 0.5) / (df + 0.5))
            score += idf * tf / (tf + 1.2 * (1 - 0.75 + 0.75 * len(texts[row]) / avg_len))
    return score


@settings(deadline=None)
@given(TEXTS, QUERIES)
def test_every_score_equals_the_textbook_sum_to_the_last_bit(texts: list[list[str]], query: list[str]) -> None:
    assert index(texts).scores(query).tolist() == [by_hand(texts, query, row) for row in range(len(texts))]


@settings(deadline=None)
@given(TEXTS.filter(lambda texts: any(texts)), QUERIES.filter(bool))
def test_the_classic_gain_agrees_with_bm25s(texts: list[list[str]], query: list[str]) -> None:
    oracle = bm25s.BM25(method="lucene", k1=1.2, b=0.75, dtype="float64")
    vocabulary = {word: place for place, word in enumerate(dict.fromkeys(word for text in texts for word in text))}
    ids = [[vocabulary[word] for word in text] for text in texts]
    oracle.index(bm25s.tokenization.Tokenized(ids=ids, vocab=vocabulary), show_progress=False)
    known = [word for word in dict.fromkeys(query) if word in vocabulary]
    expected = oracle.get_scores(known) if known else np.zeros(len(texts))
    # That library's Lucene form leaves the gain out as well.
    np.testing.assert_allclose(index(texts).scores(query), expected, rtol=1e-9)


@settings(deadline=None)
@given(TEXTS, QUERIES)
def test_the_gain_only_scales(texts: list[list[str]], query: list[str]) -> None:
    plain = index(texts).scores(query)
    classic = index(texts, Formula(gain=2.2)).scores(query)
    np.testing.assert_allclose(classic, 2.2 * plain, rtol=1e-12)


@settings(deadline=None)
@given(TEXTS)
def test_statistics_count_the_whole_index(texts: list[list[str]]) -> None:
    bm25 = index(texts)
    assert bm25.n == len(texts)
    assert bm25.avg_len == sum(map(len, texts)) / len(texts)
    assert bm25.df == Counter(word for text in texts for word in set(text))
    assert bm25.length == {f"c{row}": len(text) for row, text in enumerate(texts)}


@pytest.mark.parametrize(("df", "printed"), [(1, "3.56"), (2, "3.05"), (12, "1.44")])
def test_idf_of_52_chunks_prints_the_workbench_figures(df: int, printed: str) -> None:
    texts = [["term"] if row < df else ["other"] for row in range(52)]
    assert f"{index(texts).idf('term'):.2f}" == printed


@pytest.mark.parametrize(
    ("texts", "query", "formula", "expected"),
    [
        pytest.param([], ["a"], Formula(), [], id="no texts"),
        pytest.param([[], []], ["a"], Formula(), [0.0, 0.0], id="empty texts"),
        pytest.param([["a"], ["b"]], [], Formula(), [0.0, 0.0], id="empty query"),
        pytest.param([["a"], ["b"]], ["zzz"], Formula(), [0.0, 0.0], id="unknown term"),
        pytest.param([["a"], []], ["a"], Formula(k1=0.0), [math.log(2), 0.0], id="k1 of 0 and an absent term"),
        pytest.param([[], ["a"]], ["a"], Formula(b=1.0, k1=0.0), [0.0, math.log(2)], id="b of 1 and an empty text"),
    ],
)
def test_edges_score_without_nan(
    texts: list[list[str]], query: list[str], formula: Formula, expected: list[float]
) -> None:
    assert index(texts, formula).scores(query).tolist() == expected


def test_a_repeated_query_term_counts_once() -> None:
    bm25 = index([["a", "b"], ["b"]])
    assert bm25.scores(["a", "b", "a"]).tolist() == bm25.scores(["a", "b"]).tolist()
