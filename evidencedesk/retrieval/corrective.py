"""Grade what a search brought; then accept it, search again, or abstain. Invariant: the result tells every failure.

After the idea of corrective retrieval (Yan et al. 2024), with graders and rewrites that need no language model.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any, Literal

from evidencedesk.retrieval.candidates import Candidate, Contribution
from evidencedesk.retrieval.fusion import K, fuse
from evidencedesk.retrieval.grading import CoverageGrader, Grade, Grader, GradeResult, TermCoverageGrader
from evidencedesk.retrieval.hits import hits_of, id_of
from evidencedesk.retrieval.outcomes import RetrievalScores, evaluate_retrieval

__all__ = [
    "CorrectionError",
    "CorrectionResult",
    "CorrectionRound",
    "CorrectiveRetrieval",
    "CoverageGrader",
    "FusionPolicy",
    "Grade",
    "GradeResult",
    "Grader",
    "RetrievalExecutionPlan",
    "RetrievalScores",
    "TermCoverageGrader",
    "Verdict",
    "evaluate_retrieval",
]


class Verdict(StrEnum):
    """What became of a query: answered at once, after a retry, perhaps, or not."""

    ACCEPTED = "accepted"
    CORRECTED = "corrected"
    PARTIAL = "partial"
    ABSTAINED = "abstained"


ErrorCode = Literal[
    "SEARCH_FAILED",
    "SEARCH_CANCELLED",
    "SEARCH_DEGRADED",
    "GRADE_FAILED",
    "REWRITE_FAILED",
    "FUSE_FAILED",
    "DEADLINE_EXCEEDED",
]


@dataclass(frozen=True, slots=True)
class CorrectionError:
    """What failed in which round (`r1`, `r2` …)."""

    code: ErrorCode
    message: str
    round: str


@dataclass(frozen=True, slots=True)
class CorrectionRound:
    """One search. `name` is `r` and its number from 1; `error` is the first thing that failed in it, if anything."""

    name: str
    query: str
    hits: tuple[Any, ...]
    grade: GradeResult
    error: CorrectionError | None = None


@dataclass(frozen=True, slots=True)
class CorrectionResult:
    """What a query got. Iterates over its hits, best first."""

    query: str
    verdict: Verdict
    hits: tuple[Any, ...]
    rounds: tuple[CorrectionRound, ...]
    errors: tuple[CorrectionError, ...] = ()

    @property
    def degraded(self) -> bool:
        """Whether anything failed on the way."""
        return bool(self.errors)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.hits)


@dataclass(frozen=True, slots=True)
class RetrievalExecutionPlan:
    """How a round searches: which method of the index it calls, and the arguments given unless the caller's differ."""

    method: str = "search"
    search_kwargs: Mapping[str, Any] = field(default_factory=dict)

    def run(self, index: Any, query: str, **search_kwargs: Any) -> Any:
        """The response of the index."""
        return getattr(index, self.method)(query, **{**self.search_kwargs, **search_kwargs})


@dataclass(frozen=True, slots=True)
class FusionPolicy:
    """How ambiguous rounds become one list: reciprocal rank fusion with the constant `k`.

    `weights` are by round name, 1 unless named; a round of weight 0 gives no hit. `top_k` cuts the result. Raises
    TypeError for a value of the wrong type and ValueError for one out of range.
    """

    k: int = K
    weights: Mapping[str, float] | None = None
    top_k: int | None = None

    def __post_init__(self) -> None:
        _check_int("k", self.k, 0)
        if self.weights is not None and not isinstance(self.weights, Mapping):
            raise TypeError("weights must be a mapping from round names to numbers")
        for name, weight in (self.weights or {}).items():
            _check_number(f"the weight of {name}", weight)
        if self.top_k is not None:
            _check_int("top_k", self.top_k, 1)

    def fuse(self, rounds: Sequence[CorrectionRound]) -> tuple[Any, ...]:
        """The hits of these rounds, best first.

        One round is only weighed and cut. Several need an id of every hit, and a hit is that of the first round that
        has it; equal totals go to the better best place, then to the earlier round. A Candidate gets its new rank
        and, as its score, its total. Raises ValueError when a hit has no id.
        """
        legs = [(one, weight) for one in rounds if (weight := Fraction((self.weights or {}).get(one.name, 1)))]
        if len(rounds) == 1:
            return tuple(hit for one, _ in legs for hit in one.hits)[: self.top_k]
        identified = {one.name: [_identity(hit) for hit in one.hits] for one in rounds}
        # Whole numbers in the same proportion keep the fusion exact.
        scale = math.lcm(*(weight.denominator for _, weight in legs))
        totals = fuse([identified[one.name] for one, _ in legs], self.k, [int(weight * scale) for _, weight in legs])
        best = sorted(totals.values(), key=lambda total: (-total.weight, total.best))[: self.top_k]
        return tuple(
            _placed(
                [(legs[place][0], position) for place, position in total.places],
                rank,
                float(Fraction(total.numerator, total.denominator * scale)),
            )
            for rank, total in enumerate(best, start=1)
        )


