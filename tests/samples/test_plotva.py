"""The Russian sample: what only synonyms find, and what the gate refuses."""

from __future__ import annotations

from datetime import date

import pytest

from evidencedesk.reports.figures import answer_rank, figures
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.lexical import get_index, retrieve
from evidencedesk.samples import PLOTVA
from evidencedesk.workspace import Change, Workspace

TODAY = date(2026, 1, 1)
SETTINGS = (PLOTVA / "evidencedesk.toml").read_text(encoding="utf-8")
WITHOUT_SYNONYMS = SETTINGS[: SETTINGS.index("synonyms = [")]
WITHOUT_GATE = SETTINGS.replace('[retrieval.gate]\ngrader = "coverage"\naccept = 0.6\n', "")


def evaluated(settings: str = SETTINGS) -> dict[str, Evaluation]:
    workspace = Workspace.open(PLOTVA, today=TODAY)
    if settings != SETTINGS:
        workspace.apply([Change("evidencedesk.toml", settings)])
    assert workspace.snapshot.facts.config_defects == ()
    return dict(workspace.snapshot.evaluations)


def tagged(tag: str, evaluations: dict[str, Evaluation]) -> list[Evaluation]:
    return [one for one in evaluations.values() if tag in one.label.tags]


@pytest.fixture(scope="module")
def as_shipped() -> dict[str, Evaluation]:
    return evaluated()


def test_it_has_six_pages_twelve_questions_and_no_problem(as_shipped: dict[str, Evaluation]) -> None:
    snapshot = Workspace.open(PLOTVA, today=TODAY).snapshot
    assert (len(snapshot.documents), len(as_shipped)) == (6, 12)
    assert {document.lang for document in snapshot.documents} == {"ru"}
    assert snapshot.problems == ()


def test_every_answer_is_at_rank_1_and_in_the_prompt(as_shipped: dict[str, Evaluation]) -> None:
    answerable = [one for one in as_shipped.values() if one.label.answerable]
    assert [one.standing.rank for one in answerable] == [1] * 10
    assert all(one.standing.in_context and not one.findings for one in answerable)


def test_two_questions_are_answered_by_synonyms_only(as_shipped: dict[str, Evaluation]) -> None:
    without = evaluated(WITHOUT_SYNONYMS)
    lost = [name for name, one in without.items() if one.label.answerable and one.standing.rank is None]
    assert lost == [one.label.id for one in tagged("synonym", as_shipped)] == ["pl02", "pl03"]
    for name in lost:
        assert answer_rank(without[name], "sparse") is None


def test_the_gate_refuses_the_two_questions_without_an_answer(as_shipped: dict[str, Evaluation]) -> None:
    open_gate = evaluated(WITHOUT_GATE)
    refused = tagged("unanswerable", as_shipped)
    assert [one.label.id for one in refused] == ["pl11", "pl12"]
    for one in refused:
        assert one.retrieved and one.trace.context == [] and one.findings == ()
        assert one.trace.closed == f"coverage {one.grade:.2f} is below 0.6"
        assert [finding.label for finding in open_gate[one.label.id].findings] == ["irrelevant_match"]


def test_abstention_figures_follow_the_gate(as_shipped: dict[str, Evaluation]) -> None:
    shipped = figures(as_shipped.values(), next(iter(as_shipped.values())).contract, "paragraph").abstention
    assert (shipped.right, shipped.wrong, shipped.precision, shipped.recall) == (2, 0, 1.0, 1.0)


def test_a_stricter_gate_drops_an_answer_and_says_why() -> None:
    strict = evaluated(SETTINGS.replace("accept = 0.6", "accept = 0.9"))
    dropped = {name: one for name, one in strict.items() if one.label.answerable and not one.standing.in_context}
    assert set(dropped) == {"pl02", "pl03"}
    for one in dropped.values():
        (finding,) = one.findings
        assert (finding.stage, finding.label) == ("context", "missed_evidence")
        assert finding.detail == (
            "retrieved at rank 1 but dropped before the prompt: the gate is closed, coverage 0.80 is below 0.9"
        )


def test_the_winning_passage_is_named(as_shipped: dict[str, Evaluation]) -> None:
    best = as_shipped["pl09"].retrieved[0]
    assert best.passage.startswith("При ветре сильнее восьми метров в секунду мы не выпускаем лодки на воду.")


def test_the_index_of_the_sample_is_at_hand() -> None:
    hits = retrieve("Как аннулировать заявку?", top_k=1)
    assert [(hit.chunk.doc.id, hit.chunk.section) for hit in hits] == [("pl-booking", "Отмена")]
    assert retrieve("Как аннулировать заявку?", audience="staff") == []
    assert get_index() is get_index()
