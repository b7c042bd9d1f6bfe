"""Label file → labels with the place of every value. Invariant: never fails; a broken entry loses only itself."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

from evidencedesk.retrieval.catalog import Scope
from evidencedesk.retrieval.labels import Gold, Label
from evidencedesk.text.difference import difference
from evidencedesk.text.json_source import (
    Array,
    JsonDefect,
    Member,
    Node,
    Object,
    Scalar,
    plain,
    read_json,
    read_json_lines,
)
from evidencedesk.text.nearest import Names
from evidencedesk.text.spans import Span


@dataclass(frozen=True, slots=True)
class LabelDefect:
    """What is wrong with the file (`syntax`) or with one value of an entry (`schema`); `message` is a sentence.

    `meant` is the JSON that was plainly meant in place of `span`, "" where nothing was; `missing` the key that the
    object at whose opening brace `span` stands does not have, and that none of its keys is a misspelling of;
    `evidence` what a gold entry without a section says.
    """

    kind: Literal["syntax", "schema"]
    span: Span
    message: str
    meant: str = ""
    missing: str = ""
    evidence: str = ""


@dataclass(frozen=True)
class LabelSource:
    """A label and where it is written. `span` covers the whole object, and `inside` holds spans counted from its start.

    These are by keys, each the value's span, quotes included: `id`, `question`, `answerable`, `tags`, `gold`, `ignore`,
    `reason`, `scope`, `alternatives`, and with indices `gold[0]`, `gold[0].section`, `gold[0].evidence`,
    `gold[0].grade`, `gold[0].group`, `tags[0]`, `ignore[0]`. Indices are those of the label's own tuples: alternatives
    count on after the gold entries, and what is too broken to be in the label has none. A missing key is absent.
    """

    label: Label
    path: str
    span: Span
    inside: Mapping[str, Span]

    @cached_property
    def spans(self) -> Mapping[str, Span]:
        """The same spans in the text of the file."""
        return {key: _shifted(span, self.span.start) for key, span in self.inside.items()}

    def moved(self, span: Span) -> LabelSource:
        """The same object where it stands now."""
        return self if span == self.span else LabelSource(self.label, self.path, span, self.inside)

    def place(self, key: str) -> Span:
        """The span of `key`, else of the question, else of the object's opening brace."""
        return (
            self.spans.get(key)
            or self.spans.get("question")
            or Span(self.span.start, min(self.span.start + 1, self.span.end))
        )


@dataclass(frozen=True, slots=True)
class LabelFile:
    """One label file: its usable entries in file order, and its defects. Key: `path`."""

    path: str
    text: str
    entries: tuple[LabelSource, ...]
    defects: tuple[LabelDefect, ...]


def parse_label_file(path: str, text: str, before: LabelFile | None = None) -> LabelFile:
    """Read an array of labels, an object with an array `labels`, or one label a line.

    An entry without a usable `id` or `question` is left out. A defective optional value counts as absent (`answerable`
    is then true, `grade` 2, a list empty); a gold entry without section or evidence is left out of `gold`. `before` is
    what an earlier text of the file was read as, which saves work where that was the same and changes no result.
    """
    reader = _Reader(path, text, _kept(before, text) if before and before.path == path else {})
    entries = [source for node in reader.nodes() if (source := reader.label(node))]
    return LabelFile(path, text, tuple(entries), tuple(sorted(reader.defects, key=lambda defect: defect.span)))


def looks_like_labels(path: str, head: str) -> bool:
    """Whether a file that begins with `head` (which may end anywhere) is a label file.

    It is one when some entry has a `question` and is a label's in all else: it says `gold` or `answerable`, or has no
    key that labels do not have.
    """
    if '"question"' not in head:
        return False
    return any(
        "question" in keys and (not keys.isdisjoint(_TELLING) or all(_is_known(key, _LABEL_KEYS) for key in keys))
        for node in _Reader(path, head).nodes()
        if isinstance(node, Object) and (keys := _keys(node))
    )


_LABEL_KEYS = ("id", "question", "tags", "answerable", "gold", "reason", "ignore", "scope", "alternatives")
_GOLD_KEYS = ("section", "evidence", "grade", "group")
_SCOPE_KEYS = ("statuses", "audiences", "langs")
_FREE_KEYS = ("$schema", "note")
_TRUTH = {"true": "true", "yes": "true", "false": "false", "no": "false"}
_TELLING = {"gold", "answerable"}
_NEXT_LINE = re.compile(r"[\r\n]\{")


class _Kept(NamedTuple):
    """A label of an earlier text that stands in this one, and what was said about it there."""

    source: LabelSource
    defects: tuple[LabelDefect, ...]


