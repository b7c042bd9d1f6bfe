"""Members of a label's object, added and taken away. Invariant: the rest of the file keeps every character."""

from __future__ import annotations

import json
import re

from evidencedesk.retrieval.label_file import LabelFile, LabelSource
from evidencedesk.text.spans import Span, TextEdit

_INDENT = re.compile(r"[ \t]*\Z")
_AFTER = re.compile(r"\s*,\s*")
_BEFORE = re.compile(r"\s*,\s*\Z")
_LINE_BREAK = re.compile(r"\r\n|\r|\n")


def add_member(text: str, entry: LabelSource, key: str, value: object) -> TextEdit:
    """`key` after the label's question; on a line of its own where the question has one, with the same indentation."""
    written = f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
    anchor = entry.spans.get("question") or entry.spans.get("id")
    if anchor is None:
        return first_member(text, entry.span, key, value)
    line = max(text.rfind("\n", 0, anchor.start), text.rfind("\r", 0, anchor.start)) + 1
    before = text[line : text.find('"', line)]
    if line > entry.span.start and _INDENT.match(before):
        return TextEdit(Span(anchor.end, anchor.end), f",{text[_break_before(text, line) : line]}{before}{written}")
    return TextEdit(Span(anchor.end, anchor.end), f", {written}")


def first_member(text: str, braces: Span, key: str, value: object) -> TextEdit:
    """`key` as the first member of the object whose opening brace `braces` begins with."""
    written = f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
    start = braces.start + 1
    inner = text[start:].lstrip()
    gap = text[start : len(text) - len(inner)]
    if inner.startswith("}"):
        return TextEdit(Span(start, start), written)
    return TextEdit(Span(start, start), f"{gap if _LINE_BREAK.search(gap) else ''}{written},{'' if gap else ' '}")


def without_entry(file: LabelFile, entry: LabelSource) -> TextEdit:
    """The edit that takes a label out of its file, with the comma or the line that goes with it."""
    text, (start, end) = file.text, entry.span
    if after := _AFTER.match(text, end):
        return TextEdit(Span(start, after.end()), "")
    if before := _BEFORE.search(text, 0, start):
        return TextEdit(Span(before.start(), end), "")
    line_break = _LINE_BREAK.match(text, end)
    return TextEdit(Span(start, line_break.end() if line_break else end), "")


def _break_before(text: str, line: int) -> int:
    return line - (2 if text[:line].endswith("\r\n") else 1)
