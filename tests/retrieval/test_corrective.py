"""Corrective retrieval against its table of cases, with this project's searchers, and at its limits."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunk_making import chunk as chunk_of
from evidencedesk.retrieval.candidates import ids, ranked
from evidencedesk.retrieval.corrective import (
    CorrectionResult,
    CorrectionRound,
    CorrectiveRetrieval,
    CoverageGrader,
    FusionPolicy,
    Grade,
    GradeResult,
    RetrievalExecutionPlan,
    TermCoverageGrader,
    Verdict,
    evaluate_retrieval,
)
from evidencedesk.retrieval.searchers import SparseSearcher

TABLE = json.loads((Path(__file__).parent / "cases" / "corrective.json").read_text(encoding="utf-8"))
ERRORS = {"RuntimeError": RuntimeError, "ValueError": ValueError, "TimeoutError": TimeoutError, "TypeError": TypeError}


def raised(described: str) -> Exception:
    kind, _, message = described.partition(": ")
    return ERRORS[kind](message)


@dataclass
class Stage:
    """The doubles of one case: what they answer, what time it costs, and what they were asked."""

    given: Mapping[str, Any]
    now: float = 0.0

    def __post_init__(self) -> None:
        self.searched: list[str] = []
        self.kwargs: list[Mapping[str, Any]] = []
        self.rewrites_asked = 0
        self.graded = 0

    def search(self, query: str, **kwargs: Any) -> SimpleNamespace:
        self.searched.append(query)
        self.kwargs.append(kwargs)
        self.now += self.given["costs"].get("search", 0)
        answers = self.given["search"]
        answer = answers.get(query, answers.get("*"))
        if "raise" in answer:
            raise raised(answer["raise"])
        hits = [hit(doc_id, text) for doc_id, text in answer["hits"]]
        return SimpleNamespace(hits=hits, status=answer.get("status", "ok"))

    def rewrite(self, query: str, rounds: tuple[CorrectionRound, ...]) -> str | None:
        assert query == self.given["query"]
        assert isinstance(rounds, tuple)
        self.rewrites_asked += 1
        self.now += self.given["costs"].get("rewrite", 0)
        proposal = self.given["rewrite"][self.rewrites_asked - 1]
        if isinstance(proposal, dict):
            raise raised(proposal["raise"])
        return proposal

    def grade(self, query: str, hits: Sequence[Any]) -> Any:
        assert query == self.given["query"]
        self.graded += 1
        grader = self.given["grader"]
        if grader.get("type") != "script":
            return TermCoverageGrader(**grader).grade(query, hits)
        scripted = grader["grades"][self.graded - 1]
        if isinstance(scripted, dict):
            raise raised(scripted["raise"])
        return GradeResult(Grade(scripted)) if scripted in list(Grade) else scripted

    def policy(self) -> CorrectiveRetrieval:
        config = dict(self.given["config"])
        if "fusion" in config:
            config["fusion"] = FusionPolicy(**config["fusion"])
        rewrite = self.rewrite if self.given["rewrite"] is not None else None
        return CorrectiveRetrieval(grader=self, rewrite=rewrite, clock=lambda: self.now, **config)


def hit(doc_id: str | None, text: str) -> SimpleNamespace:
    doc = SimpleNamespace(text=text) if doc_id is None else SimpleNamespace(doc_id=doc_id, text=text)
    return SimpleNamespace(doc=doc)


def names(hits: Sequence[Any]) -> list[str]:
    return [getattr(one.doc, "doc_id", one.doc.text) for one in hits]


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: case["id"])
def test_every_case(case: Mapping[str, Any]) -> None:
    stage, expected = Stage(case["given"]), case["expect"]
    if "raises" in expected:
        with pytest.raises(ERRORS[expected["raises"]], match=expected["message"]):
            stage.policy().run(stage, case["given"]["query"], **case["given"]["search_kwargs"])
    else:
        result = stage.policy().run(stage, case["given"]["query"], **case["given"]["search_kwargs"])
        assert result.verdict == expected["verdict"]
        assert names(list(result)) == expected["hits"]
        assert [[one.query, one.grade.grade, names(one.hits)] for one in result.rounds] == expected["rounds"]
        assert [one.code for one in result.errors] == expected["errors"]
        assert result.degraded is expected["degraded"]
    assert stage.searched == expected["searched"]
    assert (stage.rewrites_asked, stage.graded) == (expected["rewrites_asked"], expected["graded"])
    assert stage.kwargs == expected.get("search_kwargs", stage.kwargs)


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ({"plan": object()}, TypeError, "plan must have a method run"),
        ({"grader": object()}, TypeError, "grader must have a method grade"),
        ({"rewrite": "q"}, TypeError, "rewrite must be callable"),
        ({"max_rounds": 1.0}, TypeError, "max_rounds must be an int"),
        ({"fusion": {}}, TypeError, "fusion must be a FusionPolicy"),
        ({"deadline_seconds": "1"}, TypeError, "deadline_seconds must be a number"),
        ({"deadline_seconds": True}, TypeError, "deadline_seconds must be a number"),
        *(({"deadline_seconds": value}, ValueError, "deadline_seconds") for value in (-1, math.nan, math.inf)),
        ({"on_error": None}, TypeError, "on_error must be a str"),
        ({"clock": 0.0}, TypeError, "clock must be callable"),
        ({"max_rounds": 0, "on_error": "ignore"}, ValueError, "max_rounds"),
    ],
)
def test_a_wrong_setting_is_refused_in_the_order_of_the_fields(
    values: Mapping[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        CorrectiveRetrieval(**values)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: FusionPolicy(k=-1), ValueError),
        (lambda: FusionPolicy(k=True), TypeError),
        (lambda: FusionPolicy(weights={"r1": -0.5}), ValueError),
        (lambda: FusionPolicy(weights=[1, 2]), TypeError),  # type: ignore[arg-type]
        (lambda: FusionPolicy(top_k=0), ValueError),
        (lambda: TermCoverageGrader(accept=1.2), ValueError),
        (lambda: TermCoverageGrader(accept=0.2, reject=0.3), ValueError),
        (lambda: CoverageGrader(lambda text, query: 1.0, accept=math.nan), ValueError),
    ],
)
def test_wrong_parts_are_refused(make: Callable[[], object], error: type[Exception]) -> None:
    with pytest.raises(error):
        make()


def test_a_query_that_is_no_text_is_refused() -> None:
    with pytest.raises(TypeError, match="query must be a str"):
        CorrectiveRetrieval().run(Stage({}), 3)  # type: ignore[arg-type]


CHUNKS = [
    chunk_of("keys:c0", "The cache key is a digest of the text and the settings."),
    chunk_of("keys:c1", "A size of 256 dimensions is the default."),
    chunk_of("other:c0", "Nothing of the kind stands here."),
]


def test_this_projects_searchers_are_retried_and_their_chunks_are_told_apart() -> None:
    """Two chunks of one document: fusing by the document's id would merge them."""
    policy = CorrectiveRetrieval(
        grader=TermCoverageGrader(accept=1.0, reject=0.0), rewrite=lambda query, rounds: "dimensions"
    )
    result = policy.run(SparseSearcher(CHUNKS), "cache dimensions absent", k=2)
    assert result.verdict is Verdict.PARTIAL
    assert ids(result.hits) == ["keys:c1", "keys:c0"]
    assert [one.rank for one in result.hits] == [1, 2]
    assert [(part.source, part.rank) for part in result.hits[0].parts] in (
        [("r1", 1), ("r2", 1)],
        [("r1", 2), ("r2", 1)],
    )


