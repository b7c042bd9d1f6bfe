"""What names documents, sections and labels follows when they get other names. Invariant: nothing else is touched.

Label files, `supersedes` fields, the baseline and recorded runs follow. A run that was made of a label as it is stays
a run of it: the fingerprint of what the label expects is renewed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from evidencedesk.documents.document import Document
from evidencedesk.refactoring.edits import front_matter_text, json_string
from evidencedesk.retrieval.evidence import split_section
from evidencedesk.retrieval.label_file import LabelSource
from evidencedesk.retrieval.label_runs import contract_hash
from evidencedesk.retrieval.labels import Gold, Label
from evidencedesk.retrieval.run_file import RunLine
from evidencedesk.text.json_source import Array, Member, Node, Object, Scalar, read_json, read_json_lines
from evidencedesk.text.spans import Span, TextEdit
from evidencedesk.workspace.baseline import BASELINE_PATH
from evidencedesk.workspace.snapshot import Snapshot

_CHUNK_ID = re.compile(r"(?P<doc_id>.+)(?P<number>:c\d+)\Z", re.DOTALL)
_PROSE = {"text", "answer", "search_question", "settings", "error"}
"""Keys of a run record whose values are texts, never names."""

SectionOf = Callable[[str, Gold], str]
"""The new heading part of a gold entry's section; the arguments are the document's old id and the entry."""


@dataclass(frozen=True, slots=True)
class NewNames:
    """Old → new: ids of documents, ids of labels (of those that are evaluated), paths of files, headings."""

    documents: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    paths: Mapping[str, str] = field(default_factory=dict)
    heading: SectionOf | None = None


def follow(snapshot: Snapshot, names: NewNames) -> Iterator[tuple[str, TextEdit]]:
    """The edits by which everything that names them by id follows; not the places that give the names."""
    sections: dict[str, str] = {}
    hashes: dict[str, tuple[str, str]] = {}
    for source in snapshot.label_sources:
        new = _label(snapshot, source, names, sections)
        if new == source.label:
            continue
        for number, (was, now) in enumerate(zip(source.label.gold, new.gold, strict=True)):
            span = source.spans.get(f"gold[{number}].section")
            if was != now and span is not None:
                yield source.path, TextEdit(span, json_string(now.section))
        evaluation = snapshot.evaluations.get(source.label.id)
        if evaluation is not None and evaluation.source == source:
            hashes[source.label.id] = contract_hash(source.label), contract_hash(new)
    if names.documents:
        yield from _supersedes(snapshot, names.documents)
    yield from _baseline(snapshot, names)
    for path, file in snapshot.facts.run_files.items():
        for line in file.lines:
            for edit in _run(line, names, sections, hashes):
                yield path, edit


def superseded(document: Document) -> Iterator[tuple[str, Span]]:
    """The ids in the `supersedes` field, each where it is written; those that are written otherwise are left out."""
    written = document.fields.get("supersedes")
    for older in document.supersedes if written else ():
        pattern = re.compile(rf"(?<![\w-]){re.escape(older)}(?![\w-])")
        found = pattern.search(document.text, written.value_span.start, written.value_span.end) if written else None
        if found:
            yield older, Span(*found.span())


def _label(snapshot: Snapshot, source: LabelSource, names: NewNames, sections: dict[str, str]) -> Label:
    gold = []
    for entry in source.label.gold:
        doc_id = split_section(entry.section, snapshot.facts.by_id)
        heading = entry.section[len(doc_id) :]
        if names.heading is not None and heading:
            heading = "#" + names.heading(doc_id, entry)
        section = names.documents.get(doc_id, doc_id) + heading
        if section != entry.section:
            sections[entry.section] = section
            entry = replace(entry, section=section)
        gold.append(entry)
    evaluation = snapshot.evaluations.get(source.label.id)
    own = evaluation is not None and evaluation.source == source
    label_id = names.labels.get(source.label.id, source.label.id) if own else source.label.id
    return replace(source.label, id=label_id, gold=tuple(gold))


def _supersedes(snapshot: Snapshot, documents: Mapping[str, str]) -> Iterator[tuple[str, TextEdit]]:
    for document in snapshot.documents:
        if any(older in documents for older in document.supersedes):
            for older, span in superseded(document):
                if older in documents:
                    yield document.path, front_matter_text(document.text, span, documents[older])


def _baseline(snapshot: Snapshot, names: NewNames) -> Iterator[tuple[str, TextEdit]]:
    text = snapshot.texts.get(BASELINE_PATH)
    if text is None:
        return
    root, _ = read_json(text)
    for member in _members(_value(root, "standings")):
        if member.key in names.labels:
            yield BASELINE_PATH, TextEdit(member.key_span, json_string(names.labels[member.key]))
        top = _value(member.value, "top")
        if isinstance(top, Scalar) and (new := _chunk_id(top.value, names.documents)):
            yield BASELINE_PATH, TextEdit(top.span, json_string(new))


def _run(
    line: RunLine, names: NewNames, sections: Mapping[str, str], hashes: Mapping[str, tuple[str, str]]
) -> Iterator[TextEdit]:
    renamed = [*names.documents, *names.paths, *sections]
    hashed = hashes.get(line.test_id)
    if line.test_id not in names.labels and hashed is None and not any(_occurs(name, line.text) for name in renamed):
        return
    (root,), _ = read_json_lines(line.text)
    work: list[tuple[str, Node | None]] = [("", root)]
    while work:
        key, node = work.pop()
        if isinstance(node, Object):
            work += [(member.key, member.value) for member in node.members if member.key not in _PROSE]
        elif isinstance(node, Array):
            work += [(key, item) for item in node.items]
        elif isinstance(node, Scalar) and isinstance(node.value, str):
            new = _run_value(key, node.value, names, sections)
            if key == "contract_hash" and hashed is not None and node.value == hashed[0]:
                new = hashed[1]
            if new is not None:
                start = line.span.start
                yield TextEdit(Span(start + node.span.start, start + node.span.end), json_string(new))


def _occurs(name: str, text: str) -> bool:
    """Whether JSON may hold a name, as it stands or with letters escaped as most writers do."""
    return name in text or json.dumps(name)[1:-1] in text


def _run_value(key: str, value: str, names: NewNames, sections: Mapping[str, str]) -> str | None:
    if key == "test_id":
        return names.labels.get(value)
    if key == "doc_id":
        return names.documents.get(value)
    if key == "source":
        return names.paths.get(value)
    return _chunk_id(value, names.documents) or sections.get(value)


def _chunk_id(value: object, documents: Mapping[str, str]) -> str | None:
    found = _CHUNK_ID.match(value) if isinstance(value, str) else None
    return documents[found["doc_id"]] + found["number"] if found and found["doc_id"] in documents else None


def _members(node: Node | None) -> tuple[Member, ...]:
    return node.members if isinstance(node, Object) else ()


def _value(node: Node | None, key: str) -> Node | None:
    return next((member.value for member in _members(node) if member.key == key), None)
