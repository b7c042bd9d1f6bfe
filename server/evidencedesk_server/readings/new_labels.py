"""A label made from a selection. Invariant: its evidence stands, word for word, in the section that it names."""

from __future__ import annotations

from collections import Counter
from typing import Any

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.label_writing import appended, next_id
from evidencedesk.retrieval.places import reference, section_at
from evidencedesk.text.normal import fold
from evidencedesk.text.spans import LineIndex, Span, apply_edits
from evidencedesk_server.messages import NEW_LABEL, ActionEntry, Question, text_hash
from evidencedesk_server.ranges import range_of
from evidencedesk_server.readings.state import State

_TITLE = "New label with this evidence"
_KIND = "refactor.extract"
_FIRST_FILE = "labels.json"


def new_label_actions(state: State, question: Question) -> list[ActionEntry]:
    """The action that makes a label of what is selected; none where nothing is, or nothing that could be evidence."""
    chunked = state.snapshot.facts.documents.get(question.path)
    if chunked is None or question.end <= question.offset:
        return []
    span = _evidence(chunked.document, Span(question.offset, question.end))
    if isinstance(span, str):
        return []
    arguments = [state.texts.uri_of(question.path), state.texts.range(question.path, span)]
    command = {"title": _TITLE, "command": NEW_LABEL, "arguments": arguments}
    return [ActionEntry(needs={}, action={"title": _TITLE, "kind": _KIND, "command": command})]


def new_labels(state: State, question: Question) -> list[Any]:
    """What to write into which file for a label of the selection, and where its question then stands.

    `needs` is the hash of the file's text, None where it is to be made. In place of all that, `refusal` says in a
    sentence why there can be no label.
    """
    facts = state.snapshot.facts
    chunked = facts.documents.get(question.path)
    if chunked is None:
        return [{"refusal": "A label is made from a selection in a page of an open folder."}]
    document = chunked.document
    span = _evidence(document, Span(question.offset, question.end))
    if isinstance(span, str):
        return [{"refusal": span}]
    path = _file_for(state, question.path)
    text = facts.label_files[path].text if path in facts.label_files else ""
    everywhere = [entry.label.id for file in facts.label_files.values() for entry in file.entries]
    own = [entry.label.id for entry in facts.label_files[path].entries] if path in facts.label_files else []
    label_id = next_id(own or everywhere, set(everywhere))
    gold = {"section": reference(document, section_at(document, span.start)), "evidence": span.of(document.text)}
    inserted = appended(path, text, {"id": label_id, "question": "", "gold": [gold]})
    if inserted is None:
        return [{"refusal": f"{path} is not sound JSON, so nothing is added to it. Mend it first."}]
    after = LineIndex(apply_edits(text, [inserted.edit]))
    return [
        {
            "id": label_id,
            "path": path,
            "uri": state.texts.uri_of(path),
            "needs": text_hash(text) if path in facts.label_files else None,
            "range": state.texts.range(path, inserted.edit.span),
            "newText": inserted.edit.text,
            "question": range_of(after, Span(inserted.question, inserted.question), state.style["encoding"]),
        }
    ]


def _evidence(document: Document, selected: Span) -> Span | str:
    """The selection in whole words, without white space around it, or why it cannot be evidence."""
    chosen = selected.of(document.text)
    start = selected.start + len(chosen) - len(chosen.lstrip())
    span = _in_whole_words(document.text, Span(start, start + len(chosen.strip())))
    section = section_at(document, span.start)
    if not fold(chosen):
        return "Select the words that answer the question first: they become the label's evidence."
    if section is None:
        return "The selection lies in the front matter, which is no text to answer from."
    if not section.span.contains(span):
        return "The selection reaches over a heading; evidence stands in one section."
    if span.start < section.body.start:
        return "The selection lies in a heading; evidence is text below it."
    return span


def _in_whole_words(text: str, span: Span) -> Span:
    start, end = span
    while 0 < start < end and _joins(text[start - 1]) and _joins(text[start]):
        start -= 1
    while start < end < len(text) and _joins(text[end - 1]) and _joins(text[end]):
        end += 1
    return Span(start, end)


def _joins(character: str) -> bool:
    """Whether it is written together with its neighbours in one word; scripts without capitals may set no spaces."""
    return character.isdigit() or character.lower() != character.upper()


def _file_for(state: State, path: str) -> str:
    """The label file that speaks of this page most, else the one with most labels, else one that is to be made."""
    speaking = Counter(mention.path for mention in state.mentions.about.get(path, ()))
    files = state.snapshot.facts.label_files
    return max(files, key=lambda name: (speaking[name], len(files[name].entries)), default=_FIRST_FILE)