def test_rows_and_plain_lists_are_hits_too() -> None:
    rows = [{"chunk_id": "a", "text": "cache key"}, {"chunk_id": "b", "text": "size"}]
    index = SimpleNamespace(find=lambda query, top_k: rows[:top_k])
    plan = RetrievalExecutionPlan("find", {"top_k": 1})
    assert CorrectiveRetrieval(plan=plan).run(index, "cache key").hits == (rows[0],)
    assert CorrectiveRetrieval(plan=plan).run(index, "cache size key", top_k=2).hits == tuple(rows)


def test_the_coverage_of_the_lexical_index_grades() -> None:
    weights = {"cache": 3.0, "key": 1.0}

    def coverage(text: str, query: str) -> float:
        wanted = query.split()
        return sum(weights[term] for term in wanted if term in text) / sum(weights[term] for term in wanted)

    grader = CoverageGrader(coverage, accept=0.7, reject=0.3)
    grades = [grader.grade("cache key", [hit("a", text)]).grade for text in ("a cache", "a key", "cache key")]
    assert grades == [Grade.CORRECT, Grade.INCORRECT, Grade.CORRECT]
    assert grader.grade("cache key", []).grade is Grade.INCORRECT


def test_errors_name_their_round_and_their_cause() -> None:
    given = {
        "query": "q",
        "search": {"*": {"raise": "RuntimeError: boom"}},
        "rewrite": ["p"],
        "costs": {},
        "config": {},
    }
    result = Stage(given).policy().run(Stage(given), "q")
    assert [(one.round, one.code, one.message) for one in result.errors] == [
        ("r1", "SEARCH_FAILED", "RuntimeError: boom"),
        ("r2", "SEARCH_FAILED", "RuntimeError: boom"),
    ]
    assert [one.error for one in result.rounds] == list(result.errors)


