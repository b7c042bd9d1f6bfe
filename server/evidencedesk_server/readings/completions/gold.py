"""Sections and evidence for a label's gold. Invariant: offered evidence is found in the section that is named."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice

from evidencedesk.documents.document import Document, Section
from evidencedesk.retrieval.evidence import split_section
from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.retrieval.places import reference, section_at
from evidencedesk.text.normal import find_all, fold
from evidencedesk.text.spans import Span
from evidencedesk_server.readings.completions.items import FOLDER_LIKE, LIMIT, REFERENCE, TEXT, Item
from evidencedesk_server.readings.matching import NO_MATCH, quality
from evidencedesk_server.readings.state import State
from evidencedesk_server.verdicts import shorten

_SHOWN = 160
_MAX_CONTINUED = 3
_SEARCHED, _MAX_SEARCHED = 3, 20
_BLANK_LINE = re.compile(r"(?:\r\n|\r(?!\n)|\n)[ \t]*[\r\n]")
_CAPITAL_LINE = re.compile(r"[\r\n][ \t]*+(?=[^\W\d_])(?![a-zà-öø-ÿа-яё])")
_PART = 2
"""The worst quality of a match that holds the word in one piece."""


# Sections


def section_items(state: State, path: str, typed: str, more: tuple[str, ...]) -> list[Item]:
    """Documents, and after a `#` the headings of the one before it; headings of all by their words too.

    Where no name fits, the sections whose text holds what is typed.
    """
    by_id = state.snapshot.facts.by_id
    doc_id = split_section(typed, by_id)
    if "#" in typed and doc_id in by_id:
        return list(_headings(by_id[doc_id], typed[len(doc_id) + 1 :]))
    documents = _likely(state)
    name, mark, heading = typed.casefold().partition("#")
    rated = sorted(((_fit(name, chunked.document), chunked) for chunked in documents), key=lambda one: one[0])
    named = [(fit, chunked) for fit, chunked in rated if fit < NO_MATCH]
    if mark:
        homes = [chunked for _, chunked in named] or documents
        return list(islice(chain.from_iterable(_headings_with(chunked, heading) for chunked in homes), LIMIT))
    headed: Iterator[Item] = iter(())
    if len(name) > 1:
        headed = chain.from_iterable(_headings_with(chunked, name) for _, chunked in rated)
    found = chain(
        (_document(chunked) for fit, chunked in named if fit <= _PART),
        headed,
        (_document(chunked) for fit, chunked in named if fit > _PART),
    )
    items = list(islice(found, LIMIT))
    if not items and len(name) >= _SEARCHED:
        holding = chain.from_iterable(_sections_with(chunked, typed) for chunked in documents)
        items = list(islice(holding, _MAX_SEARCHED))
    return items


def _likely(state: State) -> list[ChunkedDocument]:
    """All documents: those that are current and that many labels speak of come first."""
    about = state.mentions.about
    statuses = state.config.scope.statuses
    return sorted(
        state.snapshot.facts.by_id.values(),
        key=lambda chunked: (
            chunked.document.status not in statuses,
            -len(about.get(chunked.document.path, ())),
            chunked.document.path,
        ),
    )


def _fit(wanted: str, document: Document) -> int:
    """How well a word names a document: letters in order count in its id alone, since any title holds most."""
    by_title = quality(wanted, document.title.casefold())
    return min(quality(wanted, document.doc_id.casefold()), by_title if by_title <= _PART else NO_MATCH)


def _document(chunked: ChunkedDocument) -> Item:
    document = chunked.document
    return Item(
        document.doc_id,
        document.doc_id,
        FOLDER_LIKE,
        " · ".join(filter(None, (document.title, document.status))),
        explain=("document", document.doc_id),
        chosen=True,
    )


def _headings(chunked: ChunkedDocument, typed: str) -> Iterator[Item]:
    """The headings of a document that fit, the better first; all where none does, one of them being meant."""
    wanted, document = typed.casefold(), chunked.document
    headed = [section for section in document.sections if section.heading]
    rated = [(quality(wanted, section.anchor.casefold()) if wanted else 0, section) for section in headed]
    rated.sort(key=lambda one: (one[0], _is_empty(document, one[1])))
    fitting = [section for fit, section in rated if fit < NO_MATCH]
    return (_section(document, section) for section in fitting or headed)


def _headings_with(chunked: ChunkedDocument, wanted: str) -> Iterator[Item]:
    for section in chunked.document.sections:
        if section.heading and wanted in section.heading.casefold():
            yield _section(chunked.document, section)


def _sections_with(chunked: ChunkedDocument, words: str) -> Iterator[Item]:
    document = chunked.document
    pattern = re.compile(re.escape(words.strip()), re.IGNORECASE)
    body = document.sections[0].span.start if document.sections else len(document.text)
    found = (section_at(document, match.start()) for match in pattern.finditer(document.text, body))
    for section in dict.fromkeys(section for section in found if section is not None and section.heading):
        yield replace(_section(document, section), detail="holds these words")


def _section(document: Document, section: Section) -> Item:
    named = reference(document, section)
    about = "no text of its own" if _is_empty(document, section) else " › ".join(section.path[:-1])
    return Item(named, named, REFERENCE, about, explain=("section", named), chosen=True)


def _is_empty(document: Document, section: Section) -> bool:
    return not section.body.of(document.text).strip()


# Evidence


def evidence_items(state: State, path: str, typed: str, more: tuple[str, ...]) -> list[Item]:
    """What goes on from the typed words in their place, then the sentences of the section, the likelier first."""
    (section,) = more
    chunked = state.snapshot.facts.by_id.get(split_section(section, state.snapshot.facts.by_id))
    if chunked is None:
        return []
    document = chunked.document
    heading = section[len(document.doc_id) + 1 :]
    named = document.sections_named(heading) if heading else ()
    bodies = [one.body for one in named] or [one.body for one in document.sections]
    folded = dict(chain.from_iterable(state.sentences(document, body) for body in bodies))
    held = _holding(folded, typed)
    spans = chain(_continued(document, bodies, list(folded), typed), held, _from_later_lines(document, held, typed))
    lines = state.texts.index(document.path)
    return [
        Item(
            shorten(span.of(document.text), _SHOWN),
            span.of(document.text),
            TEXT,
            f"line {lines.line_of(span.start) + 1}",
            # Lists cut it short.
            docs=state.escape(span.of(document.text)),
            chosen=True,
        )
        for span in islice(_distinct(document.text, spans, folded), LIMIT)
    ]


def _continued(document: Document, bodies: list[Span], all_sentences: list[Span], typed: str) -> Iterator[Span]:
    """From where the typed words stand to the end of their sentence, and of the ones that follow on it."""
    # A single word is mostly looked for, not begun with.
    if " " not in fold(typed):
        return
    for body in bodies:
        for match in find_all(body.of(document.text), typed.strip()):
            start, end = body.start + match.span.start, body.start + match.span.end
            for stop in islice(_ends_after(document.text, all_sentences, end), _MAX_CONTINUED):
                yield Span(start, stop)


def _ends_after(text: str, all_sentences: list[Span], offset: int) -> Iterator[int]:
    """Where the sentence ends that goes on at `offset`, and those that only white space parts from it."""
    last = None
    for span in all_sentences:
        if span.end > offset:
            between = text[offset if last is None else last : span.start]
            if between.strip() or _BLANK_LINE.search(between):
                return
            yield (last := span.end)


def _holding(folded: Mapping[Span, str], typed: str) -> list[Span]:
    """The sentences with the typed words in a row, else with most of them: all sentences where none has any."""
    wanted = fold(typed)
    words = wanted.split()
    rated = [
        (len(words) + 1 if wanted in text else sum(word in text for word in words), span)
        for span, text in folded.items()
    ]
    rated.sort(key=lambda one: -one[0])
    best = rated[0][0] if rated else 0
    # Where some have all the words, those with fewer are none that was meant.
    least = best if best < len(words) else len(words)
    return [span for number, span in rated if number >= least]


def _from_later_lines(document: Document, held: list[Span], typed: str) -> Iterator[Span]:
    """The same sentences from a later line on: lines without a full stop, as menus have, may stand above the first."""
    words = fold(typed).split()
    for span in held:
        for start in _CAPITAL_LINE.finditer(document.text, span.start, span.end):
            rest = Span(start.end(), span.end)
            if rest.start > span.start and all(word in fold(rest.of(document.text)) for word in words):
                yield rest


def _distinct(text: str, spans: Iterable[Span], folded: Mapping[Span, str]) -> Iterator[Span]:
    """The first span of equal words; those that hold none are left out."""
    seen: set[str] = {""}
    for span in spans:
        words = folded.get(span) or fold(span.of(text))
        if words not in seen:
            seen.add(words)
            yield span
