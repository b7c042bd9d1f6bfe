"""What a configuration is written with. Invariant: names, values and their meaning come from the schema alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from evidencedesk.workspace.config import config_schema
from evidencedesk_server.readings.completions.items import FIELD, SNIPPET, VALUE, Item, rule_items
from evidencedesk_server.readings.state import State
from evidencedesk_server.verdicts import count

Schema = Mapping[str, Any]

_RULE_LISTS = ("rules.select", "rules.ignore")
_IN_USE = {"scope.statuses": "status", "scope.audiences": "audience", "scope.langs": "lang"}
_SEVERITIES = "rules.severity"
_LANGUAGES = "analysis"


@cache
def _schema() -> Schema:
    return config_schema()


def _resolved(schema: Schema) -> Schema:
    """The schema that a reference names, and what stands beside it; of alternatives the one that is not null."""
    if (target := schema.get("$ref")) is not None:
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return _resolved({**_schema()["$defs"][target.rpartition("/")[2]], **beside})
    some = [one for one in schema.get("anyOf", ()) if one.get("type") != "null"]
    if len(some) == 1:
        return _resolved({**some[0], **{key: value for key, value in schema.items() if key != "anyOf"}})
    return schema


def _at(name: str) -> Schema | None:
    """What a table or setting takes; None for a name that there is not."""
    schema = _resolved(_schema())
    for step in filter(None, name.split(".")):
        below = schema.get("properties", {}).get(step) or schema.get("additionalProperties")
        if not isinstance(below, dict):
            return None
        schema = _resolved(below)
    return schema


def _is_table(schema: Schema) -> bool:
    return "properties" in schema


def _tables(state: State, path: str, typed: str, more: tuple[str, ...]) -> list[Item]:
    """Tables that the file does not have yet; a table per language of the documents."""
    base, *present = more
    prefix = f"{base}." if base else ""
    names = dict(_all_tables(_resolved(_schema()), ""))
    languages = Counter(document.lang for document in state.snapshot.documents if document.lang)
    names |= {f"{_LANGUAGES}.{lang}": "How the words of this language are searched." for lang in languages}
    if base:
        names = {"": "EvidenceDesk's settings.", **names}
    items = [(f"{prefix}{name}".rstrip("."), docs) for name, docs in names.items()]
    return [Item(name, name, FIELD, docs=docs) for name, docs in items if name not in present]


def _all_tables(schema: Schema, prefix: str) -> Iterator[tuple[str, str]]:
    for name, given in schema.get("properties", {}).items():
        inner = _resolved(given)
        if _is_table(inner):
            yield f"{prefix}{name}", inner.get("description", "")
            yield from _all_tables(inner, f"{prefix}{name}.")
        elif f"{prefix}{name}" == _SEVERITIES:
            yield _SEVERITIES, inner.get("description", "")


def _settings(state: State, path: str, typed: str, more: tuple[str, ...]) -> list[Item]:
    """The settings of a table that are not set yet; above all tables, the tables."""
    table, *present = more
    if not table:
        tables = _tables(state, path, typed, ("",))
        return [
            Item(f"[{item.label}]", f"[{item.value}]\n", SNIPPET, docs=item.docs, whole=True, other=item.label)
            for item in tables
            if path == "evidencedesk.toml"
        ]
    if table == _SEVERITIES:
        return _rules(state, present)
    schema = _at(table)
    return [
        Item(name, name, FIELD, _brief(inner), docs=inner.get("description", ""))
        for name, given in (schema or {}).get("properties", {}).items()
        if name not in present and not _is_table(inner := _resolved(given))
    ]


def _brief(schema: Schema) -> str:
    """What a setting takes, and its default."""
    taken = "one of several" if _choices(schema) else schema.get("type", "")
    default = schema.get("default")
    return f"{taken}, default {json.dumps(default)}" if default not in (None, [], {}) else taken


def _values(state: State, path: str, typed: str, more: tuple[str, ...]) -> list[Item]:
    """What a setting may be: its choices, its default, or what the documents use."""
    name, in_list, *already = more
    schema = _at(name)
    if schema is None:
        return []
    is_list = schema.get("type") == "array" or name in _IN_USE
    items = [item for item in _single(state, path, name, schema, already) if item.value not in already]
    if not is_list or in_list:
        return items
    # The list is not open yet.
    return [
        Item(f"[{written}]", f"[{written}]", item.kind, item.detail, explain=item.explain, bare=True, other=item.label)
        for item in items
        if (written := json.dumps(item.value, ensure_ascii=False))
    ]


def _single(state: State, path: str, name: str, schema: Schema, already: list[str]) -> list[Item]:
    if name in _RULE_LISTS:
        return _rules(state, already)
    if (field := _IN_USE.get(name)) is not None:
        used = Counter(str(getattr(document, field)) for document in state.snapshot.documents)
        return [Item(value, value, VALUE, count(number, "page")) for value, number in used.most_common() if value]
    default = schema.get("default")
    choices = _choices(schema)
    if not choices and isinstance(default, str | int | float):
        choices = [default]
    # The default comes first, being what most want to see.
    choices.sort(key=lambda choice: choice != default)
    return [
        Item(
            choice if isinstance(choice, str) else json.dumps(choice),
            choice if isinstance(choice, str) else json.dumps(choice),
            VALUE,
            "default" if choice == default else "",
            bare=not isinstance(choice, str),
        )
        for choice in choices
    ]


def _rules(state: State, already: list[str]) -> list[Item]:
    return rule_items(Counter(problem.code for problem in state.snapshot.problems), already, "in this folder")


def _choices(schema: Schema) -> list[Any]:
    """The values that a schema names."""
    if schema.get("type") == "boolean":
        return [True, False]
    if "items" in schema:
        return _choices(_resolved(schema["items"]))
    named = [schema["const"]] if "const" in schema else list(schema.get("enum", ()))
    return named + [choice for one in schema.get("anyOf", ()) for choice in _choices(_resolved(one))]


SETTING_KINDS: Mapping[str, Callable[[State, str, str, tuple[str, ...]], list[Item]]] = {
    "tables": _tables,
    "settings": _settings,
    "setting-values": _values,
}
