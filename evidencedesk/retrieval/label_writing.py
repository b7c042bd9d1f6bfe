"""New labels in a label file's own style. Invariant: what is inserted reads back as the label; the rest stays."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from evidencedesk.text.json_source import Array, Node, Object, read_json, read_json_lines
from evidencedesk.text.spans import Span, TextEdit

_NUMBERED = re.compile(r"(?P<head>.*?)(?P<number>[0-9]+)(?P<tail>[^0-9]*)", re.DOTALL)
_ESCAPED = re.compile(r"\\u[0-9a-fA-F]{4}")
_NEW_LINE = re.compile(r"\r\n|\n|\r")
_INDENT = re.compile(r"[ \t]*+")


def next_id(ids: Sequence[str], taken: Collection[str]) -> str:
    """An id that follows on `ids`, those of a file in its order, and is not `taken`.

    One more than the greatest number among the ids that are written like the last numbered one, with as many digits;
    `q1`, `q2` … where none has a number.
    """
    numbered = [match for one in reversed(ids) if (match := _NUMBERED.fullmatch(one))]
    head, tail, width, number = "q", "", 1, 0
    if numbered:
        last = numbered[0]
        head, tail, width = last["head"], last["tail"], len(last["number"])
        number = max(int(one["number"]) for one in numbered if (one["head"], one["tail"]) == (head, tail))
    while True:
        number += 1
        if (candidate := f"{head}{number:0{width}}{tail}") not in taken:
            return candidate


@dataclass(frozen=True, slots=True)
class LabelLayout:
    """How a file writes labels.

    `base` stands before a label's brace; `step` is one more indentation, None where a label stays on one line. `nested`
    says whether lists of objects are spread over lines too. `comma` and `colon` are the separators inside a line.
    """

    base: str = "  "
    step: str | None = "  "
    nested: bool = False
    comma: str = ", "
    colon: str = ": "
    line_end: str = "\n"
    escapes: bool = False

    def written(self, label: Mapping[str, object]) -> str:
        """The text of a label, from brace to brace; its first line is not indented."""
        if self.step is None:
            return self._inline(label)
        inner = self.base + self.step
        lines = [f"{inner}{self._inline(key)}: {self._value(value, inner)}" for key, value in label.items()]
        return self.line_end.join(["{", *(f"{line}," for line in lines[:-1]), *lines[-1:], f"{self.base}}}"])

    def _value(self, value: object, indent: str) -> str:
        if not (self.nested and isinstance(value, list) and value):
            return self._inline(value)
        spread = json.dumps(value, indent=self.step, ensure_ascii=self.escapes)
        return spread.replace("\n", self.line_end + indent)

    def _inline(self, value: object) -> str:
        return json.dumps(value, ensure_ascii=self.escapes, separators=(self.comma, self.colon))


@dataclass(frozen=True, slots=True)
class Insertion:
    """A label to be inserted; `question` is where its empty question stands, inside the quotes, in the new text."""

    edit: TextEdit
    question: int


def layout_of(path: str, text: str) -> LabelLayout:
    """How the file writes labels: as its last one that has gold is written, else its last, else as most files do."""
    line_end = _NEW_LINE.search(text)
    end = line_end[0] if line_end else "\n"
    escapes = text.isascii() and _ESCAPED.search(text) is not None
    items = [item for item in _items(path, text)[0] if isinstance(item, Object) and item.members]
    if not items:
        on_one_line = _in_lines(path)
        return LabelLayout("" if on_one_line else "  ", None if on_one_line else "  ", line_end=end, escapes=escapes)
    model = next((item for item in reversed(items) if _list(item, "gold")), items[-1])
    source = model.span.of(text)
    first = model.members[0]
    between = text[first.key_span.end : first.value.span.start] if first.value else ": "
    colon, comma = (": ", ", ") if between.endswith(" ") else (":", ",")
    base = _indent(text, model.span.start)
    if not _NEW_LINE.search(source):
        return LabelLayout(base, None, comma=comma, colon=colon, line_end=end, escapes=escapes)
    inner = _indent(text, first.key_span.start)
    step = inner[len(base) :] if inner.startswith(base) and len(inner) > len(base) else "  "
    gold = _list(model, "gold") or next((one for member in model.members if (one := _list(model, member.key))), None)
    nested = gold is not None and _NEW_LINE.search(gold.span.of(text)) is not None
    return LabelLayout(base, step, nested, line_end=end, escapes=escapes)


def appended(path: str, text: str, label: Mapping[str, object]) -> Insertion | None:
    """The label, with its empty `question`, as the last of the file. None for a file that is not sound JSON."""
    if not text.strip("\ufeff \t\r\n"):
        if _in_lines(path):
            return _inserted(text, len(text), "", LabelLayout("", None), label, "\n")
        return _inserted(text, len(text), "[\n  ", LabelLayout(), label, "\n]\n")
    items, home, sound = _items(path, text)
    if not sound:
        return None
    layout = layout_of(path, text)
    if home is None:
        tail = text.rstrip("\r\n\t ")
        return _inserted(text, len(tail), layout.line_end, layout, label, "" if len(tail) < len(text) else "\n")
    if not items:
        opening, closing = home.span.start + 1, home.span.end - 1
        before = layout.line_end + layout.base
        after = "" if text[opening:closing] else layout.line_end
        return _inserted(text, opening, before, layout, label, after)
    spread = _NEW_LINE.search(text, home.span.start, items[-1].span.start) is not None
    before = "," + (layout.line_end + layout.base if spread else layout.comma[1:])
    return _inserted(text, items[-1].span.end, before, layout, label, "")


def _inserted(
    text: str, at: int, before: str, layout: LabelLayout, label: Mapping[str, object], after: str
) -> Insertion:
    written = layout.written(label)
    mark = re.search(r'"question"\s*:\s*"', written)
    return Insertion(
        TextEdit(Span(at, at), f"{before}{written}{after}"), at + len(before) + (mark.end() if mark else 0)
    )


def _in_lines(path: str) -> bool:
    return path.lower().endswith(".jsonl")


def _items(path: str, text: str) -> tuple[Sequence[Node], Array | None, bool]:
    """The entries, the list that holds them (None: one a line), and whether the whole is sound."""
    if _in_lines(path):
        nodes, defects = read_json_lines(text)
        return nodes, None, not defects
    root, defects = read_json(text)
    if isinstance(root, Object):
        root = next((member.value for member in reversed(root.members) if member.key == "labels"), None)
    return (root.items, root, not defects) if isinstance(root, Array) else ((), None, False)


def _list(node: Object, key: str) -> Array | None:
    found: Iterable[Node | None] = (member.value for member in reversed(node.members) if member.key == key)
    return next((value for value in found if isinstance(value, Array) and value.items), None)


def _indent(text: str, at: int) -> str:
    """The white space before a place, "" when something else stands before it on its line."""
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    indent = _INDENT.match(text, start)
    return text[start:at] if indent and indent.end() == at else ""
