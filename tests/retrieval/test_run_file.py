"""Run files: what is read, where it stands, and how broken lines are told."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.retrieval.run_file import is_run_file, parse_run_file
from evidencedesk.retrieval.taxonomy import diagnose_answer

ROW = {"chunk_id": "a:c0", "score": 1, "text": "Within 30 days of delivery."}


def line(test_id: str = "q1", **fields: object) -> str:
    return json.dumps({"test_id": test_id, "ranking": [ROW], "context": [ROW], **fields}, ensure_ascii=False)


def test_run_files_are_known_by_their_names() -> None:
    names = ("night.runs.jsonl", "runs/A.RUNS.JSONL", "x/retrieval_runs.jsonl", "runs.jsonl.torn", "labels.jsonl")
    assert [is_run_file(name) for name in names] == [True, True, True, False, False]


def test_values_have_their_places_whatever_stands_before_them() -> None:
    text = f"\n{line('é', answer='Yes')}\r\n\r\n{line('q2', cited=['a:c0'])}\r\n"
    file = parse_run_file("x", text)
    assert (file.defects, [one.test_id for one in file.lines]) == ((), ["é", "q2"])
    first, second = file.lines
    assert json.loads(first.span.of(text))["test_id"] == "é"
    assert first.place("cited", "answer").of(text) == '"Yes"'
    assert second.place("cited").of(text) == '["a:c0"]'
    assert second.place("answer").of(text) == "{"


def test_the_last_record_of_a_question_counts() -> None:
    lines = [line("q1", turn_id="t1"), line("q2"), line("q1", turn_id="t2"), line("q1", turn_id="t1", answer="now")]
    latest = parse_run_file("x", "\n".join(lines)).latest
    assert [(one.test_id, one.record.get("turn_id"), one.answer) for one in latest] == [
        ("q2", None, None),
        ("q1", "t2", None),
        ("q1", "t1", "now"),
    ]


@pytest.mark.parametrize(
    ("broken", "at", "message"),
    [
        (line()[:-20], line()[:-20], "this line breaks off"),
        ("[1]", "[", "a run record is an object"),
        ('{"ranking": [], "context": []}', "{", "this record names no test"),
        ('{"test_id": "q", "ranking": [{"chunk_id": "a"}], "context": []}', "{", "`ranking` must be a list"),
        ('{"test_id": "q", "ranking": [], "context": null}', "{", "`context` must be a list"),
        ('{"test_id": "q" "ranking": []}', "", "a comma is missing"),
        ("[" * 100_000 + "}", None, ""),
    ],
)
def test_a_broken_line_is_told_and_the_others_count(broken: str, at: str | None, message: str) -> None:
    text = f"{line('before')}\n{broken}\n{line('after')}\n"
    file = parse_run_file("x", text)
    assert [one.test_id for one in file.lines] == ["before", "after"]
    (defect,) = file.defects
    assert defect.message.startswith(message)
    assert at is None or defect.span.of(text) == at or message == "a comma is missing"
    start = text.index(broken)
    assert start <= defect.span.start <= defect.span.end <= start + len(broken)


@pytest.mark.parametrize(
    ("answer", "cited", "stages"),
    [
        ("Within 30 days.", ["a:c0"], []),
        ("Within 60 days.", ["a:c0"], ["generation"]),
        ("Within 30 days.", [], ["citation"]),
        ("Within 30 days.", ["b:c0"], ["citation"]),
        ("Within 30 days.", None, ["citation"]),
        (" ", ["b:c0"], []),
        (None, [], []),
    ],
)
def test_an_answer_is_held_against_the_recorded_prompt(answer: object, cited: object, stages: list[str]) -> None:
    (one,) = parse_run_file("x", line(answer=answer, cited=cited)).lines
    assert [finding.stage for finding in diagnose_answer(one.trace)] == stages


@given(st.text(st.sampled_from('{}[]":,\\ \n\r1aé\u2028') | st.characters()))
def test_any_text_is_read(text: str) -> None:
    file = parse_run_file("x", text)
    for defect in file.defects:
        assert 0 <= defect.span.start <= defect.span.end <= len(text)
