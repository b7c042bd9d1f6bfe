"""What can be done at a place: repairs, suppressions, new labels. Invariant: each says which texts it was made for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evidencedesk.rule import Fix, Problem
from evidencedesk_server.messages import ActionEntry, Question, text_hash
from evidencedesk_server.ranges import Json
from evidencedesk_server.readings.new_labels import new_label_actions
from evidencedesk_server.readings.state import State
from evidencedesk_server.suppressing import suppressions
from evidencedesk_server.to_lsp import accept_baseline, diagnostic, quick_fix

_REGRESSIONS = "ED6"


def actions(state: State, question: Question) -> list[Any]:
    """What can be done about the problems that touch the selection, and with what is selected."""
    repairs = [
        entry
        for problem in state.problems.get(question.path, ())
        if problem.span.start <= question.end and question.offset <= problem.span.end
        for entry in _of_problem(state, problem)
    ]
    return repairs + new_label_actions(state, question)


def _of_problem(state: State, problem: Problem) -> Iterator[ActionEntry]:
    shown = diagnostic(problem, state.texts, state.style)
    for fix in (*problem.fixes, *suppressions(problem, state.snapshot)):
        yield ActionEntry(needs=_needs(state, fix), action=_fix_action(state, fix, shown))
    if problem.code.startswith(_REGRESSIONS):
        yield ActionEntry(needs={}, action=accept_baseline(state.folder, shown))


def _fix_action(state: State, fix: Fix, shown: Json) -> Json:
    return quick_fix(fix, shown, state.texts, state.style["document_changes"])


def _needs(state: State, fix: Fix) -> dict[str, str]:
    return {state.texts.uri_of(path): text_hash(state.snapshot.texts.get(path, "")) for path in fix.edits}
