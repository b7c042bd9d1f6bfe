"""Fields written into front matter. Invariant: every other line stays; where it is no YAML, nothing is offered."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from evidencedesk.documents.document import Document
from evidencedesk.repairs.keeping import line_end
from evidencedesk.text.spans import Span, TextEdit

_PLAIN = re.compile(r"[A-Za-z][\w./-]*\Z")


def set_field(document: Document, field: str, key: str, value: str) -> TextEdit | None:
    """The edit that gives a known field (`status`) its value, or adds it under the name `key`; None where it cannot."""
    if not _PLAIN.match(value):
        value = json.dumps(value, ensure_ascii=False)
    written = document.fields.get(field)
    if written is not None:
        return TextEdit(written.value_span, value)
    text, newline = document.text, line_end(document.text)
    entry = f"{key}: {value}{newline}"
    if document.front is None:
        return TextEdit(Span(0, 0), f"---{newline}{entry}---{newline}")
    start, end = document.front.span
    if not text.startswith("---", start):
        return None
    last = max(text.rfind("\n", start, end), text.rfind("\r", start, end)) + 1
    return TextEdit(Span(last, last), entry)


def key_of(field: str, documents: Iterable[Document]) -> str:
    """What the files of a workspace call a known field."""
    for document in documents:
        if written := document.fields.get(field):
            return written.key_span.of(document.text).strip("\"'")
    return field
