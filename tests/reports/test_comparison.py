"""Searchers side by side on the sample knowledge base."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from evidencedesk.reports.comparison import Comparison, compare, comparison_json
from evidencedesk.reports.figures import figures
from evidencedesk.samples import KESTREL
from evidencedesk.workspace import Workspace

NAMES = ("sparse", "dense", "hybrid", "two_stage", "lexical", "corrective")


def compared(root: Path) -> tuple[Workspace, Comparison]:
    workspace = Workspace.open(root)
    facts = workspace.snapshot.facts
    evaluations = facts.evaluations.values()
    return workspace, compare(evaluations, workspace.searchers, NAMES, facts.catalog, facts.contract, facts.chunking)


@pytest.fixture(scope="module")
def kestrel() -> tuple[Workspace, Comparison]:
    return compared(KESTREL)


def test_the_hits_are_those_of_the_evaluation(kestrel: tuple[Workspace, Comparison]) -> None:
    workspace, comparison = kestrel
    facts = workspace.snapshot.facts
    of_all = figures(facts.evaluations.values(), facts.contract, facts.chunking).hits[0]
    for row in comparison.rows:
        if row.searcher in of_all.at:
            assert tuple(map(row.scores.hits_at, (1, 3, 5))) == of_all.at[row.searcher]
    assert {row.scores.answerable for row in comparison.rows} == {21}


def test_abstention_is_told_apart_from_hits(kestrel: tuple[Workspace, Comparison]) -> None:
    scores = {row.searcher: row.scores for row in kestrel[1].rows}
    assert scores["dense"].abstention_recall == 0
    assert scores["corrective"].unanswered
    for one in scores.values():
        assert not set(one.unanswered) & set(one.ranks)
        assert all(one.ranks[label] is None for label in one.wrongly_abstained)


def test_alone_is_what_no_other_searcher_answers(kestrel: tuple[Workspace, Comparison]) -> None:
    rows = kestrel[1].rows
    for row in rows:
        for label in row.alone:
            assert row.scores.ranks[label]
            assert not any(other.scores.ranks[label] for other in rows if other is not row)


def test_the_json_says_the_same(kestrel: tuple[Workspace, Comparison]) -> None:
    read = json.loads(comparison_json(kestrel[1]))
    assert [one["searcher"] for one in read["searchers"]] == list(NAMES)
    assert read["searchers"][2]["hits"]["1"] == kestrel[1].rows[2].scores.hits_at(1)


def test_a_shut_gate_is_an_answer_withheld(tmp_path: Path) -> None:
    root = tmp_path / "kestrel"
    shutil.copytree(KESTREL, root)
    with (root / "evidencedesk.toml").open("a", encoding="utf-8") as file:
        file.write("\n[retrieval.gate]\naccept = 1.0\n")
    workspace, comparison = compared(root)
    assert workspace.snapshot.facts.config_defects == ()
    scores = {row.searcher: row.scores for row in comparison.rows}
    assert scores["dense"].wrongly_abstained
    assert scores["dense"].abstention_recall == 1
