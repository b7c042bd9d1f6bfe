"""What a file with very many problems of one rule shows, and what it counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evidencedesk.reports.summary import summarize, weight
from evidencedesk.rule import Severity
from evidencedesk.workspace import Workspace
from evidencedesk.workspace.shown import MAX_PER_FILE
from evidencedesk.workspace.snapshot import Snapshot

AGREEING, DISAGREEING = MAX_PER_FILE - 5, 12


@pytest.fixture
def crowded(tmp_path: Path) -> Snapshot:
    """Questions asked twice: first those whose labels agree (information), then those that do not (warning)."""
    for name in ("a", "b"):
        labels = []
        for number in range(AGREEING + DISAGREEING):
            question = {"question": f"Do you sell {name} {number}?", "answerable": False}
            labels.append({"id": f"{name}{number}", **question})
            labels.append({"id": f"{name}{number}-again", **question, "answerable": number >= AGREEING})
        (tmp_path / f"{name}.json").write_text(json.dumps(labels), encoding="utf-8")
    (tmp_path / "evidencedesk.toml").write_text('[rules]\nselect = ["ED711"]\n', encoding="utf-8")
    return Workspace.open(tmp_path).snapshot


def test_the_severe_are_shown_before_the_slight_and_one_line_counts_the_rest(crowded: Snapshot) -> None:
    for path in ("a.json", "b.json"):
        shown = [problem for problem in crowded.problems if problem.path == path]
        assert len(shown) == MAX_PER_FILE + 1
        assert sum(problem.severity is Severity.WARNING for problem in shown) == DISAGREEING
        assert sorted(map(weight, shown))[-2:] == [1, AGREEING + DISAGREEING - MAX_PER_FILE]
    assert list(crowded.problems) == sorted(crowded.problems, key=lambda problem: (problem.path, problem.span))


def test_what_is_not_shown_counts_with_its_own_severity(crowded: Snapshot) -> None:
    assert summarize(crowded, crowded.problems).by_severity == (
        (Severity.WARNING, 2 * DISAGREEING),
        (Severity.INFORMATION, 2 * AGREEING),
    )


def test_the_line_that_counts_the_rest_is_another_one_in_every_file(crowded: Snapshot) -> None:
    fingerprints = [problem.fingerprint for problem in crowded.problems]
    assert len(set(fingerprints)) == len(fingerprints)
