"""What completes what is being typed. Invariant: at most `LIMIT` items of any kind, the likeliest first.

A question's words are a kind, the text typed so far, and what else a kind needs to know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evidencedesk_server.messages import Question
from evidencedesk_server.readings.completions.items import Item, explanation, fitting
from evidencedesk_server.readings.completions.labels import LABEL_KINDS, holds_labels
from evidencedesk_server.readings.completions.pages import PAGE_KINDS
from evidencedesk_server.readings.completions.settings import SETTING_KINDS
from evidencedesk_server.readings.state import State

_KINDS: Mapping[str, Callable[[State, str, str, tuple[str, ...]], list[Item]]] = {
    **LABEL_KINDS,
    **PAGE_KINDS,
    **SETTING_KINDS,
}


def completions(state: State, question: Question) -> list[Any]:
    """The items for a kind; nothing in files that are none of ours."""
    kind, typed, *more = question.words
    facts = state.snapshot.facts
    known = question.path in facts.documents if kind in PAGE_KINDS else True
    if not known or (kind in LABEL_KINDS and not holds_labels(state, question.path)):
        return []
    return [item.json() for item in fitting(typed, _KINDS[kind](state, question.path, typed, tuple(more)))]


def explanations(state: State, question: Question) -> list[Any]:
    """What is said about an item that names a rule, a document or a section: the words are its kind and its name."""
    kind, name = question.words
    said = explanation(state, kind, name)
    return [said] if said else []
