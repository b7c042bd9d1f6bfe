"""Symbols and folds: how files are built. Invariant: a symbol's children and its name lie inside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from evidencedesk.documents.document import Document, Section
from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.retrieval.label_file import LabelFile, LabelSource
from evidencedesk.text.spans import Span
from evidencedesk_server.mentions import chunks_by_heading, own_evaluation
from evidencedesk_server.messages import Question
from evidencedesk_server.readings.matching import NO_MATCH, quality
from evidencedesk_server.readings.state import State, chars
from evidencedesk_server.verdicts import count, shorten, verdict

_FILE, _SECTION, _LABEL, _CHUNK = 1, 15, 19, 20
_MAX_FOUND = 200
_NAME_WIDTH = 70


def symbols(state: State, question: Question) -> list[Any]:
    """A document's sections, nested as their headings are; a label file's labels with what became of them."""
    facts = state.snapshot.facts
    if (chunked := facts.documents.get(question.path)) is not None:
        return _sections(chunked)
    file = facts.label_files.get(question.path)
    return [_label(state, entry) for entry in file.entries] if file is not None else []


def folds(state: State, question: Question) -> list[Any]:
    """What can be folded: front matter, sections with their subsections, labels up to their closing brace."""
    facts = state.snapshot.facts
    if (chunked := facts.documents.get(question.path)) is not None:
        document = chunked.document
        spans = [document.front.span] if document.front is not None else []
        spans += (span for _, span in _with_subsections(document))
    else:
        file = facts.label_files.get(question.path)
        spans = [_without_brace(file, entry) for entry in file.entries] if file is not None else []
    return [{"range": chars(span)} for span in spans]


def workspace_symbols(state: State, question: Question) -> list[Any]:
    """Labels, documents, headings and chunk ids that match the word: whole, in a row, or letter by letter.

    The better match first; of equals labels, documents, headings, chunks, each in file order. At most 200.
    """
    wanted = question.words[0].casefold() if question.words else ""
    found = [(min(quality(wanted, text.casefold()) for text in named.texts), named) for named in _all_named(state)]
    found.sort(key=lambda one: one[0])
    return [
        {
            "name": named.name,
            "kind": named.kind,
            "containerName": named.container,
            "location": {"uri": state.texts.uri_of(named.path), "range": state.texts.range(named.path, named.span)},
        }
        for fit, named in found[:_MAX_FOUND]
        if fit < NO_MATCH
    ]


class _Named(NamedTuple):
    """Something with a name; it is found by any of `texts`."""

    kind: int
    name: str
    texts: tuple[str, ...]
    container: str
    path: str
    span: Span


def _all_named(state: State) -> Iterator[_Named]:
    facts = state.snapshot.facts
    for path, file in facts.label_files.items():
        if state.takes(path):
            for entry in file.entries:
                name, label = _label_name(entry), entry.label
                yield _Named(_LABEL, name, (label.id, label.question), path, path, entry.place("question"))
    documents = [chunked for path, chunked in facts.documents.items() if state.takes(path)]
    for chunked in documents:
        page = chunked.document
        yield _Named(_FILE, page.doc_id, (page.doc_id, page.title, page.path), page.title, page.path, page.top())
    for chunked in documents:
        page = chunked.document
        for section in page.sections:
            if section.heading:
                yield _Named(
                    _SECTION, section.heading, (section.heading,), page.doc_id, page.path, section.heading_span
                )
    for chunked in documents:
        for chunk in chunked.chunks:
            span = Span(chunk.location.span.start, chunk.location.span.start)
            yield _Named(_CHUNK, chunk.id, (chunk.id,), chunk.section, chunked.document.path, span)


def _sections(chunked: ChunkedDocument) -> list[Any]:
    roots: list[Any] = []
    under = chunks_by_heading(chunked)
    open_symbols: list[tuple[int, list[Any]]] = [(0, roots)]
    for section, span in _with_subsections(chunked.document):
        while open_symbols[-1][0] >= section.level:
            open_symbols.pop()
        symbol: dict[str, Any] = {
            "name": section.heading or "(empty heading)",
            "detail": count(len(under.get(section.heading_span, ())), "chunk"),
            "kind": _SECTION,
            "range": chars(span),
            "selectionRange": chars(section.heading_span),
            "children": [],
        }
        open_symbols[-1][1].append(symbol)
        open_symbols.append((section.level, symbol["children"]))
    return roots


def _with_subsections(document: Document) -> Iterable[tuple[Section, Span]]:
    """The sections that have a heading, each with its span down to the next heading that is not below it.

    Without the white space at its end, so that folding keeps a line between.
    """
    text, end = document.text, len(document.text)
    ends: list[tuple[int, int]] = []
    spans: list[tuple[Section, Span]] = []
    for section in reversed(document.sections):
        # Of the headings below, only those that are not deeper than this one can end it, or one above it.
        while ends and ends[-1][0] > section.level:
            ends.pop()
        stop = ends[-1][1] if ends else end
        ends.append((section.level, section.span.start))
        if section.level:
            start = section.span.start
            spans.append((section, Span(start, max(section.heading_span.end, _ink_end(text, start, stop)))))
    return reversed(spans)


def _ink_end(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def _label(state: State, entry: LabelSource) -> Any:
    evaluation = own_evaluation(state.snapshot, entry)
    return {
        "name": _label_name(entry),
        "detail": "not evaluated: its id is taken" if evaluation is None else verdict(evaluation, state.snapshot.facts),
        "kind": _LABEL,
        "range": chars(entry.span),
        "selectionRange": chars(entry.place("question")),
    }


def _label_name(entry: LabelSource) -> str:
    return shorten(f"{entry.label.id}: {entry.label.question}", _NAME_WIDTH)


def _without_brace(file: LabelFile, entry: LabelSource) -> Span:
    end = entry.span.end - 1 if entry.span.of(file.text).endswith("}") else entry.span.end
    return Span(entry.span.start, _ink_end(file.text, entry.span.start, end))
