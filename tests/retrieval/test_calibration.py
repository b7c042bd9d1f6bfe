from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.retrieval.calibration import best_floor

SCORES = st.lists(st.floats(0.001, 1.0), max_size=8)


@pytest.mark.parametrize(
    ("junk", "good", "low", "high"),
    [
        ([0.2], [0.4], 0.2, 0.4),
        ([0.2, 0.25], [0.3, 0.9], 0.25, 0.3),
        ([0.2, 0.2, 0.5], [0.3, 0.9], 0.2, 0.3),
        ([0.30001], [0.30002], 0.30001, 0.30002),
    ],
)
def test_the_floor_stands_between_junk_and_answers(
    junk: list[float], good: list[float], low: float, high: float
) -> None:
    floor = best_floor(junk, good)
    assert floor is not None
    assert low < floor <= high


@pytest.mark.parametrize(("junk", "good"), [([0.5], [0.4]), ([0.5], []), ([0.4], [0.4]), ([], [0.4])])
def test_no_floor_is_suggested_where_none_helps(junk: list[float], good: list[float]) -> None:
    assert best_floor(junk, good) is None


@given(SCORES, SCORES)
def test_no_score_would_make_a_better_floor(junk: list[float], good: list[float]) -> None:
    def wrong(floor: float) -> int:
        return sum(score >= floor for score in junk) + sum(score < floor for score in good)

    floor = best_floor(junk, good)
    if floor is None:
        assert not good or min(map(wrong, {*junk, *good}), default=0) >= len(junk)
    else:
        assert wrong(floor) <= min(map(wrong, {*junk, *good}))
        assert wrong(floor) < len(junk)
