"""Labels as test cases of a run: their contract, their groups, and what a record replays to."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.label_runs import contract_hash, difference, expected_sources, record_of, run_config
from evidencedesk.retrieval.records import Stamp, check_config
from evidencedesk.workspace import Change, Workspace

PAGES = {
    "a.md": "# Returns\n\nA bike can be returned within 30 days.\n\nBring the receipt along, please.\n",
    "b.md": "# Short returns\n\nReturning a bike: 30 days, receipt needed.\n",
}
GOLD = [
    {"section": "a#Returns", "evidence": "within 30 days", "group": "how"},
    {"section": "a#Returns", "evidence": "Bring the receipt", "grade": 1, "group": "how"},
]
ALTERNATIVE = {"section": "b#Short returns", "evidence": "30 days, receipt needed"}


def opened(root: Path, k: int = 5, **label: Any) -> Workspace:
    for path, text in PAGES.items():
        (root / path).write_text(text, encoding="utf-8")
    config = f'[chunking]\nstrategy = "paragraph"\n[retrieval]\nsearcher = "sparse"\nk = {k}\n'
    (root / "evidencedesk.toml").write_text(config, encoding="utf-8")
    one = {"id": "q1", "question": "Returned bike, receipt?", "gold": GOLD, **label}
    (root / "labels.json").write_text(json.dumps([one]), encoding="utf-8")
    return Workspace.open(root, today=date(2026, 1, 1))


def evaluated(root: Path, k: int = 5, **label: Any) -> Evaluation:
    return opened(root, k, **label).snapshot.evaluations["q1"]


def test_pieces_of_a_group_are_required_together_and_an_alternative_stands_for_them(tmp_path: Path) -> None:
    (group,) = expected_sources(evaluated(tmp_path, alternatives=[{**ALTERNATIVE, "group": "how"}]))
    assert group == {"required_chunk_ids": ["a:c0", "a:c1"], "alternative_chunk_ids": ["b:c0"]}


def test_pieces_without_a_group_are_groups_of_their_own(tmp_path: Path) -> None:
    single = [{key: value for key, value in gold.items() if key != "group"} for gold in GOLD]
    groups = expected_sources(evaluated(tmp_path, gold=single, alternatives=[ALTERNATIVE]))
    assert groups == [
        {"required_chunk_ids": ["a:c0"], "alternative_chunk_ids": ["b:c0"]},
        {"required_chunk_ids": ["a:c1"], "alternative_chunk_ids": ["b:c0"]},
    ]


def test_evidence_that_no_chunk_holds_is_never_covered(tmp_path: Path) -> None:
    gold = [{"section": "a#Returns", "evidence": "within 31 days"}]
    evaluation = evaluated(tmp_path, gold=gold)
    assert expected_sources(evaluation) == [{"required_chunk_ids": ["a#Returns"], "alternative_chunk_ids": []}]
    record = record_of(evaluation, {"mode": "x", "top_k": 5}, "run", "v")
    assert (record["hit_at_k"], record["expected_rank"]) == (0, None)


@pytest.mark.parametrize(("k", "covered"), [(1, 0), (5, 1)])
def test_a_group_is_covered_when_all_its_pieces_are_there(tmp_path: Path, k: int, covered: int) -> None:
    evaluation = evaluated(tmp_path, k)
    facts = opened(tmp_path, k).snapshot.facts
    config = run_config(facts.contract, facts.chunking, facts.catalog.chunks)
    check_config(config)
    at = datetime(2026, 1, 1, tzinfo=UTC)
    record = record_of(evaluation, config, "run", "v1", Stamp(lambda: "0" * 32, lambda: at))
    assert record["metrics"]["ranking"]["covered"] == covered
    assert (record["test_id"], record["turn_id"], record["test_set_version"]) == ("q1", "t1", "v1")
    assert [row["chunk_id"] for row in record["ranking"]] == [one.chunk.id for one in evaluation.retrieved]
    assert record["ranking"][0]["metadata"]["source"] in PAGES
    json.dumps(record, allow_nan=False)


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({}, True),
        ({"tags": ["x"], "reason": "why", "ignore": ["ED301"]}, True),
        ({"question": "Returned bike?"}, False),
        ({"gold": GOLD[:1]}, False),
        ({"gold": [{**GOLD[0], "group": "other"}, GOLD[1]]}, False),
        ({"alternatives": [ALTERNATIVE]}, False),
        ({"scope": {"langs": ["en"]}}, False),
    ],
)
def test_the_contract_is_what_the_label_expects(tmp_path: Path, change: dict[str, Any], same: bool) -> None:
    before, after = contract_hash(evaluated(tmp_path).label), contract_hash(evaluated(tmp_path, **change).label)
    assert (before == after) is same


def test_the_contract_does_not_hang_on_how_pages_are_cut(tmp_path: Path) -> None:
    workspace = opened(tmp_path)
    before = contract_hash(workspace.snapshot.evaluations["q1"].label)
    workspace.apply([Change("a.md", PAGES["a.md"].replace("# Returns", "# Returns\n\nA new paragraph."))])
    assert contract_hash(workspace.snapshot.evaluations["q1"].label) == before


def test_an_unchanged_question_replays_to_the_same_ranking(tmp_path: Path) -> None:
    workspace = opened(tmp_path)
    record = record_of(workspace.snapshot.evaluations["q1"], {"mode": "x", "top_k": 5}, "run", "v")
    workspace.apply([Change("labels.json", (tmp_path / "labels.json").read_text(encoding="utf-8") + "\n")])
    assert difference(record, workspace.snapshot.evaluations["q1"]) == ""
    workspace.apply([Change("b.md", None)])
    told = difference(record, workspace.snapshot.evaluations["q1"])
    assert "b:c0" in told or "had 3 chunks, has 2" in told
