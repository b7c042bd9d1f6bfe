"""A suppression silences the problem it was offered for, and leaves the file valid."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from answer_making import PAGE, label, workspace
from evidencedesk.rule import Problem
from evidencedesk.text.spans import apply_edits
from evidencedesk.workspace import Change, Workspace
from evidencedesk_server.suppressing import suppression_everywhere, suppressions

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


@pytest.mark.parametrize(
    ("path", "config"),
    [
        ("evidencedesk.toml", ""),
        ("evidencedesk.toml", '[chunking]\nstrategy = "paragraph"'),
        (
            "evidencedesk.toml",
            '# mine\n[rules]\nignore = ["ED306", "ED1"] # so\n\n[chunking]\nstrategy = "paragraph"\n',
        ),
        ("evidencedesk.toml", "[rules]\r\nignore = []\r\n"),
        ("evidencedesk.toml", '[rules]\nignore = [\n  "ED306",\n]\n'),
        ("evidencedesk.toml", '[rules] # some\nseverity = { ED302 = "hint" }\n'),
        ("pyproject.toml", '[project]\nname = "x"\n\n[tool.evidencedesk.chunking]\nstrategy = "paragraph"\n'),
        ("pyproject.toml", '[tool.evidencedesk.rules]\nignore = ["ED306"]\n'),
    ],
)
def test_the_configuration_silences_a_rule_everywhere_and_keeps_all_else(
    tmp_path: Path, path: str, config: str
) -> None:
    opened = workspace(tmp_path, LABELS)
    opened.apply([Change("evidencedesk.toml", None), Change(path, config)])
    assert "ED205" not in opened.config.rules.ignore
    fix = suppression_everywhere("ED205", opened.snapshot, creates=False)
    assert fix is not None
    edited = apply_edits(config, fix.edits[path])
    assert len(edited) > len(config) and all(line in edited for line in config.split("\n") if "ignore" not in line)
    before, config_before = tomllib.loads(config), opened.config
    opened.apply([Change(path, edited)])
    assert opened.config.rules.ignore == (*config_before.rules.ignore, "ED205")
    assert opened.config.model_copy(update={"rules": config_before.rules}) == config_before
    assert tomllib.loads(edited).keys() >= before.keys()


def test_a_configuration_is_made_only_where_the_client_can(tmp_path: Path) -> None:
    opened = workspace(tmp_path, LABELS)
    opened.apply([Change("evidencedesk.toml", None)])
    assert suppression_everywhere("ED205", opened.snapshot, creates=False) is None
    fix = suppression_everywhere("ED205", opened.snapshot, creates=True)
    assert fix is not None and list(fix.edits) == ["evidencedesk.toml"]
    opened.apply([Change("evidencedesk.toml", 'rules.ignore = ["ED1"]\n')])
    fix = suppression_everywhere("ED205", opened.snapshot, creates=True)
    assert fix is not None
    assert (
        apply_edits('rules.ignore = ["ED1"]\n', fix.edits["evidencedesk.toml"]) == 'rules.ignore = ["ED1", "ED205"]\n'
    )
    opened.apply([Change("evidencedesk.toml", 'rules = { severity = { ED302 = "hint" } }\n')])
    assert suppression_everywhere("ED205", opened.snapshot, creates=True) is None


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