ROUNDS = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=5, unique=True), min_size=2, max_size=4)
WEIGHTS = st.lists(st.sampled_from([0, 0.1, 0.5, 1, 2.5]), min_size=4, max_size=4)


@given(ROUNDS, WEIGHTS, st.integers(0, 60))
def test_fused_rounds_are_in_the_order_of_their_exact_totals(
    found: list[list[str]], weights: list[float], k: int
) -> None:
    chunks = {name: chunk_of(f"{name}:c0", name) for name in "abcdefg"}
    rounds = [
        CorrectionRound(
            f"r{n}", "q", tuple(ranked(((chunks[name], 1.0) for name in names), "x")), GradeResult(Grade.AMBIGUOUS)
        )
        for n, names in enumerate(found, start=1)
    ]
    by_name = {f"r{n}": weight for n, weight in enumerate(weights, start=1)}
    totals: dict[str, Fraction] = {}
    for names, weight in zip(found, weights, strict=False):
        for position, name in enumerate(names, start=1):
            if weight:
                totals[name] = totals.get(name, Fraction(0)) + Fraction(weight) / (k + position)
    fused = FusionPolicy(k=k, weights=by_name).fuse(rounds)
    got = [one.chunk.text for one in fused]
    assert sorted(got) == sorted(totals)
    assert all(totals[one] >= totals[other] for one, other in pairwise(got))
    assert [one.score for one in fused] == [float(totals[name]) for name in got]


@dataclass
class Question:
    id: str
    question: str
    answer: str

    @property
    def answerable(self) -> bool:
        return bool(self.answer)

    def grade_of(self, chunk: Any) -> int:
        return 2 * (chunk.id == self.answer)


def test_retrieval_is_scored_with_abstention_apart() -> None:
    labels = [
        Question("found", "cache key digest", "keys:c0"),
        Question("retried", "default dimensions please kindly", "keys:c1"),
        Question("refused", "zebra crossing settings rules", "keys:c0"),
        Question("none", "zebra zoo", ""),
        Question("junk", "nothing kind", ""),
    ]

    def rewrite(query: str, rounds: tuple[CorrectionRound, ...]) -> str | None:
        return "default dimensions size" if query.startswith("default") else None

    class Known(TermCoverageGrader):
        def grade(self, query: str, hits: Sequence[Any]) -> GradeResult:
            wanted = "size" if query.startswith("default") else query
            return TermCoverageGrader.grade(self, wanted, hits)

    searcher = SparseSearcher(CHUNKS)
    plain = evaluate_retrieval(lambda query: searcher.search(query, 3), labels, k=3)
    assert (plain.hits, plain.answerable, plain.unanswerable) == (3, 3, 2)
    assert (plain.unanswered, plain.wrongly_abstained, plain.corrected) == (("none",), (), ())

    strict = CorrectiveRetrieval(grader=TermCoverageGrader(accept=0.5, reject=0.5), rewrite=rewrite)
    scores = evaluate_retrieval(strict.bind(searcher, k=3), labels, k=3)
    assert (scores.hits, scores.wrongly_abstained, scores.unanswered) == (2, ("refused",), ("none",))
    assert (scores.abstention_precision, scores.abstention_recall, scores.hit_rate) == (0.5, 0.5, 2 / 3)


def test_a_corrected_question_is_counted() -> None:
    given = next(case["given"] for case in TABLE["cases"] if case["id"] == "doc-example")
    stage = Stage(given)
    result = stage.policy().run(stage, given["query"])
    assert evaluate_retrieval(lambda query: result, [Question("one", "q", "")], k=1).corrected == ("one",)
    with pytest.raises(ValueError, match="k must be at least 1"):
        evaluate_retrieval(lambda query: result, [], k=0)


def test_a_result_without_hits_is_empty_but_true_to_its_rounds() -> None:
    result = CorrectiveRetrieval().run(SparseSearcher(CHUNKS), "zebra")
    assert isinstance(result, CorrectionResult)
    assert (list(result), result.verdict, len(result.rounds)) == ([], "abstained", 1)
