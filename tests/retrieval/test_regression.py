from __future__ import annotations

from types import SimpleNamespace

import pytest

from evidencedesk.retrieval.evaluation import Standing
from evidencedesk.retrieval.regression import regression

FIRST = Standing(rank=1, whole=True, in_context=True, top="a:c0")
SECOND = Standing(rank=2, whole=True, in_context=True, top="b:c0")
DROPPED = Standing(rank=2, whole=True, in_context=False, top="b:c0")
MISSED = Standing(rank=None, whole=True, in_context=False, top="b:c0")
SPLIT = Standing(rank=None, whole=False, in_context=False, top="b:c0")


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        (FIRST, FIRST, None),
        (FIRST, SECOND, "rank-regression"),
        (FIRST, DROPPED, "lost-answer"),
        (FIRST, MISSED, "lost-answer"),
        (DROPPED, MISSED, "lost-answer"),
        (FIRST, SPLIT, "newly-split"),
        (MISSED, SPLIT, "newly-split"),
        (SPLIT, SPLIT, None),
        (SECOND, FIRST, None),
        (MISSED, SECOND, None),
        (None, MISSED, None),
    ],
)
def test_the_worst_regression_is_told_alone(before: Standing | None, now: Standing, expected: str | None) -> None:
    evaluation = SimpleNamespace(label=SimpleNamespace(answerable=True), standing=now)
    assert regression(evaluation, before) == expected  # type: ignore[arg-type]


def test_a_question_without_an_answer_cannot_regress() -> None:
    evaluation = SimpleNamespace(label=SimpleNamespace(answerable=False), standing=MISSED)
    assert regression(evaluation, FIRST) is None  # type: ignore[arg-type]
