"""What rules report, and above all what they must not, on small workspaces kept as data.

`cases/<rule>/<case>/input/` is a workspace and `expected.txt` lists the rule's problems in it, one a line:
`CODE path:line:column message`. Where a folder `fixed/` stands beside it, applying the first fix of every problem,
except where it would touch what an earlier one changed, gives exactly these files. `pytest --update-expected` rewrites
both from what the rule does now.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from evidencedesk.text.spans import LineIndex, TextEdit, apply_edits
from evidencedesk.workspace import Workspace
from evidencedesk.workspace.snapshot import Snapshot

CASES = Path(__file__).parent / "cases"
TODAY = date(2026, 1, 1)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(path.parent, id=f"{path.parents[1].name}-{path.parent.name}")
        for path in sorted(CASES.glob("*/*/input"))
    ],
)
def test_case(case: Path, request: pytest.FixtureRequest) -> None:
    snapshot = Workspace.open(case / "input", today=TODAY).snapshot
    expected = case / "expected.txt"
    found = listed(snapshot, case.parent.name)
    if request.config.getoption("--update-expected"):
        expected.write_text(found, encoding="utf-8")
    assert found == expected.read_text(encoding="utf-8")

    for target in sorted((case / "fixed").rglob("*.*")):
        text = fixed(snapshot, case.parent.name, target.relative_to(case / "fixed").as_posix())
        if request.config.getoption("--update-expected"):
            target.write_bytes(text.encode("utf-8"))
        assert text.encode("utf-8") == target.read_bytes()


def listed(snapshot: Snapshot, rule: str) -> str:
    lines = []
    for problem in snapshot.problems:
        if problem.name == rule:
            line, column = LineIndex(snapshot.texts[problem.path]).position(problem.span.start)
            lines.append(f"{problem.code} {problem.path}:{line + 1}:{column + 1} {problem.message}\n")
    return "".join(lines)


def fixed(snapshot: Snapshot, rule: str, path: str) -> str:
    edits: list[TextEdit] = []
    for problem in snapshot.problems:
        new = problem.fixes[0].edits.get(path, ()) if problem.name == rule and problem.fixes else ()
        if not any(one.span.overlaps(other.span) for one in new for other in edits):
            edits += new
    return apply_edits(snapshot.texts[path], edits)
