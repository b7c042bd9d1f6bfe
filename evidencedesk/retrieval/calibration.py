"""Which floor, or bar of the gate, would tell answers from junk. Invariant: measured on the workspace's own labels."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from evidencedesk.retrieval.changes import Mapped, mapped
from evidencedesk.retrieval.evaluation import Judgement


class Calibration(NamedTuple):
    """The `best` floor or bar, None when none helps; it keeps `kept` of `good` answers and silences `dropped` of
    `junk` questions that nothing answers."""

    best: float | None = None
    kept: int = 0
    good: int = 0
    dropped: int = 0
    junk: int = 0


class _Score(NamedTuple):
    """What decides about one question: a score, and whether something answers it; no score where nothing is found."""

    score: float | None
    answerable: bool


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What the scores of all questions advise, and what the next state can take over."""

    calibration: Calibration
    scores: Mapped[str, Judgement, _Score]


def calibrate(before: Calibrated | None, judgements: Mapping[str, Judgement]) -> Calibrated:
    """What the scores of these judgements advise.

    A question is judged by its grade where there is a gate; else by the score of the first chunk that answers it, or of
    the first one when nothing does.
    """
    scores = mapped(before.scores if before else None, judgements, _score)
    if before and scores.made == before.scores.made:
        return Calibrated(before.calibration, scores)
    return Calibrated(_calibration(scores.made.values()), scores)


def _score(one: Judgement) -> _Score:
    answers = {holder for place in one.places if place.gold.grade == 2 for holder in place.holders}
    ranked = zip(one.top, one.scores, strict=True)
    score = next((score for chunk, score in ranked if not one.label.answerable or chunk.id in answers), None)
    if score is not None and one.contract.gate is not None:
        score = one.grade or 0.0
    return _Score(score, one.label.answerable)


def _calibration(scores: Iterable[_Score]) -> Calibration:
    scores = list(scores)
    if all(one.answerable for one in scores):
        return Calibration()
    good = [one.score for one in scores if one.answerable and one.score is not None]
    junk = [one.score for one in scores if not one.answerable and one.score is not None]
    best = best_floor(junk, good)
    if best is None:
        return Calibration(good=len(good), junk=len(junk))
    kept, dropped = sum(score >= best for score in good), sum(score < best for score in junk)
    return Calibration(best, kept, len(good), dropped, len(junk))


def best_floor(junk: Sequence[float], good: Sequence[float]) -> float | None:
    """The floor with the fewest wrong decisions: junk that passes plus answers that do not.

    The smallest of equals, halfway between two scores, in four digits where those still separate them. None when it is
    no better than no floor at all, or when no answer has a score.
    """
    junk, good = sorted(junk), sorted(good)
    if not good:
        return None
    scores = sorted({*junk, *good})
    best, floor = len(junk), None
    for low, high in pairwise(scores):
        wrong = len(junk) - bisect_left(junk, high) + bisect_left(good, high)
        if wrong < best:
            middle = (low + high) / 2
            short = float(f"{middle:.4g}")
            best, floor = wrong, short if low < short <= high else high
    return floor
