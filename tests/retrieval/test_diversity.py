"""Diversity of ranked lists of chunks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunk_making import chunk
from evidencedesk.retrieval.candidates import RankedList, ids, ranked
from evidencedesk.retrieval.diversity import diversify, redundancy
from evidencedesk.retrieval.embedding import Model
from evidencedesk.text.words import words

TEXTS = {
    "a:c0": "You can return a bike within 30 days of delivery.",
    "b:c0": "You can return a bike within 30 days of delivery!",
    "c:c0": "The stem bolts of a size M want 5 Nm.",
}
FOUND = ranked(
    [(chunk(name, text), score) for (name, text), score in zip(TEXTS.items(), (9.0, 8.9, 6.0), strict=True)], "sparse"
)


def vectors(found: RankedList) -> np.ndarray:
    return Model.hashed().embed_batch([candidate.chunk.to_passage().text for candidate in found])


def test_a_copy_of_the_best_falls_behind_another_subject() -> None:
    spread = diversify(FOUND, vectors(FOUND), 0.5)
    assert ids(spread) == ["a:c0", "c:c0", "b:c0"]
    assert [(one.rank, one.score, one.source) for one in spread] == [
        (1, 9.0, "sparse"),
        (2, 6.0, "sparse"),
        (3, 8.9, "sparse"),
    ]
    assert ids(diversify(FOUND, vectors(FOUND), 0.5, k=2)) == ["a:c0", "c:c0"]


@given(st.lists(st.sampled_from([0.0, 0.5, 0.5000001, 3.0, 7.25]), max_size=8), st.integers(0, 9))
def test_a_weight_of_one_leaves_a_ranking_as_it_is(scores: list[float], k: int) -> None:
    found = ranked([(chunk(f"d{at}:c0", "x"), score) for at, score in enumerate(sorted(scores)[::-1])], "dense")
    assert diversify(found, np.ones((len(found), 2)), 1.0, k) == found[:k]


@given(st.lists(st.floats(-10, 10), max_size=8), st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_diversity_reorders_and_adds_nothing(scores: list[float], lambda_: float, seed: int) -> None:
    found = ranked([(chunk(f"d{at}:c0", "x"), score) for at, score in enumerate(scores)], "dense")
    spread = diversify(found, np.random.default_rng(seed).normal(size=(len(found), 3)), lambda_)
    assert sorted(ids(spread)) == sorted(ids(found))
    assert [one.rank for one in spread] == list(range(1, len(found) + 1))


def test_a_weight_outside_its_range_is_refused() -> None:
    with pytest.raises(ValueError, match="lambda_"):
        diversify([], np.zeros((0, 3)), 2.0)


@pytest.mark.parametrize(
    ("texts", "k", "expected"),
    [
        ([], 5, 0.0),
        (["a b"], 5, 0.0),
        (["a b", "c d"], 5, 0.0),
        (["a b", "b a", "a a b"], 5, 1.0),
        (["a b c", "b c d", "a b c"], 5, (2 / 4 + 1) / 2),
        (["a b c", "b c d", "a b c"], 2, 2 / 4),
        (["", ""], 5, 0.0),
    ],
)
def test_redundancy_is_the_mean_likeness_to_what_stands_above(texts: list[str], k: int, expected: float) -> None:
    assert redundancy([set(words(text)) for text in texts], k) == expected


def test_redundancy_falls_when_a_ranking_is_diversified() -> None:
    before, after = (
        redundancy([set(words(one.chunk.text)) for one in found], 2)
        for found in (FOUND, diversify(FOUND, vectors(FOUND), 0.5))
    )
    assert after < before == 1.0
