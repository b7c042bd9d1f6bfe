"""What front matter and suppressing comments are written with. Invariant: own names of fields are those configured."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from difflib import SequenceMatcher

from evidencedesk.documents.document import Document
from evidencedesk.workspace.settings import FieldNames
from evidencedesk_server.readings.completions.items import FIELD, KEYWORD, REFERENCE, VALUE, Item, rule_items
from evidencedesk_server.readings.state import State
from evidencedesk_server.verdicts import count

_STATUSES = ("current", "superseded")
_PLAIN = re.compile(r"[\w./#+-][\w ./+#-]*")
_LOOKS_TYPED = re.compile(r"(?i:true|false|yes|no|on|off|null|~|[-+.\d][\d.eE+-]*)")
_MAX_OTHER_FIELDS = 30
_ONCE = 1


def _fields(state: State, path: str, typed: str, more: tuple[str, ...]) -> list[Item]:
    """The known fields that are not written yet, then others that several pages have."""
    names = state.config.field_map().names
    docs = {name.removesuffix("_field"): field.description or "" for name, field in FieldNames.model_fields.items()}
    items = [
        Item(own, own, FIELD, "" if own == standard else f"the {standard} of a page", docs=docs.get(standard, ""))
        for standard, own in names.items()
    ]
    used = Counter(name for document in state.snapshot.documents if document.front for name in document.front.fields)
    known = set(names.values())
    items += [
        Item(name, name, FIELD, count(number, "page"))
        for name, number in used.most_common(_MAX_OTHER_FIELDS + len(known))
        if number > _ONCE and name not in known
    ]
    return [item for item in items if item.label not in more]


def _values(state: State, path: str, typed: str, more: tuple[str, ...]) -> list[Item]:
    """Values in use for a field; ids of other pages for `supersedes`."""
    own_name, *already = more
    names = state.config.field_map().names
    standard = next((standard for standard, own in names.items() if own == own_name), "")
    document = state.snapshot.facts.documents[path].document
    if standard == "supersedes":
        return [item for item in _older(state, document) if item.label not in already]
    if standard in ("id", "title"):
        return list(_own(document, standard))
    used = Counter(
        value
        for other in state.snapshot.documents
        for value in _written(other, own_name)
        if value and value not in already and other.path != path
    )
    if standard == "status":
        used.update(dict.fromkeys({*_STATUSES, *state.config.scope.statuses} - {*used, *already}, 0))
    if standard == "audience":
        used.update(dict.fromkeys(state.config.scope.audiences - {*used, *already}, 0))
    return [
        Item(value, _yaml(value), VALUE, count(number, "page") if number else "")
        for value, number in sorted(used.items(), key=lambda one: (-one[1], one[0]))
    ]


def _own(document: Document, standard: str) -> Iterator[Item]:
    """What a page may be called: after its file, or its first heading."""
    heading = next((section.heading for section in document.sections if section.heading), "")
    name = document.path.rpartition("/")[2].rpartition(".")[0]
    value = name if standard == "id" else heading
    if value:
        yield Item(value, _yaml(value), VALUE, "the file's name" if standard == "id" else "the first heading")


def _older(state: State, document: Document) -> list[Item]:
    """Ids of other pages, the most similar first: a page mostly replaces one of nearly the same id."""
    others = [chunked.document for doc_id, chunked in state.snapshot.facts.by_id.items() if doc_id != document.doc_id]
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(document.doc_id)

    def similarity(other: Document) -> float:
        matcher.set_seq1(other.doc_id)
        return matcher.quick_ratio()

    others.sort(key=lambda other: (-similarity(other), other.path))
    return [
        Item(
            other.doc_id,
            _yaml(other.doc_id),
            REFERENCE,
            " · ".join(filter(None, (other.title, other.status))),
            explain=("document", other.doc_id),
            other=other.title,
        )
        for other in others
    ]


def _written(document: Document, name: str) -> Iterator[str]:
    field = document.front.fields.get(name) if document.front else None
    values = field.value if field is not None else ()
    for value in values if isinstance(values, list) else [values]:
        if isinstance(value, str):
            yield value
        elif isinstance(value, bool):
            yield "true" if value else "false"
        elif isinstance(value, int | float):
            yield str(value)


def _yaml(value: str) -> str:
    """The value as YAML reads it back: in quotation marks where it would mean something else."""
    if _PLAIN.fullmatch(value) and " #" not in value and not value.endswith(" "):
        return value
    return value if _LOOKS_TYPED.fullmatch(value) else json.dumps(value, ensure_ascii=False)


# Comments


def _comments(state: State, path: str, typed: str, more: tuple[str, ...]) -> list[Item]:
    """What a comment to us may say: first to ignore what is reported on this page."""
    (prefix,) = more
    reported = Counter(problem.code for problem in state.problems.get(path, ()))
    items = [
        Item(f"{prefix}ignore {code}".strip(), f"{prefix}ignore {code}", KEYWORD, f"{count(number, 'problem')} here",
             explain=("rule", code))
        for code, number in reported.most_common()
    ]  # fmt: skip
    verbs = (
        ("ignore", "rules that say nothing about the next block"),
        ("ignore-file", "rules that say nothing about this file"),
    )
    items += [
        Item(f"{prefix}{verb} …".strip(), f"{prefix}{verb} ", KEYWORD, detail, snippet=f"{prefix}{verb} $0")
        for verb, detail in verbs
    ]
    return [*items, Item(f"{prefix}keep".strip(), f"{prefix}keep", KEYWORD, "the next block is never cut")]


def _codes(state: State, path: str, typed: str, more: tuple[str, ...]) -> list[Item]:
    reported = Counter(problem.code for problem in state.problems.get(path, ()))
    return rule_items(reported, more, "on this page")


PAGE_KINDS: Mapping[str, Callable[[State, str, str, tuple[str, ...]], list[Item]]] = {
    "fields": _fields,
    "field-values": _values,
    "comments": _comments,
    "page-codes": _codes,
}
