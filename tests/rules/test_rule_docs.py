"""Every rule's docs are true: the example fires, the repaired one does not, and each fix offered does what it says."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from evidencedesk.rule import Problem, Rule
from evidencedesk.rules import RULES
from evidencedesk.text.spans import apply_edits
from evidencedesk.workspace import Change, Workspace
from rules.examples import example_files, headings, write

TODAY = date(2026, 1, 1)

# Families that say whether files are sound; rankings may well change when a fix is applied.
WELL_FORMED = ("ED1", "ED7", "ED9")

EACH_RULE = pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.name) for rule in RULES])


def problems_of(workspace: Workspace, rule: Rule) -> list[Problem]:
    return [problem for problem in workspace.snapshot.problems if problem.code == rule.code]


@EACH_RULE
def test_the_docs_have_all_parts(rule: Rule) -> None:
    assert headings(rule.docs) == ["Why it matters", "Example", "How to fix", "Repaired"]
    assert rule.summary.endswith("."), "the docs begin with a sentence of their own"


@EACH_RULE
def test_the_example_fires_and_says_so_in_whole_words(rule: Rule, tmp_path: Path) -> None:
    workspace = Workspace.open(write(example_files(rule.docs, "Example"), tmp_path), today=TODAY)
    problems = problems_of(workspace, rule)
    assert problems
    for problem in problems:
        text = workspace.snapshot.texts[problem.path]
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
        assert problem.message and not set(problem.message) & set("{}\n")
        for related in problem.related:
            assert 0 <= related.span.start <= related.span.end <= len(workspace.snapshot.texts[related.path])


@EACH_RULE
def test_the_repaired_example_does_not_fire(rule: Rule, tmp_path: Path) -> None:
    files = {**example_files(rule.docs, "Example"), **example_files(rule.docs, "Repaired")}
    assert example_files(rule.docs, "Repaired")
    workspace = Workspace.open(write(files, tmp_path), today=TODAY)
    assert problems_of(workspace, rule) == []


@pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.name) for rule in RULES if rule.fix])
def test_every_fix_of_the_example_clears_its_problem_and_leaves_sound_files(rule: Rule, tmp_path: Path) -> None:
    files = example_files(rule.docs, "Example")
    offered = [
        (problem, number)
        for problem in problems_of(Workspace.open(write(files, tmp_path / "first"), today=TODAY), rule)
        for number in range(len(problem.fixes))
    ]
    assert offered, "a rule with a fixer offers a fix in its example"
    for turn, (problem, number) in enumerate(offered):
        workspace = Workspace.open(write(files, tmp_path / str(turn)), today=TODAY)
        before = workspace.snapshot
        fix = problem.fixes[number]
        changes = [
            Change(path, apply_edits(before.texts.get(path, ""), edits)) for path, edits in sorted(fix.edits.items())
        ]
        after = workspace.apply(changes)
        assert len(problems_of(workspace, rule)) < len([p for p in before.problems if p.code == rule.code]), fix.title
        offered_again = [again.title for problem in problems_of(workspace, rule) for again in problem.fixes]
        assert offered_again.count(fix.title) < sum(
            each.title == fix.title for other in before.problems if other.code == rule.code for each in other.fixes
        )
        more = Counter(problem.code for problem in after.problems) - Counter(p.code for p in before.problems)
        assert not [code for code in more if code.startswith(WELL_FORMED)], f"{fix.title} breaks something else"
