"""What can be done at a place: repairs, suppressions, new labels. Invariant: each says which texts it was made for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from evidencedesk.refactoring.copies import fixes_of_copies
from evidencedesk.refactoring.edits import Edits
from evidencedesk.refactoring.fixing import edits_of, safe_fixes, without_conflicts
from evidencedesk.rule import Fix, Problem
from evidencedesk_server.messages import ActionEntry, Question, text_hash
from evidencedesk_server.ranges import Json
from evidencedesk_server.readings.new_labels import new_label_actions
from evidencedesk_server.readings.rewrites import rewrites
from evidencedesk_server.readings.state import State
from evidencedesk_server.suppressing import suppression_everywhere, suppressions
from evidencedesk_server.to_lsp import FIX_ALL, accept_baseline, diagnostic, quick_fix, refused_fix, workspace_edit

CREATES, REFUSALS = "creates", "refusals"
"""Words of the question: the client creates files; it shows what cannot be done, and why."""

_REGRESSIONS = "ED6"

_REFUSALS: Mapping[str, tuple[str, str]] = {
    "ED103": ("Give this page an id of its own", "the ids of all pages are taken, or are their paths"),
    "ED201": ("Keep the answer together", "it crosses a heading, or a part of it is kept together already"),
    "ED205": ("Replace the copy by a link", "only whole blocks that stand on at most two pages can be replaced"),
    "ED206": ("Replace the other wording by a link", "only you can say which of the two wordings holds"),
    "ED704": ("Point to another section", "no section holds the evidence, and none has a similar name"),
    "ED705": ("Take the evidence from the page", "nothing on the page resembles it"),
    "ED706": ("Quote more of the sentence", "the whole sentence is repeated as well, or no chunk holds it"),
}
"""What an author may look for where a rule offers no fix, and why there is none."""


def actions(state: State, question: Question) -> list[Any]:
    """What can be done about the problems that touch the selection, with what is selected, and with the whole file."""
    here = [
        problem
        for problem in state.problems.get(question.path, ())
        if problem.span.start <= question.end and question.offset <= problem.span.end
    ]
    found = [entry for problem in here for entry in _of_problem(state, problem, question.words)]
    edits = [entry["action"].get("edit") for entry in found]
    made = [entry for entry in rewrites(state, question) if entry["action"].get("edit") not in edits]
    made = [*new_label_actions(state, question), *made]
    return [*_merged(found), *made, *_fix_all(state, question.path)]


def _merged(entries: list[ActionEntry]) -> list[ActionEntry]:
    """The entries with those that do the same as one: it is about all their problems."""
    found: dict[str, ActionEntry] = {}
    for entry in entries:
        action = entry["action"]
        key = json.dumps([action["title"], action.get("edit"), action.get("command"), action.get("disabled")])
        known = found.setdefault(key, ActionEntry(needs=entry["needs"], action={**action, "diagnostics": []}))
        known["action"]["diagnostics"] += action["diagnostics"]
    return list(found.values())


def _of_problem(state: State, problem: Problem, words: tuple[str, ...]) -> Iterator[ActionEntry]:
    shown = diagnostic(problem, state.texts, state.style)
    offered = (*problem.fixes, *fixes_of_copies(problem, state.snapshot.facts))
    fixes = [fix for fix in offered if all(map(state.takes, fix.edits))]
    if not fixes and REFUSALS in words and problem.code in _REFUSALS and "more" not in problem.values:
        yield ActionEntry(needs={}, action=refused_fix(*_REFUSALS[problem.code], shown))
    fixes += suppressions(problem, state.snapshot)
    if everywhere := suppression_everywhere(problem.code, state.snapshot, creates=CREATES in words):
        fixes.append(everywhere)
    for fix in [*fixes[:1], *_of_all_alike(state, problem), *fixes[1:]]:
        yield ActionEntry(needs=_needs(state, fix.edits), action=_fix_action(state, fix, shown))
    if problem.code.startswith(_REGRESSIONS):
        yield ActionEntry(needs={}, action=accept_baseline(state.folder, shown))


def _of_all_alike(state: State, problem: Problem) -> Iterator[Fix]:
    """A problem's first fix, for all problems of its kind in the file that are mended in the same words."""
    title = problem.fixes[0].title if problem.fixes else ""
    alike = [
        fix
        for other in state.problems.get(problem.path, ())
        for fix in other.fixes[:1]
        if other.code == problem.code and fix.title == title and all(map(state.takes, fix.edits))
    ]
    together = without_conflicts(alike)
    if len(together) > 1:
        yield Fix(f"{title} (all {len(together)} such problems of this file)", edits_of(together))


def _fix_all(state: State, path: str) -> Iterator[ActionEntry]:
    """All safe fixes of a file that edit nothing else."""
    fixes = safe_fixes(state.problems.get(path, ()), lambda edited: edited == path)
    if fixes:
        edits = edits_of(fixes)
        title = f"Fix what can safely be fixed in this file ({len(fixes)})"
        edit = workspace_edit(edits, state.texts, state.style["document_changes"])
        yield ActionEntry(needs=_needs(state, edits), action={"title": title, "kind": FIX_ALL, "edit": edit})


def _fix_action(state: State, fix: Fix, shown: Json) -> Json:
    return quick_fix(fix, shown, state.texts, state.style["document_changes"])


def _needs(state: State, edits: Edits) -> dict[str, str]:
    return {state.texts.uri_of(path): text_hash(state.snapshot.texts.get(path, "")) for path in edits}
