"""Edits that suppress a problem at its place. Invariant: after such an edit the rule no longer reports it there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evidencedesk.documents.document import Document
from evidencedesk.repairs.members import add_member
from evidencedesk.retrieval.label_file import LabelSource
from evidencedesk.rule import Fix, Problem
from evidencedesk.text.spans import Span, TextEdit, apply_edits
from evidencedesk.workspace.config import CONFIG_NAMES, parse_config
from evidencedesk.workspace.snapshot import Snapshot
from evidencedesk.workspace.toml_places import find_places

_REST_OF_LINE = re.compile(r"[^\r\n]*")


def suppressions(problem: Problem, snapshot: Snapshot) -> Iterator[Fix]:
    """What can be done to no longer see this problem; nothing for a file that cannot hold a suppression."""
    chunked = snapshot.facts.documents.get(problem.path)
    if chunked is not None:
        yield from _in_document(problem, chunked.document)
    elif (file := snapshot.facts.label_files.get(problem.path)) is not None:
        for entry in file.entries:
            if entry.span.contains(problem.span):
                edit = _ignore_in_label(problem.code, entry, file.text)
                yield Fix(f"Ignore {problem.code} for this label", {problem.path: (edit,)})


def suppression_everywhere(code: str, snapshot: Snapshot, *, creates: bool) -> Fix | None:
    """The edit of the configuration by which a rule no longer runs; with `creates`, also of one that is not there yet.

    None where the configuration is written in a way that such an edit cannot follow, and for rules about control.
    """
    path = next((name for name in CONFIG_NAMES if name in snapshot.texts), None)
    if code.startswith("ED9") or (path is None and not creates):
        return None
    path = path or CONFIG_NAMES[0]
    text = snapshot.texts.get(path, "")
    edit = _ignore_in_config(code, path, text)
    config, defects = parse_config(path, apply_edits(text, [edit]))
    if config.selection().takes(code) or len(defects) > len(parse_config(path, text)[1]):
        return None
    return Fix(f"Ignore {code} everywhere (in {path})", {path: (edit,)})


def _ignore_in_config(code: str, path: str, text: str) -> TextEdit:
    table = ("tool", "evidencedesk", "rules") if path == "pyproject.toml" else ("rules",)
    try:
        places = find_places(text)
    except ValueError:
        places = {}
    newline = "\r\n" if "\r\n" in text else "\n"
    if (written := places.get((*table, "ignore"))) is not None and written.value.of(text).endswith("]"):
        empty = not written.value.of(text)[1:-1].strip()
        last = max((place.value.end for name, place in places.items() if name[:-1] == (*table, "ignore")), default=0)
        end = written.value.end - 1 if empty else last
        return TextEdit(Span(end, end), f'{"" if empty else ", "}"{code}"')
    if (header := places.get(table)) is not None and text[header.key.end : header.key.end + 1] == "]":
        rest = _REST_OF_LINE.match(text, header.key.end)
        end = rest.end() if rest else header.key.end
        return TextEdit(Span(end, end), f'{newline}ignore = ["{code}"]')
    before = "" if not text else newline if text.endswith("\n") else newline * 2
    return TextEdit(Span(len(text), len(text)), f'{before}[{".".join(table)}]{newline}ignore = ["{code}"]{newline}')


def _in_document(problem: Problem, document: Document) -> Iterator[Fix]:
    text = document.text
    body = document.sections[0].span.start if document.sections else 0
    newline = "\r\n" if "\r\n" in text else "\n"
    # A comment covers the block after it, so it goes above the block or heading that holds the start of the problem.
    starts = [block.span for block in document.blocks]
    starts += [section.heading_span for section in document.sections if section.level]
    holder = next((span for span in starts if span.start <= problem.span.start <= span.end), None)
    if holder is not None:
        line = max(text.rfind("\n", 0, holder.start), text.rfind("\r", 0, holder.start)) + 1
        comment = f"<!-- evidencedesk: ignore {problem.code} -->{newline}"
        yield Fix(f"Ignore {problem.code} here", {problem.path: (TextEdit(Span(line, line), comment),)})
    comment = f"<!-- evidencedesk: ignore-file {problem.code} -->{newline}"
    yield Fix(f"Ignore {problem.code} in this file", {problem.path: (TextEdit(Span(body, body), comment),)})


def _ignore_in_label(code: str, entry: LabelSource, text: str) -> TextEdit:
    array = entry.spans.get("ignore")
    if array is not None and array.of(text).endswith("]"):
        filled = array.of(text)[1:-1].strip()
        return TextEdit(Span(array.end - 1, array.end - 1), f'{", " if filled else ""}"{code}"')
    return add_member(text, entry, "ignore", [code])
