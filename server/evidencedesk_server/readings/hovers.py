"""What is said at one place. Invariant: the place itself first, then what stands around it, then notes on problems."""

from __future__ import annotations

from itertools import chain
from typing import Any

from evidencedesk.rules import RULES
from evidencedesk_server.messages import Question
from evidencedesk_server.readings.state import State, chars


def hovers(state: State, question: Question) -> list[Any]:
    """Spans that hold the character asked about, each with its text; the smallest first."""
    offset = question.offset
    said = [
        (span, text())
        for span, text in chain(state.hovers.of_file(question.path), state.names.of_file(question.path))
        if span.start <= offset <= span.end
    ]
    notes = [
        (problem.span, f"**{rule.code}** {rule.name}: {state.escape(rule.summary)}")
        for problem in state.problems.get(question.path, ())
        if problem.span.start <= offset <= problem.span.end
        for rule in RULES
        if rule.code == problem.code
    ]
    ordered = (sorted(told, key=lambda one: one[0].end - one[0].start) for told in (said, notes))
    return [{"at": chars(span), "text": text} for span, text in chain.from_iterable(ordered)]