def _kept(before: LabelFile, text: str) -> dict[int, _Kept]:
    """By where they begin now, the labels outside of what was edited whose text is valid JSON."""
    edit = difference(before.text, text)
    starts = [defect.span.start for defect in before.defects]
    is_valid = all(defect.kind == "schema" for defect in before.defects)
    kept = {}
    for source in before.entries:
        if span := edit.moved(source.span):
            first, end = bisect_left(starts, source.span.start), bisect_left(starts, source.span.end)
            own, by = before.defects[first:end], span.start - source.span.start
            if is_valid or (all(one.kind == "schema" for one in own) and _is_object(span.of(text))):
                kept[span.start] = _Kept(source.moved(span), tuple([_moved(defect, by) for defect in own]))
    return kept


def _moved(defect: LabelDefect, by: int) -> LabelDefect:
    return replace(defect, span=_shifted(defect.span, by)) if by else defect


def _is_object(text: str) -> bool:
    """Whether a text is a JSON object by itself: of faults in a row only the first is told, at its place."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _shifted(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


class _Reader:
    """Reads one file, collecting defects."""

    def __init__(self, path: str, text: str, kept: Mapping[int, _Kept] | None = None) -> None:
        self.path = path
        self.text = text
        self.kept = kept or {}
        self.sound = {start: one.source.span.end for start, one in self.kept.items()}
        self.defects: list[LabelDefect] = []

    def nodes(self) -> tuple[Node, ...]:
        """The entries, usable or not."""
        if self.path.lower().endswith(".jsonl") and self.text.lstrip("\ufeff \t\r\n").startswith("{"):
            return self._lines()
        root, syntax = read_json(self.text, self.sound)
        if isinstance(root, Object) and "labels" not in _keys(root) and "question" in _keys(root):
            if _NEXT_LINE.search(self.text):
                return self._lines()
            # What was an entry may now stand in a list of this label.
            root, syntax = read_json(self.text) if self.sound else (root, syntax)
            self._syntax(syntax)
            return (root,) if root else ()
        self._syntax(syntax)
        if isinstance(root, Object) and "labels" in _keys(root):
            root = self._fields(root, ("labels",), {}).get("labels")
        if isinstance(root, Array):
            return root.items
        if root is not None:
            self._fault(_opening(root), "a label file is a list of labels, or an object with such a list as `labels`")
        return ()

    def _lines(self) -> tuple[Node, ...]:
        nodes, syntax = read_json_lines(self.text, self.sound)
        self._syntax(syntax)
        return nodes

    def label(self, node: Node) -> LabelSource | None:
        """The label of one entry; None when it has no usable id or question."""
        if not isinstance(node, Object):
            self._fault(node.span, f"a label is an object in braces, not {self._shown(node)}")
            return None
        if not node.members and (kept := self.kept.get(node.span.start)) and kept.source.span == node.span:
            self.defects += kept.defects
            return kept.source
        spans: dict[str, Span] = {}
        fields = self._fields(node, _LABEL_KEYS, spans)
        for key in ("id", "question"):
            if key not in spans:
                self._fault(_opening(node), f"this label has no `{key}`", missing=key)
        label_id = self._text("id", fields.get("id"))
        question = self._text("question", fields.get("question"))
        answerable = self._answerable(fields.get("answerable"))
        tags = self._texts("tags", fields.get("tags"), spans)
        gold = self._gold("gold", fields.get("gold"), spans, 0)
        gold += self._gold("alternatives", fields.get("alternatives"), spans, len(gold))
        reason = self._text("reason", fields.get("reason"), may_be_empty=True)
        ignore = self._texts("ignore", fields.get("ignore"), spans)
        scope = self._scope(fields.get("scope"), spans)
        if not label_id or not question:
            return None
        label = Label(label_id, question, tags, answerable, gold, reason, ignore=ignore, scope=scope)
        inside = {key: _shifted(span, -node.span.start) for key, span in spans.items()}
        return LabelSource(label, self.path, node.span, inside)

    # Values -----------------------------------------------------------------------------------------------------

    def _fields(
        self, node: Object, known: tuple[str, ...], spans: dict[str, Span], prefix: str = ""
    ) -> dict[str, Node]:
        """Key → value of what is there; the last of equal keys. Adds to `spans` and tells unknown and double keys."""
        found: dict[str, Node] = {}
        seen: dict[str, Member] = {}
        for member in node.members:
            if not _is_known(member.key, known):
                self._unknown(member, known, _keys(node))
            if member.key in seen:
                self._fault(member.key_span, f"`{member.key}` is written twice here; the last one counts")
            seen[member.key] = member
            # A key without a value is a fault of syntax, told already: its place is enough.
            spans[prefix + member.key] = member.value.span if member.value else member.key_span
            if member.value:
                found[member.key] = member.value
        return found

    def _text(self, key: str, node: Node | None, *, may_be_empty: bool = False) -> str:
        if node is None:
            return ""
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            number = isinstance(node, Scalar) and type(node.value) in (int, float)
            self._wrong(key, node, "text in quotation marks", f'"{node.span.of(self.text)}"' if number else "")
            return ""
        if not node.value.strip() and not may_be_empty:
            self._fault(node.span, f"`{key}` is empty")
            return ""
        return node.value

    def _texts(self, key: str, node: Node | None, spans: dict[str, Span]) -> tuple[str, ...]:
        texts: list[str] = []
        for item in self._items(key, node, "a list of texts"):
            if text := self._text(f"{key}[{len(texts)}]", item):
                spans[f"{key}[{len(texts)}]"] = item.span
                texts.append(text)
        return tuple(texts)

    def _answerable(self, node: Node | None) -> bool:
        if node is None:
            return True
        if isinstance(node, Scalar) and isinstance(node.value, bool):
            return node.value
        said = node.value if isinstance(node, Scalar) else None
        meant = _TRUTH.get(said.strip().lower(), "") if isinstance(said, str) else ""
        self._wrong("answerable", node, "true or false", meant)
        return True

    def _gold(self, name: str, node: Node | None, spans: dict[str, Span], before: int) -> tuple[Gold, ...]:
        """The entries of the list `name`; `before` of the label's gold come before them."""
        gold: list[Gold] = []
        for item in self._items(name, node, "a list of objects with `section` and `evidence`"):
            key = f"gold[{before + len(gold)}]"
            if not isinstance(item, Object):
                self._wrong(f"{name}[{len(gold)}]", item, "an object with `section` and `evidence`")
                continue
            own: dict[str, Span] = {key: item.span}
            fields = self._fields(item, _GOLD_KEYS, own, f"{key}.")
            section = self._text("section", fields.get("section"))
            evidence = self._text("evidence", fields.get("evidence"))
            spelt = all(_is_known(member.key, _GOLD_KEYS) for member in item.members)
            for needed in ("section", "evidence"):
                if f"{key}.{needed}" not in own:
                    fault, missing = f"this gold entry has no `{needed}`", needed if spelt else ""
                    self._fault(_opening(item), fault, missing=missing, evidence=evidence)
            grade = self._grade(fields.get("grade"))
            group = self._text("group", fields.get("group"))
            if section and evidence:
                spans |= own
                gold.append(Gold(section, evidence, grade, group=group, alternative=name == "alternatives"))
        return tuple(gold)

    def _grade(self, node: Node | None) -> int:
        if node is None:
            return 2
        if isinstance(node, Scalar) and type(node.value) is int and node.value in (1, 2):
            return node.value
        said = str(node.value).strip() if isinstance(node, Scalar) else ""
        meant = said[:1] if said in ("1", "2", "1.0", "2.0") else ""
        self._wrong("grade", node, "2 (the whole answer) or 1 (a part of it)", meant)
        return 2

    def _scope(self, node: Node | None, spans: dict[str, Span]) -> Scope | None:
        """A label's own scope; what it does not name is as in a workspace that configures nothing."""
        if node is None:
            return None
        if not isinstance(node, Object):
            self._wrong("scope", node, "an object with `statuses`, `audiences` or `langs`")
            return None
        fields = self._fields(node, _SCOPE_KEYS, spans, "scope.")
        given = {key: frozenset(self._texts(f"scope.{key}", fields.get(key), spans)) for key in _SCOPE_KEYS}
        default = Scope()
        return Scope(
            given["statuses"] or default.statuses, given["audiences"] or default.audiences, given["langs"] or None
        )

    def _items(self, key: str, node: Node | None, wanted: str) -> Iterable[Node]:
        if isinstance(node, Array):
            return node.items
        if node is not None:
            single = isinstance(node, Object) == ("objects" in wanted) and plain(node) is not None
            self._wrong(key, node, wanted, f"[{node.span.of(self.text)}]" if single else "")
        return ()

    # Defects ----------------------------------------------------------------------------------------------------

    def _syntax(self, defects: Iterable[JsonDefect]) -> None:
        self.defects += (LabelDefect("syntax", span, message) for span, message in defects)

    def _fault(self, span: Span, message: str, meant: str = "", missing: str = "", evidence: str = "") -> None:
        self.defects.append(LabelDefect("schema", span, message, meant, missing, evidence))

    def _wrong(self, key: str, node: Node, wanted: str, meant: str = "") -> None:
        self._fault(node.span, f"`{key}` must be {wanted}, not {self._shown(node)}", meant)

    def _unknown(self, member: Member, known: tuple[str, ...], present: set[str]) -> None:
        near = Names(known).nearest(member.key)
        advice = (
            f"did you mean `{near}`?" if near else f"known are {', '.join(known)}; keys of your own begin with `x-`"
        )
        meant = f'"{near}"' if near and near not in present else ""
        self._fault(member.key_span, f"there is no key `{member.key}` here; {advice}", meant)

    def _shown(self, node: Node) -> str:
        if isinstance(node, Object):
            return "an object"
        if isinstance(node, Array):
            return "a list"
        written = node.span.of(self.text)
        return written if len(written) <= 40 else f"{written[:39]}…"


def _is_known(key: str, known: tuple[str, ...]) -> bool:
    return key in known or key in _FREE_KEYS or key.startswith("x-")


def _keys(node: Object) -> set[str]:
    return {member.key for member in node.members}


def _opening(node: Node) -> Span:
    return Span(node.span.start, node.span.start + 1)
