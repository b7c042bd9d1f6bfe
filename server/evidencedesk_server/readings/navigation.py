"""From a label to its evidence and back. Invariant: what leads somewhere is led back to from there.

A place under the pointer is a subject: evidence, a section or a document. It stands in Markdown (`declared`), and
labels or `supersedes` fields name it (`named`). Definition, references and highlights are views of the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from evidencedesk.documents.document import Document, Section
from evidencedesk.documents.links import anchors, find_links, resolve
from evidencedesk.retrieval.evaluation import GoldPlace
from evidencedesk.text.spans import Span
from evidencedesk_server.mentions import Mention, value_inside
from evidencedesk_server.messages import Question
from evidencedesk_server.readings.state import State, chars

_READ, _WRITE = 2, 3
_NAMES_PAGES = re.compile(r"relat|see|supersed|replac|parent|next|prev", re.IGNORECASE)


class _Spot(NamedTuple):
    """A place in a file; `whole` is what belongs to it, as a section's text does to its heading."""

    path: str
    span: Span
    whole: Span


@dataclass(frozen=True, slots=True)
class _Subject:
    """What stands at `origin`, where it is written, and where it is named."""

    origin: Span
    declared: Sequence[_Spot]
    named: Sequence[_Spot]


def definitions(state: State, question: Question) -> list[Any]:
    """Location links from the value of a label, or of `supersedes`, to what it names."""
    subject = _subject_at(state, question)
    if subject is None:
        return []
    return [
        {
            "originSelectionRange": chars(subject.origin),
            "targetUri": state.texts.uri_of(spot.path),
            "targetRange": state.place(spot.path, spot.whole, question.path),
            "targetSelectionRange": state.place(spot.path, spot.span, question.path),
        }
        for spot in subject.declared
    ]


def references(state: State, question: Question) -> list[Any]:
    """Locations that name what stands here; with the word `declared`, also those where it stands."""
    subject = _subject_at(state, question)
    if subject is None:
        return []
    spots = [*subject.declared, *subject.named] if "declared" in question.words else subject.named
    return [
        {"uri": state.texts.uri_of(spot.path), "range": state.place(spot.path, spot.span, question.path)}
        for spot in spots
    ]


def highlights(state: State, question: Question) -> list[Any]:
    """All places in this file that are, or name, what stands here."""
    subject = _subject_at(state, question)
    if subject is None:
        return []
    kinds = {spot.span: _READ for spot in subject.named if spot.path == question.path}
    kinds |= {spot.span: _WRITE for spot in subject.declared if spot.path == question.path}
    return [{"range": chars(span), "kind": kind} for span, kind in sorted(kinds.items())]


def links(state: State, question: Question) -> list[Any]:
    """Links from a label's sections to their headings, and from a page to the pages that it names."""
    found = []
    for span, spot in _linked(state, question.path):
        line, column = state.texts.index(spot.path).position(spot.span.start, "utf-16")
        found.append(
            {
                "range": chars(span),
                "target": f"{state.texts.uri_of(spot.path)}#L{line + 1},{column + 1}",
                "tooltip": f"Open {spot.path}, line {line + 1}",
            }
        )
    return found


def _linked(state: State, path: str) -> Iterator[tuple[Span, _Spot]]:
    for mention in state.mentions.made_in.get(path, ()):
        target = next(iter(_section_spots(mention.place)), None)
        if target is not None and (span := _value(state, mention, mention.section, mention.place.gold.section)):
            yield span, target
    if (chunked := state.snapshot.facts.documents.get(path)) is not None:
        for name, span in chain(_superseded(chunked.document), _related(chunked.document)):
            if (target_document := state.snapshot.facts.by_id.get(name)) is not None:
                yield span, _document_spot(target_document.document)
        yield from _linked_pages(state, chunked.document)


def _linked_pages(state: State, document: Document) -> Iterator[tuple[Span, _Spot]]:
    """The Markdown links that lead to pages of the knowledge base, or to headings of theirs."""
    documents = state.snapshot.facts.documents
    for link in find_links(document):
        path = resolve(link.path, document.path, documents.__contains__)
        if path is None or path not in documents:
            continue
        target = documents[path].document
        span = Span(link.path_span.start, (link.fragment_span or link.path_span).end)
        number = anchors(target).get(link.fragment) if link.fragment else None
        yield span, _document_spot(target) if number is None else _section_spot(target, target.sections[number])


# What stands at a place


def _subject_at(state: State, question: Question) -> _Subject | None:
    path, offset = question.path, question.offset
    if (chunked := state.snapshot.facts.documents.get(path)) is not None:
        return _in_document(state, chunked.document, offset)
    for mention in state.mentions.made_in.get(path, ()):
        gold = mention.place.gold
        if mention.section is not None and _touches(mention.section, offset):
            origin = _value(state, mention, mention.section, gold.section) or mention.section
            return _section_subject(state, origin, mention.place)
        if mention.evidence is not None and _touches(mention.evidence, offset):
            origin = _value(state, mention, mention.evidence, gold.evidence) or mention.evidence
            shown = mention.place.in_section or mention.place.matches
            document = mention.place.document
            if document is None or not shown:
                return _Subject(origin, (), tuple(_named(state, [mention], "evidence")))
            return _evidence_subject(state, origin, document, [match.span for match in shown])
    return None


