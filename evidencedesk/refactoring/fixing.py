"""Safe fixes, many at once. Invariant: a fix is applied whole or not at all, and none touches what another changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from evidencedesk.refactoring.edits import Edits, gathered
from evidencedesk.rule import Fix, Problem
from evidencedesk.text.spans import TextEdit


def safe_fixes(problems: Iterable[Problem], takes: Callable[[str], bool]) -> list[Fix]:
    """The first safe fix of each problem, in order, where it edits only files that are taken and no place twice.

    What is left out for the sake of an earlier one is there again in the state after those are applied.
    """
    first = (next((fix for fix in one.fixes if fix.safe and all(map(takes, fix.edits))), None) for one in problems)
    return without_conflicts(fix for fix in first if fix is not None)


def without_conflicts(fixes: Iterable[Fix]) -> list[Fix]:
    """The fixes that can be applied together, in order: each that edits no place that one before it edits."""
    chosen: list[Fix] = []
    edited: dict[str, list[TextEdit]] = {}
    for fix in fixes:
        if not any(_meets(fix.edits[path], edited.get(path, ())) for path in fix.edits):
            chosen.append(fix)
            for path, edits in fix.edits.items():
                edited.setdefault(path, []).extend(edits)
    return chosen


def edits_of(fixes: Iterable[Fix]) -> Edits:
    """All edits of fixes that do not meet."""
    return gathered((path, edit) for fix in fixes for path, edits in fix.edits.items() for edit in edits)


def _meets(one: Sequence[TextEdit], other: Sequence[TextEdit]) -> bool:
    return any(edit.span.overlaps(earlier.span) for edit in one for earlier in other)
