"""JSON text → values with their places, whatever is broken. Invariant: linear in time, unlimited in depth, never fails.

Valid JSON reads as `json.loads` reads it. In anything else each fault is named once, at its place, and costs as little
as possible of what stands around it: a file is most often broken because somebody is typing in it.
"""

from __future__ import annotations

import re

from evidencedesk.text.json_nodes import Array, JsonDefect, Member, Node, Object, Scalar, Sound, plain
from evidencedesk.text.json_reader import Reader
from evidencedesk.text.spans import Span

__all__ = [
    "Array",
    "JsonDefect",
    "Member",
    "Node",
    "Object",
    "Scalar",
    "Sound",
    "plain",
    "read_json",
    "read_json_lines",
]

_LINE = re.compile(r"[^\r\n]+")


def read_json(text: str, sound: Sound | None = None) -> tuple[Node | None, tuple[JsonDefect, ...]]:
    """The value of a JSON text, and its defects in the order of their places; None when it holds no value at all.

    Objects that are `sound` are not looked into where they are entries of the outermost list, or of the first list
    inside the outermost object: each is an Object without members, and all else is as if they had been read.
    """
    return _read(text, 0, len(text), sound)


def read_json_lines(text: str, sound: Sound | None = None) -> tuple[tuple[Node, ...], tuple[JsonDefect, ...]]:
    """The values of a text with one JSON value a line, blank lines aside; a defect never leaves its line.

    A line that is a `sound` object is an Object without members.
    """
    values: list[Node] = []
    defects: list[JsonDefect] = []
    for line in _LINE.finditer(text):
        if line[0].isspace():
            continue
        if sound and sound.get(line.start()) == line.end():
            values.append(Object((), Span(*line.span())))
            continue
        value, found = _read(text, line.start(), line.end())
        defects += found
        if value is not None:
            values.append(value)
    return tuple(values), tuple(defects)


def _read(text: str, start: int, end: int, sound: Sound | None = None) -> tuple[Node | None, tuple[JsonDefect, ...]]:
    reader = Reader(text, start, end, resync=False, sound=sound)
    value = reader.read()
    if reader.unbalanced:
        reader = Reader(text, start, end, resync=True, sound=sound)
        value = reader.read()
    return value, tuple(sorted(reader.defects))
