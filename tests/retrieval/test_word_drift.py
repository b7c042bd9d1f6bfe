"""What is said of how far weights move bounds every score."""

from __future__ import annotations

import math
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.retrieval.bm25 import Formula
from evidencedesk.retrieval.word_drift import Drift, Weights

FORMULA = Formula()
TERMS = 6
COUNTS = st.lists(st.integers(0, 40), min_size=TERMS, max_size=TERMS)
STATES = st.lists(st.tuples(st.integers(0, 8), COUNTS, st.floats(0.5, 300)), min_size=2, max_size=5)
TEXTS = st.lists(st.tuples(st.lists(st.integers(0, 5), min_size=TERMS, max_size=TERMS), st.integers(1, 500)))


def state(more: int, df: list[int], mean: float) -> Weights:
    """An index of at least as many texts as hold any term; terms behind the last that is held are not known yet."""
    known = max((term + 1 for term, count in enumerate(df) if count), default=0)
    held = SimpleNamespace(df=np.array(df[:known], dtype=np.int64))
    return Weights.of(SimpleNamespace(held=held, formula=FORMULA, n=max(df) + more, avg_len=mean))  # type: ignore[arg-type]


def growing(states: list[tuple[int, list[int], float]]) -> list[Weights]:
    """The states, each of which knows at least the terms of the one before."""
    made = []
    size = 0
    for one in states:
        weights = state(*one)
        size = max(size, len(weights.df))
        df = np.append(weights.df, np.zeros(size - len(weights.df), dtype=np.int64))
        made.append(Weights(df, weights.by_df, weights.n, weights.mean))
    return made


def score(weights: Weights, tf: list[int], length: int) -> float:
    """BM25 as in the books."""
    penalty = FORMULA.k1 * (1 - FORMULA.b + FORMULA.b * length / weights.mean)
    frequencies = [*weights.df.tolist(), *[0] * TERMS][:TERMS]
    return sum(
        FORMULA.idf(weights.n, df) * count / (count + penalty) for df, count in zip(frequencies, tf, strict=True)
    )


@given(STATES, st.sets(st.integers(0, TERMS - 1), min_size=1), TEXTS)
def test_no_two_scores_of_a_query_move_further_apart_than_is_said(
    states: list[tuple[int, list[int], float]], query: set[int], texts: list[tuple[list[int], int]]
) -> None:
    made = growing(states)
    drifts = [Drift.between(before, after) for before, after in pairwise(made)]
    said = sum(drift.spread + sum(drift.excess[np.isin(drift.terms, list(query))]) for drift in drifts)
    ways = []
    for counts, length in texts:
        tf = [count if term in query else 0 for term, count in enumerate(counts)]
        if any(tf):
            ways.append(math.log(score(made[-1], tf, length) / score(made[0], tf, length)))
    assert max(ways, default=0.0) - min(ways, default=0.0) <= said + 1e-9


@given(STATES)
def test_a_state_that_is_the_same_moves_nothing(states: list[tuple[int, list[int], float]]) -> None:
    for weights in growing(states):
        drift = Drift.between(weights, weights)
        assert (drift.spread, len(drift.terms)) == (0.0, 0)


def test_a_text_with_rare_words_moves_their_weights_and_hardly_those_of_the_others() -> None:
    before = state(1000, [3, 40, 400, 800, 2500], 30.0)
    after = state(1000, [4, 40, 400, 800, 2501], 30.0)
    drift = Drift.between(before, after)
    assert drift.terms.tolist() == [0, 4]
    assert drift.spread < 1e-3 < drift.excess[0]


def test_weights_are_those_of_the_formula() -> None:
    weights = state(10, [3, 0, 7], 2.0)
    wanted = [FORMULA.idf(17, 3), FORMULA.idf(17, 0), FORMULA.idf(17, 7), FORMULA.idf(17, 0), 0.0]
    assert weights.idf(np.array([0, 1, 2, 9, -1])).tolist() == wanted
