"""A suppression silences the problem it was offered for, and leaves the file valid."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from answer_making import PAGE, label, workspace
from evidencedesk.rule import Problem
from evidencedesk.text.spans import apply_edits
from evidencedesk.workspace import Change, Workspace
from evidencedesk_server.suppressing import suppressions

SPLIT = "within 30 days of delivery, and we will refund the full price"
LABELS = [label("q1", "How long can I send it back?", SPLIT)]


def problem_of(opened: Workspace, code: str, path: str) -> Problem:
    return next(problem for problem in opened.snapshot.problems if problem.code == code and problem.path == path)


def after(opened: Workspace, problem: Problem, title: str) -> list[str]:
    """Codes in the problem's file after the suppression with this title."""
    fix = next(fix for fix in suppressions(problem, opened.snapshot) if fix.title == title)
    changes = [Change(path, apply_edits(opened.snapshot.texts[path], edits)) for path, edits in fix.edits.items()]
    return [found.code for found in opened.apply(changes).problems if found.path == problem.path]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("title", ["Ignore ED201 here", "Ignore ED201 in this file"])
def test_a_comment_in_a_page_silences_exactly_the_rule(tmp_path: Path, title: str, newline: str) -> None:
    opened = workspace(tmp_path, LABELS, {"returns.md": PAGE.replace("\n", newline)})
    problem = problem_of(opened, "ED201", "returns.md")
    codes = after(opened, problem, title)
    assert "ED201" not in codes
    assert "ED902" not in codes
    text = opened.snapshot.texts["returns.md"]
    assert text.count(newline) == text.count("\n")


def test_a_problem_on_a_heading_is_ignored_above_the_heading(tmp_path: Path) -> None:
    opened = workspace(tmp_path, LABELS)
    heading = opened.snapshot.facts.documents["returns.md"].document.sections[0].heading_span
    problem = replace(problem_of(opened, "ED201", "returns.md"), span=heading)
    fix = next(iter(suppressions(problem, opened.snapshot)))
    edited = apply_edits(PAGE, fix.edits["returns.md"])
    assert "---\n<!-- evidencedesk: ignore ED201 -->\n# Returns\n" in edited


LAYOUTS = {
    "a key per line": lambda labels: json.dumps(labels, indent=2),
    "one line": json.dumps,
    "another rule ignored": lambda labels: json.dumps([{**labels[0], "ignore": ["ED101"]}]),
    "an empty list": lambda labels: json.dumps([{**labels[0], "ignore": []}], indent=1),
    "the question last": lambda labels: json.dumps([dict(reversed(labels[0].items()))], indent=4),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_label_gets_the_rule_into_its_ignore_field(tmp_path: Path, layout: str) -> None:
    opened = workspace(tmp_path, LABELS)
    opened.apply([Change("labels.json", LAYOUTS[layout](LABELS))])
    problem = next(found for found in opened.snapshot.problems if found.path == "labels.json" and found.code[2] in "23")
    codes = after(opened, problem, f"Ignore {problem.code} for this label")
    assert problem.code not in codes
    (entry,) = json.loads(opened.snapshot.texts["labels.json"])
    assert problem.code in entry["ignore"]
    assert {key: value for key, value in entry.items() if key != "ignore"} == LABELS[0]


def test_a_file_that_cannot_hold_a_suppression_is_offered_none(tmp_path: Path) -> None:
    opened = workspace(tmp_path, LABELS)
    opened.apply([Change("evidencedesk.toml", "[chunking]\nstrategi = 1\n")])
    problem = problem_of(opened, "ED903", "evidencedesk.toml")
    assert list(suppressions(problem, opened.snapshot)) == []
