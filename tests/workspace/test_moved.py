"""Labels that only move in their file are not judged again, and what is told of them moves along."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.rule import Rule
from evidencedesk.workspace import Change, Workspace
from evidencedesk.workspace.checks import _Check
from evidencedesk.workspace.engine import PARANOID

PAGE = "# Returns\n\nA bicycle may be sent back within 30 days of delivery if it is unused and in its box.\n"
SPLIT = {"section": "returns#Returns", "evidence": "sent back within 30 days of delivery"}
LABELS: list[Mapping[str, Any]] = [
    {"id": "q1", "question": "How long can I send a bike back?", "gold": [SPLIT]},
    {"id": "q2", "question": "When must a bike be back?", "gold": [SPLIT]},
    {"id": "q3", "question": "Where is the box?", "gold": [{"section": "nowhere", "evidence": "in its box"}]},
    {"id": "q4", "question": "Do you sell boats?", "answerable": False},
]
CONFIG = '[chunking]\nstrategy = "fixed"\nsize = 40\noverlap = 10\n'


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """One that compares each of its states with a fresh one."""
    monkeypatch.setenv(PARANOID, "1")
    for name, text in {"returns.md": PAGE, "labels.json": json.dumps(LABELS), "evidencedesk.toml": CONFIG}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return Workspace.open(tmp_path)


def test_a_problem_on_a_page_points_at_its_label_wherever_that_has_moved(workspace: Workspace) -> None:
    workspace.apply([Change("labels.json", "\n\n" + json.dumps(LABELS))])
    # Another question at the same cut changes: what all of them share is told again, of the first where it is now.
    text = "\n\n" + json.dumps([LABELS[0], {**LABELS[1], "id": "q2b"}, *LABELS[2:]])
    snapshot = workspace.apply([Change("labels.json", text)])
    told = next(one for one in snapshot.problems if one.path == "returns.md" and one.code == "ED201")
    assert [one.span.of(text) for one in told.related if one.path == "labels.json"] == [
        json.dumps(SPLIT["evidence"])
    ] * 2


def test_rules_are_not_asked_again_about_labels_that_only_moved(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(PARANOID)
    workspace.apply([Change("other.md", "# Other\n")])  # the state that was opened counts as saved from here on
    asked: list[tuple[str, str]] = []
    listen = _Check._listen

    def noting(check: _Check, rule: Rule, telling: Any, subject: Any) -> Any:
        if Evaluation in rule.subjects:
            asked.append((rule.code, subject.label.id))
        return listen(check, rule, telling, subject)

    monkeypatch.setattr(_Check, "_listen", noting)
    before = workspace.snapshot.evaluations
    text = json.dumps([*LABELS[:1], {**LABELS[1], "question": "When is a bike to be back with you?"}, *LABELS[2:]])
    after = workspace.apply([Change("labels.json", text)]).evaluations
    assert [one for one in asked if one[1] != "q2"] == [("ED201", "q1")], "q1 shares its cut with q2"
    assert after["q3"].source.span.start > before["q3"].source.span.start
    assert after["q3"].places is before["q3"].places
