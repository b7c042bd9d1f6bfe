"""What holds for all rules about questions: both ends are shown, and fixes leave sound label files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from evidencedesk.rule import Severity
from evidencedesk.text.spans import apply_edits
from evidencedesk.workspace import Workspace
from evidencedesk.workspace.snapshot import Snapshot

CASES = Path(__file__).parent / "cases"
AT_BOTH_ENDS = (
    "missed-evidence",
    "stale-document-match",
    "audience-leak",
    "dropped-before-prompt",
    "mixed-versions-in-context",
    "rank-regression",
    "lost-answer",
    "newly-split",
)


def snapshots(*rules: str) -> Iterator[Snapshot]:
    for rule in rules:
        for case in sorted((CASES / rule).glob("*/input")):
            yield Workspace.open(case, today=date(2026, 1, 1)).snapshot


def test_a_problem_on_a_page_points_at_a_question_that_has_it_too() -> None:
    seen = set()
    for snapshot in snapshots(*AT_BOTH_ENDS):
        for problem in snapshot.problems:
            # A hint on a page tells what the scope prevents: nothing is wrong with the questions.
            if problem.name in AT_BOTH_ENDS and problem.path.endswith(".md") and problem.severity is not Severity.HINT:
                pointed_at = {(related.path, related.span) for related in problem.related}
                questions = {(other.path, other.span) for other in snapshot.problems if other.code == problem.code}
                assert pointed_at & questions, problem.message
                seen.add(problem.name)
    assert seen == set(AT_BOTH_ENDS)


def test_a_fix_changes_one_value_of_a_label_file_and_nothing_else() -> None:
    rules = ("unknown-section", "evidence-not-found", "evidence-ambiguous", "evidence-in-superseded-document")
    tried = 0
    for snapshot in snapshots(*rules, "answerable-without-gold", "gold-on-unanswerable"):
        for problem in snapshot.problems:
            for fix in problem.fixes:
                for path, edits in fix.edits.items():
                    if path.endswith(".json"):
                        before = values(json.loads(snapshot.texts[path]))
                        after = values(json.loads(apply_edits(snapshot.texts[path], edits)))
                        changed = {key for key in before | after if before.get(key) != after.get(key)}
                        assert len({key.split("/")[-1] for key in changed if "gold/" not in key}) <= 1
                        assert len({key.split("/")[1] for key in changed}) == 1
                        tried += 1
    assert tried >= 12


def values(node: object, key: str = "") -> dict[str, object]:
    """Every scalar of a JSON value by its path."""
    if isinstance(node, dict):
        return {path: value for name, child in node.items() for path, value in values(child, f"{key}/{name}").items()}
    if isinstance(node, list):
        return {path: value for at, child in enumerate(node) for path, value in values(child, f"{key}/{at}").items()}
    return {key: node}
