"""The tree that a JSON text reads as. Invariant: every node and key has its place in the text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from evidencedesk.text.spans import Span


class JsonDefect(NamedTuple):
    """What is wrong at one place; `message` is a sentence without its full stop."""

    span: Span
    message: str


class Scalar(NamedTuple):
    """A string, number, true, false or null; the span of a string includes its quotation marks."""

    value: str | int | float | bool | None
    span: Span


class Array(NamedTuple):
    """A list; an array that is never closed ends where its last item does."""

    items: tuple[Node, ...]
    span: Span


class Member(NamedTuple):
    """One `"key": value` of an object; `value` is None where the text has none, as in `{"id": }`."""

    key: str
    key_span: Span
    value: Node | None


class Object(NamedTuple):
    """An object: its members as written, duplicate keys included."""

    members: tuple[Member, ...]
    span: Span


Node = Scalar | Array | Object

Sound = Mapping[int, int]
"""Where objects begin and end that are known to be valid JSON."""


def plain(node: Node | None) -> object:
    """The value as `json.loads` gives it: the last of equal keys wins; a missing value is None."""
    result: list[object] = []
    work: list[tuple[Node | None, list[object] | dict[str, object], str]] = [(node, result, "")]
    while work:
        node, parent, key = work.pop()
        value: object
        if isinstance(node, Object):
            value = dict.fromkeys(member.key for member in node.members)
            work += [(member.value, value, member.key) for member in reversed(node.members)]
        elif isinstance(node, Array):
            value = []
            work += [(item, value, "") for item in reversed(node.items)]
        else:
            value = node.value if node else None
        if isinstance(parent, dict):
            parent[key] = value
        else:
            parent.append(value)
    return result[0]
