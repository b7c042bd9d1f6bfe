"""The hybrid primitives against their table of cases, and against their definitions."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.retrieval import primitives
from evidencedesk.retrieval.bm25 import BM25
from evidencedesk.retrieval.primitives import (
    HashedNGramEmbedder,
    bm25_scores,
    mmr,
    rank_by_score,
    reciprocal_rank_fusion,
)

TABLE = json.loads((Path(__file__).parent / "cases" / "hybrid_primitives.json").read_text(encoding="utf-8"))
WORDS = st.sampled_from("abcdef")
TEXTS = st.lists(st.lists(WORDS, max_size=8), max_size=8)
VECTORS = st.integers(0, 2**32 - 1).map(lambda seed: unit(np.random.default_rng(seed).normal(size=(9, 4))))


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def function(name: str) -> Callable[..., Any]:
    return HashedNGramEmbedder().embed if name == "HashedNGramEmbedder.embed" else getattr(primitives, name)


def plain(value: Any, expected: Any) -> Any:
    """An array as the table writes it: a list, or a mapping of the places that are not zero."""
    if isinstance(expected, Mapping):
        return {str(place): float(value[place]) for place in np.flatnonzero(value)}
    return value.tolist() if isinstance(value, np.ndarray) else value


def agrees(value: Any, expected: Any, tolerance: float | None) -> bool:
    value = plain(value, expected)
    return value == (expected if tolerance is None else pytest.approx(expected, abs=tolerance, rel=0))


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: case["id"])
def test_case_of_the_table(case: Mapping[str, Any]) -> None:
    call, expected = function(case["fn"]), case["expect"]
    if isinstance(expected, Mapping) and "raises" in expected:
        with pytest.raises(ValueError, match=expected["message"].replace("[", r"\[")):
            call(**case["args"])
        return
    one = isinstance(case["args"], Mapping)
    for arguments, wanted in zip(*([case["args"]], [expected]) if one else (case["args"], expected), strict=True):
        assert agrees(call(**arguments), wanted, case.get("tol"))


@given(TEXTS, st.lists(WORDS, max_size=4))
def test_the_classic_factor_scales_the_searchers_score(texts: list[list[str]], query: list[str]) -> None:
    names = [str(row) for row in range(len(texts))]
    np.testing.assert_allclose(
        bm25_scores(query, texts, k1=1.2), 2.2 * BM25(names, texts).scores(query), rtol=1e-12, atol=0
    )


@given(TEXTS, st.lists(WORDS, max_size=4), st.sampled_from([0.0, 1.5]), st.sampled_from([0.0, 0.75, 1.0]))
def test_scores_are_numbers_and_absent_terms_add_nothing(
    texts: list[list[str]], query: list[str], k1: float, b: float
) -> None:
    scores = bm25_scores(query, texts, k1, b)
    assert scores.shape == (len(texts),)
    assert [score > 0 for score in scores] == [bool(set(query) & set(text)) for text in texts]


def test_ranking_keeps_positive_scores_and_breaks_ties_by_id() -> None:
    assert rank_by_score([0.0, 2.0, math.nan, -1.0, 5.0, 2.0]) == [4, 1, 5]
    assert rank_by_score([]) == []


@given(st.lists(st.lists(st.integers(0, 6), max_size=7), max_size=4), st.integers(0, 70))
def test_fusion_orders_by_exact_totals_then_by_id(rankings: list[list[int]], k: int) -> None:
    totals: dict[int, Fraction] = {}
    for ranking in rankings:
        for position, name in enumerate(ranking, start=1):
            totals[name] = totals.get(name, Fraction(0)) + Fraction(1, k + position)
    assert reciprocal_rank_fusion(rankings, k) == sorted(totals, key=lambda name: (-totals[name], name))


def test_ties_go_by_id_and_not_by_best_place() -> None:
    assert reciprocal_rank_fusion([[9, 5], [7, 5]], k=0) == [5, 7, 9]
    with pytest.raises(ValueError, match="k must not be negative"):
        reciprocal_rank_fusion([[1]], k=-1)


def mmr_by_definition(
    query: np.ndarray, vectors: np.ndarray, candidates: list[int], lambda_: float, k: int
) -> list[int]:
    picked: list[int] = []
    while len(picked) < min(k, len(candidates)):
        rest = [name for name in candidates if name not in picked]
        values = [
            lambda_ * float((vectors[name] * query).sum())
            - (1 - lambda_) * max((float((vectors[name] * vectors[other]).sum()) for other in picked), default=0.0)
            for name in rest
        ]
        picked.append(rest[values.index(max(values))])
    return picked


@given(VECTORS, st.permutations(range(8)), st.integers(0, 8), st.floats(0, 1), st.integers(-2, 10))
def test_mmr_picks_as_its_definition_says(
    vectors: np.ndarray, order: list[int], size: int, lambda_: float, k: int
) -> None:
    query, documents, candidates = vectors[8], vectors[:8], order[:size]
    assert mmr(query, documents, candidates, lambda_, k) == mmr_by_definition(query, documents, candidates, lambda_, k)


@pytest.mark.parametrize("lambda_", [-0.1, 1.0001, math.nan, math.inf])
def test_mmr_refuses_a_weight_outside_its_range_before_anything_else(lambda_: float) -> None:
    with pytest.raises(ValueError, match=r"lambda_ must be in \[0, 1\]"):
        mmr([1.0], [], [], lambda_)


def test_mmr_returns_a_repeated_candidate_once() -> None:
    assert mmr([1.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], [1, 0, 1, 0], 0.5, 4) == [0, 1]


@given(st.lists(st.text(max_size=12), max_size=5), st.integers(1, 40), st.integers(1, 5))
def test_embeddings_have_length_one_or_none_and_ignore_their_batch(texts: list[str], dim: int, n: int) -> None:
    embedder = HashedNGramEmbedder(dim, n)
    rows = embedder.embed_batch(texts)
    assert rows.shape == (len(texts), dim)
    for text, row in zip(texts, rows, strict=True):
        assert embedder.embed(text).tolist() == row.tolist()
        assert np.linalg.norm(row) == pytest.approx(1.0 if row.any() else 0.0)


def test_an_embedder_needs_room_and_letters() -> None:
    for arguments in ({"dim": 0}, {"n": 0}):
        with pytest.raises(ValueError, match="at least 1"):
            HashedNGramEmbedder(**arguments)
