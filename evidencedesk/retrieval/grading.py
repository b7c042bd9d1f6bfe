"""Grades for what a search brought. Invariant: a grade depends on the question and the texts of the hits only."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from evidencedesk.retrieval.hits import text_of
from evidencedesk.text.words import words


class Grade(StrEnum):
    """How well hits answer a question."""

    CORRECT = "correct"
    AMBIGUOUS = "ambiguous"
    INCORRECT = "incorrect"


@dataclass(frozen=True, slots=True)
class GradeResult:
    """A grade, the score it comes from (0 to 1), and a reason in plain words."""

    grade: Grade
    score: float = 0.0
    reason: str = ""


class Grader(Protocol):
    """Whatever grades the hits of a search."""

    def grade(self, query: str, hits: Sequence[Any]) -> GradeResult:
        """How well the hits, best first, answer the query."""


@dataclass(frozen=True, slots=True)
class TermCoverageGrader:
    """Grades by the share of the query's distinct words that occur in some hit.

    `accept` and more is correct, less than `reject` incorrect, what lies between ambiguous; no hits, or a query
    without words, is incorrect. `terms` makes the words of a text. Raises ValueError unless
    `0 <= reject <= accept <= 1`.
    """

    accept: float = 0.75
    reject: float = 0.25
    terms: Callable[[str], Sequence[str]] = words

    def __post_init__(self) -> None:
        _check_bars(self.accept, self.reject)

    def grade(self, query: str, hits: Sequence[Any]) -> GradeResult:
        """See Grader."""
        wanted = dict.fromkeys(self.terms(query))
        if not hits or not wanted:
            return GradeResult(Grade.INCORRECT, 0.0, "the search found nothing" if wanted else "the query has no words")
        held = {term for hit in hits for term in self.terms(text_of(hit))}
        missing = [term for term in wanted if term not in held]
        score = (len(wanted) - len(missing)) / len(wanted)
        reason = f"{len(wanted) - len(missing)} of {len(wanted)} words found"
        return _graded(score, self, reason + (f"; not found: {', '.join(missing)}" if missing else ""))


@dataclass(frozen=True, slots=True)
class BestHitGrader:
    """Grades by the hit that speaks most about the query: `share(query, hits)` gives how much, from 0 to 1.

    The bars are those of TermCoverageGrader.
    """

    share: Callable[[str, list[Any]], float]
    accept: float = 0.5
    reject: float = 0.2

    def __post_init__(self) -> None:
        _check_bars(self.accept, self.reject)

    def grade(self, query: str, hits: Sequence[Any]) -> GradeResult:
        """See Grader."""
        if not hits:
            return GradeResult(Grade.INCORRECT, 0.0, "the search found nothing")
        score = self.share(query, list(hits))
        return _graded(score, self, f"the best hit covers {score:.2f} of the question")


@dataclass(frozen=True, slots=True)
class CoverageGrader:
    """Grades by how much of the query the texts of all hits together speak about: rare words weigh more.

    `coverage(text, query)` gives that, from 0 to 1, as `BM25Index.coverage` of the lexical index does. The bars are
    those of TermCoverageGrader.
    """

    coverage: Callable[[str, str], float]
    accept: float = 0.5
    reject: float = 0.2

    def __post_init__(self) -> None:
        _check_bars(self.accept, self.reject)

    def grade(self, query: str, hits: Sequence[Any]) -> GradeResult:
        """See Grader."""
        if not hits:
            return GradeResult(Grade.INCORRECT, 0.0, "the search found nothing")
        score = self.coverage("\n".join(map(text_of, hits)), query)
        return _graded(score, self, f"coverage {score:.2f}")


class _Bars(Protocol):
    @property
    def accept(self) -> float: ...

    @property
    def reject(self) -> float: ...


def _graded(score: float, bars: _Bars, reason: str) -> GradeResult:
    if score >= bars.accept:
        return GradeResult(Grade.CORRECT, score, reason)
    return GradeResult(Grade.INCORRECT if score < bars.reject else Grade.AMBIGUOUS, score, reason)


def _check_bars(accept: float, reject: float) -> None:
    for name, value in (("accept", accept), ("reject", reject)):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(f"{name} must be a number")
        if not math.isfinite(value) or not 0 <= value <= 1:
            raise ValueError(f"{name} must be from 0 to 1")
    if reject > accept:
        raise ValueError("reject must not exceed accept")
