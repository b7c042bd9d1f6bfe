"""Every fix that is offered anywhere does what it says: its problem is gone, and it is not offered again."""

from __future__ import annotations

import os
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from evidencedesk.rule import Problem
from evidencedesk.samples import KESTREL
from evidencedesk.text.spans import apply_edits
from evidencedesk.workspace import Change, Workspace

TODAY = date(2026, 1, 1)
CASES = Path(__file__).parent / "cases"
FOLDERS = sorted(CASES.glob("*/*/input"))
# `EVIDENCEDESK_FIX_DATA=DIR:DIR` tries the fixes on knowledge bases of your own as well.
FOLDERS += [
    KESTREL,
    KESTREL.parent / "plotva",
    *map(Path, filter(None, os.getenv("EVIDENCEDESK_FIX_DATA", "").split(":"))),
]


def prints(problems: tuple[Problem, ...]) -> Counter[str]:
    return Counter(problem.fingerprint for problem in problems)


@pytest.mark.parametrize("folder", [pytest.param(path, id="-".join(path.parts[-3:])) for path in FOLDERS])
def test_a_fix_clears_its_problem_and_is_not_offered_again(folder: Path) -> None:
    workspace = Workspace.open(folder, today=TODAY)
    before = workspace.snapshot
    known = prints(before.problems)
    for problem in before.problems:
        for fix in problem.fixes:
            texts = {path: apply_edits(before.texts.get(path, ""), edits) for path, edits in fix.edits.items()}
            assert any(text != before.texts.get(path) for path, text in texts.items()), fix.title
            after = workspace.apply([Change(path, text) for path, text in texts.items()])
            assert prints(after.problems)[problem.fingerprint] < known[problem.fingerprint], f"{problem} {fix.title}"
            offered = [one for one in after.problems if one.fingerprint == problem.fingerprint]
            assert fix.title not in [again.title for one in offered for again in one.fixes if again.edits == fix.edits]
            workspace.apply([Change(path, before.texts.get(path)) for path in texts])
    assert workspace.snapshot.problems == before.problems