Rewrite = Callable[[str, tuple[CorrectionRound, ...]], str | None]
"""Proposes another wording of the original query, given the rounds so far; None when it has none."""

Clock = Callable[[], float]
"""The time in seconds from any fixed moment."""


@dataclass(frozen=True)
class CorrectiveRetrieval:
    """Searches, grades the hits with the original query, and searches again with a rewritten one while they fail.

    `plan` runs a search (None: the index's own `search`), `grader` grades (None: TermCoverageGrader), and `rewrite`
    proposes the next wording (None: there is only one round). No round begins `deadline_seconds` or more after the
    first, by `clock` (None: the system's). `on_error="raise"` lets failures of search, grader and rewrite out; else
    they are recorded. Raises TypeError for a value of the wrong type and ValueError for one out of range.
    """

    plan: Any = None
    grader: Any = None
    rewrite: Rewrite | None = None
    max_rounds: int = 2
    fusion: FusionPolicy | None = None
    deadline_seconds: float | None = None
    on_error: str = "degrade"
    clock: Clock | None = None

    def __post_init__(self) -> None:
        if self.plan is not None and not callable(getattr(self.plan, "run", None)):
            raise TypeError("plan must have a method run")
        if self.grader is not None and not callable(getattr(self.grader, "grade", None)):
            raise TypeError("grader must have a method grade")
        if self.rewrite is not None and not callable(self.rewrite):
            raise TypeError("rewrite must be callable")
        _check_int("max_rounds", self.max_rounds, 1)
        if self.fusion is not None and not isinstance(self.fusion, FusionPolicy):
            raise TypeError("fusion must be a FusionPolicy")
        if self.deadline_seconds is not None:
            _check_number("deadline_seconds", self.deadline_seconds)
        if not isinstance(self.on_error, str):
            raise TypeError("on_error must be a str")
        if self.on_error not in ("degrade", "raise"):
            raise ValueError("on_error must be 'degrade' or 'raise'")
        if self.clock is not None and not callable(self.clock):
            raise TypeError("clock must be callable")

    def run(self, index: Any, query: str, **search_kwargs: Any) -> CorrectionResult:
        """Retrieve for a query; every round gets `search_kwargs`. Raises TypeError or ValueError for an unusable one.

        A correct round ends it: accepted in the first, corrected in a later one, with that round's hits alone. Else
        the ambiguous rounds are fused: partial when that leaves hits, abstained when it does not.
        """
        if not isinstance(query, str):
            raise TypeError("query must be a str")
        if not query.strip():
            raise ValueError("query must not be empty")
        return _Run(self, index, query, search_kwargs).result()

    def bind(self, index: Any, **search_kwargs: Any) -> Callable[[str], CorrectionResult]:
        """`run` over this index, as a function of the query."""
        return lambda query: self.run(index, query, **search_kwargs)


