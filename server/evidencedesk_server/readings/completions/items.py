"""One thing to choose, and how many are shown. Invariant: pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evidencedesk.retrieval.evidence import split_section
from evidencedesk.rules import RULES
from evidencedesk_server.readings.matching import NO_MATCH, quality
from evidencedesk_server.readings.state import State

LIMIT = 100

FIELD, VALUE, KEYWORD, SNIPPET, REFERENCE, FOLDER_LIKE, TEXT = 5, 12, 14, 15, 18, 9, 1
"""LSP's kinds of items."""


@dataclass(frozen=True, slots=True)
class Item:
    """`value` is what is meant; how it is written depends on where it is typed.

    `bare` values take no quotation marks; `whole` ones are written as they are, with nothing after them. `snippet` is
    the same with places to go to (`$1`) and from the margin on, and for a key what stands after its colon. `explain`
    names what can be told about it: a kind and a name. Items marked `chosen` fit already; the others fit by label,
    value or `other` texts.
    """

    label: str
    value: str
    kind: int = VALUE
    detail: str = ""
    docs: str = ""
    explain: tuple[str, str] | None = None
    bare: bool = False
    whole: bool = False
    snippet: str = ""
    other: str = ""
    chosen: bool = False

    def json(self) -> dict[str, Any]:
        """For the loop, which writes it for the place and the client; what is not so is left out."""
        given: dict[str, Any] = {"label": self.label, "value": self.value, "kind": self.kind}
        optional = {
            "detail": self.detail,
            "docs": self.docs,
            "explain": list(self.explain or ()),
            "bare": self.bare,
            "whole": self.whole,
            "snippet": self.snippet,
        }
        return given | {name: value for name, value in optional.items() if value}


def fitting(typed: str, items: Iterable[Item]) -> list[Item]:
    """The items that fit what is typed, the better first, else in the order given: at most `LIMIT`."""
    wanted = typed.strip("\"'").casefold()
    rated = [(0 if item.chosen else _fit(wanted, item), item) for item in items]
    rated.sort(key=lambda one: one[0])
    return [item for fit, item in rated[:LIMIT] if fit < NO_MATCH]


def _fit(wanted: str, item: Item) -> int:
    if not wanted:
        return 0
    texts = (item.value, item.label, item.other)
    # What is written in full already is no worse than what it begins.
    return max(1, min(quality(wanted, text.casefold()) for text in texts if text))


def rule_items(reported: Mapping[str, int], already: Collection[str], where: str) -> list[Item]:
    """The rules that are not named already; those `reported` so many times come first, and it is said `where`."""
    rules = sorted((rule for rule in RULES if rule.code not in already), key=lambda rule: -reported.get(rule.code, 0))
    return [
        Item(
            rule.code,
            rule.code,
            VALUE,
            f"{rule.name}, reported {where}" if rule.code in reported else rule.name,
            explain=("rule", rule.code),
            other=rule.name,
        )
        for rule in rules
    ]


def explanation(state: State, kind: str, name: str) -> str:
    """A rule's page, a document in one line, or a section's beginning; "" for what is no longer there."""
    facts = state.snapshot.facts
    if kind == "rule":
        return state.names.rule(name)
    doc_id = split_section(name, facts.by_id)
    if (chunked := facts.by_id.get(doc_id)) is None:
        return ""
    if kind == "document":
        return state.names.document(chunked)
    sections = chunked.document.sections_named(name[len(doc_id) + 1 :])
    return "\n\n".join(state.names.section(chunked, section) for section in sections)
