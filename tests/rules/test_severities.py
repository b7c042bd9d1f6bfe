"""How severe a problem is where that depends on what it costs: the severity of each line of some cases."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from evidencedesk.workspace import Workspace

CASES = Path(__file__).parent / "cases"


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("answer-outranked/kinds-of-winners", ["labels.json hint", "labels.json hint"]),
        ("stale-document-match/only-the-scope-keeps-it-out", ["old.md hint"]),
        ("stale-document-match/passes-the-floor", ["labels.json warning", "labels.json warning", "old.md warning"]),
        ("unanswerable-junk/a-floor-that-would-help", ["labels.json warning"]),
        ("unanswerable-junk/no-floor-would-help", ["labels.json information"]),
        (
            "audience-leak/costs-the-answer",
            ["goodwill.md warning", "labels.json warning", "labels.json information"],
        ),
        ("unfindable-section/a-heading-louder-elsewhere", ["pump.md hint"]),
        ("unfindable-section/another-page-wins", ["pump.md information", "shop.md information"]),
        ("unfindable-section/many-on-one-page", ["pump.md hint"]),
        ("unfindable-section/another-version-comes", ["v1.md hint", "v2.md hint"]),
        ("duplicate-chunk/copies", ["a.md information", "copy1.md warning", "copy2.md warning", "twice.md hint"]),
        ("duplicate-chunk/boilerplate", ["p0.md warning"]),
        ("duplicate-in-context/a-copy-that-costs-the-answer", ["labels.json warning"]),
        ("rank-regression/below-rank-1-before", ["labels.json information"]),
        ("rank-regression/lost-rank-1", ["labels.json warning", "returns.md warning"]),
        (
            "unknown-section/every-kind",
            [
                "labels.json error",
                "labels.json error",
                "labels.json warning",
                "labels.json warning",
                "labels.json information",
                "labels.json error",
            ],
        ),
        (
            "duplicate-question/agreeing-and-not",
            ["labels.json information", "labels.json warning", "labels.json warning"],
        ),
    ],
)
def test_severity_follows_the_cost(case: str, expected: list[str]) -> None:
    snapshot = Workspace.open(CASES / case / "input", today=date(2026, 1, 1)).snapshot
    rule = case.split("/")[0]
    found = [f"{problem.path} {problem.severity.value}" for problem in snapshot.problems if problem.name == rule]
    assert found == expected