class _Run:
    """One query on its way."""

    def __init__(self, policy: CorrectiveRetrieval, index: Any, query: str, search_kwargs: Mapping[str, Any]) -> None:
        self.policy = policy
        self.index = index
        self.query = query
        self.search_kwargs = search_kwargs
        self.plan = policy.plan or RetrievalExecutionPlan()
        self.grader: Grader = policy.grader or TermCoverageGrader()
        self.clock = policy.clock or time.monotonic
        self.began = self.clock()
        self.rounds: list[CorrectionRound] = []
        self.errors: list[CorrectionError] = []

    def result(self) -> CorrectionResult:
        wording: str | None = self.query
        while wording is not None:
            self.rounds.append(self._round(wording))
            if self.rounds[-1].grade.grade is Grade.CORRECT:
                verdict = Verdict.ACCEPTED if len(self.rounds) == 1 else Verdict.CORRECTED
                return self._end(verdict, self.rounds[-1].hits)
            wording = self._next_wording()
        hits = self._fused([one for one in self.rounds if one.grade.grade is Grade.AMBIGUOUS])
        return self._end(Verdict.PARTIAL if hits else Verdict.ABSTAINED, hits)

    def _end(self, verdict: Verdict, hits: tuple[Any, ...]) -> CorrectionResult:
        return CorrectionResult(self.query, verdict, hits, tuple(self.rounds), tuple(self.errors))

    def _round(self, wording: str) -> CorrectionRound:
        name = f"r{len(self.rounds) + 1}"
        told = len(self.errors)
        hits = self._search(wording, name)
        if hits is None:
            hits, grade = (), GradeResult(Grade.INCORRECT, 0.0, "the search failed")
        else:
            grade = self._grade(hits, name)
        return CorrectionRound(name, wording, hits, grade, next(iter(self.errors[told:]), None))

    def _search(self, wording: str, name: str) -> tuple[Any, ...] | None:
        """The hits of one search; None when it failed."""
        try:
            response = self.plan.run(self.index, wording, **self.search_kwargs)
            status = str(getattr(response, "status", "") or "").rpartition(".")[2].lower()
            if status in ("failed", "cancelled"):
                if self.policy.on_error == "raise":
                    raise RuntimeError(f"the search was {status}" if status == "cancelled" else "the search failed")
                self._tell("SEARCH_CANCELLED" if status == "cancelled" else "SEARCH_FAILED", "as its status says", name)
                return None
            if status == "degraded":
                self._tell("SEARCH_DEGRADED", "the search says that its result is degraded", name)
            return hits_of(response)
        except Exception as error:
            self._failed("SEARCH_FAILED", error, name)
            return None

    def _grade(self, hits: tuple[Any, ...], name: str) -> GradeResult:
        try:
            grade = self.grader.grade(self.query, hits)
            if not isinstance(grade, GradeResult) or not isinstance(grade.grade, Grade):
                raise TypeError(f"the grader must return a GradeResult, not {type(grade).__name__}")
            return grade
        except Exception as error:
            self._failed("GRADE_FAILED", error, name)
            return GradeResult(Grade.INCORRECT, 0.0, "the grader failed")

    def _next_wording(self) -> str | None:
        """What the next round searches for; None when there is no next round."""
        name = self.rounds[-1].name
        if self.policy.rewrite is None or len(self.rounds) == self.policy.max_rounds or self._is_late(name):
            return None
        try:
            wording = (self.policy.rewrite(self.query, tuple(self.rounds)) or "").strip()
        except Exception as error:
            self._failed("REWRITE_FAILED", error, name)
            return None
        if not wording or any(wording == one.query.strip() for one in self.rounds) or self._is_late(name):
            return None
        return wording

    def _is_late(self, name: str) -> bool:
        limit = self.policy.deadline_seconds
        late = limit is not None and self.clock() - self.began >= limit
        if late:
            self._tell("DEADLINE_EXCEEDED", f"{limit:g} seconds are over", name)
        return late

    def _fused(self, ambiguous: Sequence[CorrectionRound]) -> tuple[Any, ...]:
        if not ambiguous:
            return ()
        try:
            return (self.policy.fusion or FusionPolicy()).fuse(ambiguous)
        except Exception as error:
            self._tell("FUSE_FAILED", str(error), ambiguous[-1].name)
            return ambiguous[0].hits

    def _failed(self, code: ErrorCode, error: Exception, name: str) -> None:
        if self.policy.on_error == "raise":
            raise error
        self._tell(code, f"{type(error).__name__}: {error}", name)

    def _tell(self, code: ErrorCode, message: str, name: str) -> None:
        self.errors.append(CorrectionError(code, message, name))


def _identity(hit: Any) -> Any:
    identity = id_of(hit)
    if identity is None:
        raise ValueError("a hit has no id to recognise it by in another round")
    return identity


def _placed(found: Sequence[tuple[CorrectionRound, int]], rank: int, score: float) -> Any:
    """The hit found at these places (round, position from 1), the first of them; as a Candidate it says so."""
    one, position = found[0]
    hit = one.hits[position - 1]
    if not isinstance(hit, Candidate):
        return hit
    parts = tuple(Contribution(one.name, position, one.hits[position - 1].score) for one, position in found)
    return replace(hit, rank=rank, score=score, source="corrective", parts=parts)


def _check_int(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int")
    if value < least:
        raise ValueError(f"{name} must be at least {least}")


def _check_number(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} must be a number")
    if not math.isfinite(value) or value < 0:
        raise ValueError(f"{name} must be 0 or more, and finite")