def _in_document(state: State, document: Document, offset: int) -> _Subject | None:
    for older, span in _superseded(document):
        target = state.snapshot.facts.by_id.get(older)
        if _touches(span, offset) and target is not None:
            return _document_subject(state, span, target.document)
    if (own_id := document.fields.get("id")) is not None and _touches(own_id.value_span, offset):
        return _document_subject(state, own_id.value_span, document)
    for section in document.sections:
        if section.level and _touches(section.heading_span, offset):
            mentions = [one for one in state.mentions.about.get(document.path, ()) if section in one.place.sections]
            declared = (_section_spot(document, section),)
            return _Subject(section.heading_span, declared, tuple(_named(state, mentions, "section")))
    matches = [match.span for mention in state.mentions.about.get(document.path, ()) for match in mention.place.matches]
    here = [span for span in matches if _touches(span, offset)]
    if not here:
        return None
    return _evidence_subject(state, min(here, key=lambda span: span.end - span.start), document, here)


def _evidence_subject(state: State, origin: Span, document: Document, spans: Sequence[Span]) -> _Subject:
    """Evidence that stands at any of `spans`: all labels that have it, all places where these labels find it."""
    wanted = set(spans)
    mentions = [
        mention
        for mention in state.mentions.about.get(document.path, ())
        if any(match.span in wanted for match in mention.place.matches)
    ]
    everywhere = sorted({match.span for mention in mentions for match in mention.place.matches})
    declared = [_Spot(document.path, span, span) for span in everywhere]
    # The places that were asked for come first: that is where a jump goes.
    declared.sort(key=lambda spot: spot.span not in wanted)
    return _Subject(origin, declared, tuple(_named(state, mentions, "evidence")))


def _section_subject(state: State, origin: Span, place: GoldPlace) -> _Subject:
    if place.document is None:
        return _Subject(origin, (), ())
    if not place.sections:
        return _document_subject(state, origin, place.document)
    mentions = [
        mention
        for mention in state.mentions.about.get(place.document.path, ())
        if any(section in place.sections for section in mention.place.sections)
    ]
    return _Subject(origin, tuple(_section_spots(place)), tuple(_named(state, mentions, "section")))


def _document_subject(state: State, origin: Span, document: Document) -> _Subject:
    """A document: named by the labels of all its sections, and by the pages that supersede it."""
    mentions = state.mentions.about.get(document.path, ())
    superseding = [
        _Spot(newer.path, span, span)
        for newer in state.mentions.superseding.get(document.doc_id, ())
        for older, span in _superseded(newer)
        if older == document.doc_id
    ]
    return _Subject(origin, (_document_spot(document),), (*superseding, *_named(state, mentions, "section")))


# Places


def _named(state: State, mentions: Iterable[Mention], key: str) -> Iterator[_Spot]:
    """Where labels name it: the values of `key`, without their quotation marks."""
    for mention in mentions:
        string = mention.section if key == "section" else mention.evidence
        value = mention.place.gold.section if key == "section" else mention.place.gold.evidence
        if (span := _value(state, mention, string, value)) is not None:
            yield _Spot(mention.path, span, span)


def _value(state: State, mention: Mention, string: Span | None, value: str) -> Span | None:
    file = state.snapshot.facts.label_files.get(mention.path)
    return value_inside(file, string, value) if file is not None and string is not None else None


def _section_spots(place: GoldPlace) -> Iterator[_Spot]:
    """The headings that a label may mean; the document where it names none, or one that is not there."""
    if place.document is not None:
        for section in place.sections:
            yield _section_spot(place.document, section)
        if not place.sections:
            yield _document_spot(place.document)


def _section_spot(document: Document, section: Section) -> _Spot:
    return _Spot(document.path, section.heading_span, section.span)


def _document_spot(document: Document) -> _Spot:
    return _Spot(document.path, document.top(), Span(0, len(document.text)))


def _superseded(document: Document) -> Iterator[tuple[str, Span]]:
    """The ids in the `supersedes` field, each where it is written; the whole value where it is written otherwise."""
    field = document.fields.get("supersedes")
    if field is None:
        return
    for older in document.supersedes:
        yield older, _word_in(document, older, field.value_span)


def _word_in(document: Document, word: str, span: Span) -> Span:
    """Where a word stands in a span; the whole span where it is written otherwise."""
    pattern = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
    found = pattern.search(document.text, span.start, span.end)
    return Span(*found.span()) if found else span


def _related(document: Document) -> Iterator[tuple[str, Span]]:
    """The values of fields that name other pages by what they are called, each where it is written."""
    for name, field in (document.front.fields if document.front else {}).items():
        if _NAMES_PAGES.search(name) and field != document.fields.get("supersedes"):
            for value in field.value if isinstance(field.value, list) else [field.value]:
                if isinstance(value, str) and value:
                    yield value, _word_in(document, value, field.value_span)


def _touches(span: Span, offset: int) -> bool:
    return span.start <= offset <= span.end
