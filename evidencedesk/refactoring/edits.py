"""Edits of several files, and refusals. Invariant: edits of one file never overlap."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evidencedesk.text.spans import Span, TextEdit

Edits = Mapping[str, tuple[TextEdit, ...]]
"""Path → edits of the file's present text."""

_PLAIN = re.compile(r"[A-Za-z][\w./-]*\Z")
_MEANT_OTHERWISE = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}


@dataclass(frozen=True, slots=True)
class Refused:
    """Why something is not done, as a sentence for its author."""

    reason: str


def gathered(edits: Iterable[tuple[str, TextEdit]]) -> Edits:
    """The edits by path, in path order and in the order of their places; the same edit only once."""
    found: dict[str, set[TextEdit]] = {}
    for path, edit in edits:
        found.setdefault(path, set()).add(edit)
    return {path: tuple(sorted(found[path], key=lambda edit: (edit.span, edit.text))) for path in sorted(found)}


def json_string(value: str) -> str:
    """`value` as a JSON string."""
    return json.dumps(value, ensure_ascii=False)


def front_matter_text(text: str, written: Span, value: str) -> TextEdit:
    """Write `value` in place of the scalar, or of the part of one, at `written` in front matter.

    Quotation marks stay as they are; a value that would not read as text without them gets some.
    """
    inner = written.of(text)
    if len(inner) > 1 and inner[0] == inner[-1] and inner[0] in "\"'":
        written, quote = Span(written.start + 1, written.end - 1), inner[0]
    else:
        before, after = text[written.start - 1 : written.start], text[written.end : written.end + 1]
        quote = before if before == after and before in ("'", '"') else ""
    if quote == '"':
        return TextEdit(written, json_string(value)[1:-1])
    if quote:
        return TextEdit(written, value.replace("'", "''"))
    if _PLAIN.match(value) and value.lower() not in _MEANT_OTHERWISE:
        return TextEdit(written, value)
    return TextEdit(written, json_string(value) if "'" in value else f"'{value}'")
