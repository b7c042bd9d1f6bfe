"""The block of fields at the top of a file. Invariant: reading never fails and never takes body text for fields."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

import yaml

from evidencedesk.documents.document import Defect, FrontMatter, FrontMatterField
from evidencedesk.text.spans import LINE_END, Span

TEXT_FIELDS = ("id", "title", "version", "status", "audience", "lang")

_FENCED = re.compile(r"(?P<fence>---|\+\+\+)[ \t]*(?=\r\n|\r|\n|\Z)")
_CLOSING = {
    "---": re.compile(r"(?:(?<=\n)|(?<=\r))(?:---|\.\.\.)[ \t]*(?=\r|\n|\Z)"),
    "+++": re.compile(r"(?:(?<=\n)|(?<=\r))\+\+\+[ \t]*(?=\r|\n|\Z)"),
}
# The line start is looked up behind the hyphens, so that the search jumps from hyphens to hyphens.
_RULE_LINE = re.compile(r"---(?<![^\r\n]---)[ \t]*(?=\r|\n|\Z)")
_BLANK_LINE = re.compile(r"(?:\r\n|\r(?!\n)|\n)[ \t]*(?=\r|\n)")
_COMMENTS = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))*")
_KEY_LINE = re.compile(r"""["']?[^\W_][\w .-]*["']?[ \t]*:(?=\s|\Z)""")
_ENTRY = re.compile(r"(?:\A|(?<=\n)|(?<=\r))(?=[^\s#:-][^:\r\n]*:(?:\s|\Z))")
_TOML_LINE = re.compile(r"""^[ \t]*["']?(?P<key>[\w-]+)["']?[ \t]*=[ \t]*(?P<value>[^\r\n]*?)[ \t]*$""", re.MULTILINE)
_SURROGATES = re.compile("[\ud800-\udfff]")

# Deeper values than this are kept as their source text.
_MAX_DEPTH = 20

_LOADER: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"


@dataclass(frozen=True, slots=True)
class FieldRule:
    """When the front matter's `field` equals `value`, the standard field `target` becomes `result`.

    `value` is compared as YAML reads it and as it is written.
    """

    field: str
    value: object
    target: str
    result: str


@dataclass(frozen=True, slots=True)
class FieldMap:
    """How this knowledge base writes the standard fields: standard name → its own name, and rules by value.

    Rules apply in order, after the names; the last that fits wins.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    rules: tuple[FieldRule, ...] = ()


@dataclass(frozen=True, slots=True)
class Header:
    """What stands above the body.

    `body` is the offset at which the body starts. `fields` are the known fields where they are written, `texts` their
    usable values as text (both by standard name), `supersedes` the document ids of that field.
    """

    body: int
    front: FrontMatter | None = None
    fields: Mapping[str, FrontMatterField] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    supersedes: tuple[str, ...] = ()
    defects: tuple[Defect, ...] = ()


class _Entries(NamedTuple):
    """Top-level entries of a block, or None when it holds something else; and what is wrong with it."""

    fields: dict[str, FrontMatterField] | None
    defects: list[Defect]


def read_header(text: str, names: FieldMap) -> Header:
    """Read YAML between `---` lines, TOML between `+++` lines or a JSON object at the very top of `text`.

    The closing line may also be `...`. What only looks like front matter (a thematic break at the top, a block without
    fields) stays body text.
    """
    start = 1 if text.startswith("\ufeff") else 0
    opening = _FENCED.match(text, start)
    if opening:
        header = _fenced(text, opening)
    elif text.startswith("{", start):
        header = _json(text, start)
    else:
        header = Header(start)
    return _known(header, text, names) if header.front else header


def later_headers(text: str, header: Header, names: FieldMap) -> list[Span]:
    """The opening lines of blocks in the body that hold an id or a title between two `---` lines, and no blank line.

    They are text all the same: a file is one document.
    """
    known = "|".join(re.escape(names.names.get(name, name)) for name in ("id", "title"))
    field_line = re.compile(rf"[\r\n](?:{known})[ \t]*:[ \t]")
    return [
        Span(opening.start(), opening.start() + len("---"))
        for opening, closing in pairwise(_RULE_LINE.finditer(text, header.body))
        if field_line.search(text, opening.end(), closing.start())
        and not _BLANK_LINE.search(text, opening.end(), closing.start())
    ]


def _fenced(text: str, opening: re.Match[str]) -> Header:
    start = opening.start()
    inside = _after_line(text, opening.end())
    closing = _CLOSING[opening["fence"]].search(text, inside)
    if not closing:
        if opening["fence"] == "---" and _KEY_LINE.match(text, inside):
            return Header(start, defects=(Defect("front-matter-unclosed", Span(start, opening.end())),))
        return Header(start)
    content = text[inside : closing.start()]
    span = Span(start, closing.end())
    if not content.strip():
        return Header(_after_line(text, span.end), FrontMatter(span, {}))
    entries = _toml(content, inside) if opening["fence"] == "+++" else _yaml(content, inside)
    if entries.fields is not None:
        front = FrontMatter(span, entries.fields)
        return Header(_after_line(text, span.end), front, defects=tuple(entries.defects))
    # Two thematic breaks with prose between them are no front matter gone wrong; such prose has blank lines.
    prose = content[:1] in "\r\n" or _BLANK_LINE.search(content.rstrip())
    return Header(start, defects=() if prose else tuple(entries.defects))


def _after_line(text: str, offset: int) -> int:
    match = LINE_END.match(text, offset)
    return match.end() if match else offset


def _yaml(content: str, offset: int) -> _Entries:
    defects: list[Defect] = []
    try:
        node = _compose(content)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        defects.append(_syntax_defect(error, content, offset))
        first = _COMMENTS.match(content)
        if not _KEY_LINE.match(content, first.end() if first else 0):
            return _Entries(None, defects)
        return _Entries(_salvaged(content, offset, defects), defects)
    if isinstance(node, yaml.MappingNode):
        fields: dict[str, FrontMatterField] = {}
        _add_entries(node, content, offset, fields, defects)
        return _Entries(fields, defects)
    first_line = LINE_END.split(content, maxsplit=1)[0]
    found = "a list" if isinstance(node, yaml.SequenceNode) else "text"
    detail = f"found {found} instead of `field: value` lines"
    defects.append(Defect("front-matter-not-a-mapping", Span(offset, offset + len(first_line)), detail))
    return _Entries(None, defects)


def _compose(content: str) -> yaml.Node | None:
    loader = _LOADER(_SURROGATES.sub("\ufffd", content))
    try:
        node: yaml.Node | None = loader.get_single_node()
    finally:
        loader.dispose()
    return node


def _salvaged(content: str, offset: int, defects: list[Defect]) -> dict[str, FrontMatterField]:
    """The entries of a refused block that are sound by themselves, so that one bad line does not lose id and status."""
    fields: dict[str, FrontMatterField] = {}
    starts = [match.start() for match in _ENTRY.finditer(content)]
    for start, end in zip(starts, [*starts[1:], len(content)], strict=True):
        # An entry that is broken by what follows its first line still has that line.
        for piece in (content[start:end], LINE_END.split(content[start:end], maxsplit=1)[0]):
            try:
                node = _compose(piece)
            except (yaml.YAMLError, ValueError, RecursionError):
                continue
            if isinstance(node, yaml.MappingNode):
                _add_entries(node, piece, offset + start, fields, defects)
            break
    return fields


def _add_entries(
    node: yaml.MappingNode, content: str, offset: int, fields: dict[str, FrontMatterField], defects: list[Defect]
) -> None:
    for key_node, value_node in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            continue
        key = str(key_node.value)
        key_span = _span(key_node, content, offset)
        if key in fields:
            defects.append(Defect("front-matter-duplicate-key", key_span, key))
        value = _value(value_node, content, {})
        fields[key] = FrontMatterField(value, key_span, _span(value_node, content, offset))


def _span(node: yaml.Node, content: str, offset: int) -> Span:
    start, end = node.start_mark.index, node.end_mark.index
    while end > start and content[end - 1].isspace():
        end -= 1
    return Span(offset + start, offset + end)


def _value(node: yaml.Node, content: str, seen: dict[int, object], depth: int = 0) -> object:
    """The value of a node: text, bool, int, float, None, list or dict; dates stay as they are written."""
    if id(node) in seen:
        return seen[id(node)]
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node)
    if depth == _MAX_DEPTH:
        return _span(node, content, 0).of(content)
    if isinstance(node, yaml.SequenceNode):
        items: list[object] = []
        seen[id(node)] = items
        items += [_value(item, content, seen, depth + 1) for item in node.value]
        return items
    entries: dict[object, object] = {}
    seen[id(node)] = entries
    for key, value in node.value:
        name = key.value if isinstance(key, yaml.ScalarNode) else _span(key, content, 0).of(content)
        entries[name] = _value(value, content, seen, depth + 1)
    return entries


def _scalar(node: yaml.ScalarNode) -> object:
    text: str = node.value
    try:
        match node.tag.removeprefix(_TAG):
            case "null":
                return None
            case "bool":
                return text.lower() in ("yes", "true", "on")
            case "int":
                return int(yaml.SafeLoader("").construct_yaml_int(node))
            case "float":
                return float(yaml.SafeLoader("").construct_yaml_float(node))
    except (ValueError, IndexError):
        pass
    return text


def _syntax_defect(error: Exception, content: str, offset: int) -> Defect:
    mark = getattr(error, "problem_mark", None)
    if mark is not None:
        index = min(mark.index, len(content))
    else:
        character = getattr(error, "character", None)
        index = max(0, content.find(chr(character))) if isinstance(character, int) else 0
    # libyaml often notices at the start of the next line what is wrong with the line before.
    while index > 0 and (index == len(content) or content[index] in "\r\n"):
        index -= 1
    start = max(content.rfind("\n", 0, index), content.rfind("\r", 0, index)) + 1
    end_match = LINE_END.search(content, start)
    end = end_match.start() if end_match else len(content)
    detail = str(getattr(error, "problem", None) or getattr(error, "reason", None) or "nested too deeply")
    return Defect("front-matter-syntax", Span(offset + start, offset + end), detail)


def _toml(content: str, offset: int) -> _Entries:
    content = content.replace("\r\n", " \n").replace("\r", "\n")
    try:
        values = tomllib.loads(content)
    except (tomllib.TOMLDecodeError, RecursionError):
        return _Entries(None, [])
    tables = re.search(r"^[ \t]*\[", content, re.MULTILINE)
    top = content[: tables.start()] if tables else content
    places = {match["key"]: match for match in _TOML_LINE.finditer(top)}
    nowhere = Span(offset, offset)
    fields: dict[str, FrontMatterField] = {}
    for key, value in values.items():
        place = places.get(key)
        spans = [Span(*(offset + end for end in place.span(part))) for part in ("key", "value")] if place else []
        plain = value if isinstance(value, str | bool | int | float | list | dict) else str(value)
        fields[key] = FrontMatterField(plain, *(spans or [nowhere, nowhere]))
    return _Entries(fields, [])


def _json(text: str, start: int) -> Header:
    decode = json.JSONDecoder().raw_decode
    fields: dict[str, FrontMatterField] = {}
    defects: list[Defect] = []
    skip = re.compile(r"\s*")

    def after_space(offset: int) -> int:
        match = skip.match(text, offset)
        return match.end() if match else offset

    try:
        position = after_space(start + 1)
        while text[position] != "}":
            key, key_end = decode(text, position)
            colon = after_space(key_end)
            if not isinstance(key, str) or text[colon] != ":":
                return Header(start)
            value_start = after_space(colon + 1)
            value, value_end = decode(text, value_start)
            key_span = Span(position, key_end)
            if key in fields:
                defects.append(Defect("front-matter-duplicate-key", key_span, key))
            fields[key] = FrontMatterField(value, key_span, Span(value_start, value_end))
            position = after_space(value_end)
            if text[position] == ",":
                position = after_space(position + 1)
            elif text[position] != "}":
                return Header(start)
    except (ValueError, IndexError, RecursionError):
        return Header(start)
    end = position + 1
    rest_of_line = re.compile(r"[ \t]*(?=\r|\n|\Z)").match(text, end)
    if not fields or not rest_of_line:
        return Header(start)
    front = FrontMatter(Span(start, end), fields)
    return Header(_after_line(text, rest_of_line.end()), front, defects=tuple(defects))


def _known(header: Header, text: str, names: FieldMap) -> Header:
    written: Mapping[str, FrontMatterField] = header.front.fields if header.front else {}
    fields: dict[str, FrontMatterField] = {}
    texts: dict[str, str] = {}
    supersedes: tuple[str, ...] = ()
    defects = list(header.defects)
    for standard in (*TEXT_FIELDS, "supersedes"):
        entry = written.get(names.names.get(standard, standard))
        if entry is None:
            continue
        fields[standard] = entry
        if standard == "supersedes":
            ids = _ids(entry, text)
            supersedes = ids or ()
            if ids is None:
                defects.append(
                    Defect("front-matter-value", entry.value_span, "expected a document id or a list of ids")
                )
        elif isinstance(entry.value, list | dict) or (standard in ("status", "audience", "lang") and _number(entry)):
            defects.append(Defect("front-matter-value", entry.value_span, f"expected text for {standard}"))
        elif entry.value is not None and (value := _as_text(entry, text)):
            texts[standard] = value
    for rule in names.rules:
        entry = written.get(rule.field)
        if entry is not None and _equals(entry, text, rule.value):
            texts[rule.target] = rule.result
    return replace(header, fields=fields, texts=texts, supersedes=supersedes, defects=tuple(defects))


def _number(entry: FrontMatterField) -> bool:
    return isinstance(entry.value, int | float) and not isinstance(entry.value, bool)


def _as_text(entry: FrontMatterField, text: str) -> str:
    """A scalar as the author wrote it: version 1.10 is not 1.1, and lang `no` is no truth value."""
    return entry.value.strip() if isinstance(entry.value, str) else entry.value_span.of(text)


def _ids(entry: FrontMatterField, text: str) -> tuple[str, ...] | None:
    if entry.value is None:
        return ()
    if isinstance(entry.value, dict):
        return None
    if not isinstance(entry.value, list):
        return (_as_text(entry, text),)
    if any(isinstance(item, list | dict) for item in entry.value):
        return None
    return tuple(str(item).strip() for item in entry.value if item is not None)


def _equals(entry: FrontMatterField, text: str, wanted: object) -> bool:
    if entry.value == wanted and isinstance(entry.value, bool) == isinstance(wanted, bool):
        return True
    return isinstance(wanted, str) and not isinstance(entry.value, list | dict) and _as_text(entry, text) == wanted
