"""What is being typed in a label file. Invariant: says nothing inside texts that only their author can know."""

from __future__ import annotations

import re
from collections.abc import Mapping

from evidencedesk.text.json_cursor import Around, JsonCursor, Wants, json_cursor
from evidencedesk.text.spans import Span
from evidencedesk_server.cursors.typed import Typed

_SCOPE_LISTS = ("statuses", "audiences", "langs")
_NEXT = re.compile(r"\s*+(.)?", re.DOTALL)


def label_cursor(path: str, text: str, offset: int) -> Typed | None:
    """A key of a label, of its gold or of its scope; a value of theirs; or a whole label in the list of them."""
    cursor = json_cursor(text, offset, lines=path.lower().endswith(".jsonl"))
    if not cursor.around:
        return _whole(cursor, text, "label") if not text[: cursor.span.start].strip("\ufeff \t\r\n[") else None
    inner = cursor.around[-1]
    if not inner.is_object:
        return _in_list(cursor, inner, text)
    role = _role(cursor.around)
    if role is None:
        return None
    if cursor.wants is Wants.KEY:
        return _key(cursor, role, inner, text)
    return _value(cursor, role, text)


def _role(around: tuple[Around, ...]) -> str | None:
    """What the innermost object is: `label`, `gold` or `scope`."""
    inner, outer = around[-1], around[-2] if len(around) > 1 else None
    if outer is None or outer.is_object:
        return {"": "label", "scope": "scope"}.get(inner.key)
    return {"": "label", "labels": "label", "gold": "gold", "alternatives": "gold"}.get(outer.key)


def _key(cursor: JsonCursor, role: str, inner: Around, text: str) -> Typed:
    span = cursor.span
    if cursor.quoted:
        span = Span(span.start - 1, span.end + cursor.closed)
    return Typed(
        "keys",
        span,
        cursor.typed,
        (role, *inner.values),
        "key",
        cursor.quoted,
        cursor.closed,
        cursor.colon,
        _follow(text, span.end),
        cursor.last_end,
    )


def _value(cursor: JsonCursor, role: str, text: str) -> Typed | None:
    values = cursor.around[-1].values
    match role, cursor.key:
        case "label", "id":
            return _string(cursor, text, "id")
        case ("label", "answerable") | ("gold", "grade"):
            return None if cursor.quoted else _string(cursor, text, cursor.key)
        case "gold", "section":
            return _string(cursor, text, "section")
        case "gold", "evidence":
            return _string(cursor, text, "evidence", _text(values, "section"))
        case "gold", "group":
            return _string(cursor, text, "group", *_groups(cursor.around))
    return None


def _in_list(cursor: JsonCursor, inner: Around, text: str) -> Typed | None:
    already = [item for item in inner.items if isinstance(item, str)]
    outer = cursor.around[-2].key if len(cursor.around) > 1 else ""
    if inner.key in ("", "labels"):
        return _whole(cursor, text, "label")
    if inner.key in ("gold", "alternatives"):
        return _whole(cursor, text, "gold-entry")
    if inner.key == "tags":
        return _string(cursor, text, "tags", *already)
    if inner.key == "ignore":
        label_id = _text(cursor.around[-2].values, "id") if len(cursor.around) > 1 else ""
        return _string(cursor, text, "label-codes", label_id, *already)
    if inner.key in _SCOPE_LISTS and outer == "scope":
        return _string(cursor, text, "scope-values", inner.key, *already)
    return None


def _whole(cursor: JsonCursor, text: str, kind: str) -> Typed | None:
    if cursor.quoted:
        return None
    in_list = "list" if cursor.around else ""
    follow = "," if _next(text, cursor.span.end) == "{" else ""
    return Typed(kind, cursor.span, cursor.typed, (in_list,), follow=follow, comma_at=cursor.last_end)


def _string(cursor: JsonCursor, text: str, kind: str, *more: str) -> Typed:
    follow = _follow(text, cursor.span.end + cursor.closed)
    return Typed(
        kind,
        cursor.span,
        cursor.typed,
        more,
        "string",
        cursor.quoted,
        cursor.closed,
        follow=follow,
        comma_at=cursor.last_end,
    )


def _text(values: Mapping[str, object], key: str) -> str:
    value = values.get(key)
    return value if isinstance(value, str) else ""


def _groups(around: tuple[Around, ...]) -> tuple[str, ...]:
    """The groups that the label's gold before this entry names."""
    entries: list[object] = list(around[-2].items) if len(around) > 1 else []
    gold = around[-3].values.get("gold") if len(around) > 2 else None
    entries += gold if isinstance(gold, list) else []
    groups = [entry.get("group") for entry in entries if isinstance(entry, dict)]
    return tuple(dict.fromkeys(group for group in groups if isinstance(group, str)))


def _follow(text: str, at: int) -> str:
    """A comma where the next thing is another key or text."""
    return "," if _next(text, at) == '"' else ""


def _next(text: str, at: int) -> str:
    found = _NEXT.match(text, at)
    return (found[1] if found else "") or ""
