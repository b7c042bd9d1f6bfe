"""Where findings are shown, and the words that name these places. Invariant: geometry only; nothing here judges."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from evidencedesk.documents.document import Document, Section
from evidencedesk.retrieval.chunk import Chunk, doc_id_in, number_in
from evidencedesk.retrieval.evaluation import Evaluation, GoldPlace
from evidencedesk.retrieval.facts import Facts, UnfindableSection
from evidencedesk.text.spans import Span


class Place(NamedTuple):
    """A span of one file; unpacks into the first two fields of a violation or of related information."""

    path: str
    span: Span


def question_of(evaluation: Evaluation) -> Place:
    """The question's text in its label file."""
    return Place(evaluation.source.path, evaluation.source.place("question"))


def chunk_of(facts: Facts, chunk_id: str) -> Chunk:
    """The chunk with an id that is searched. Raises KeyError or IndexError for any other."""
    return facts.by_id[doc_id_in(chunk_id)].chunks[number_in(chunk_id)]


def scoped_chunk(facts: Facts, chunk_id: str) -> Chunk | None:
    """The chunk with this id when it is in the workspace's scope; not of a document whose id an earlier one has."""
    chunks, number = facts.by_id[doc_id_in(chunk_id)].chunks, number_in(chunk_id)
    chunk = chunks[number] if number < len(chunks) else None
    return chunk if chunk and facts.contract.scope.admits(chunk.status, chunk.audience, chunk.lang) else None


def document_of(facts: Facts, chunk: Chunk) -> Document:
    """The document that a chunk was cut from."""
    return facts.by_id[chunk.doc_id].document


def start_of(facts: Facts, chunk: Chunk) -> Place:
    """The first line of a chunk: enough to find it, where its whole text would underline half a page."""
    document = document_of(facts, chunk)
    text = chunk.location.span.of(document.text)
    start = chunk.location.span.start + len(text) - len(text.lstrip())
    lines = text.strip().splitlines() or [""]
    return Place(document.path, Span(start, start + len(lines[0])))


def field_of(document: Document, name: str) -> Place:
    """The value of a front matter field by its standard name; the top of the document when it is not written."""
    field = document.fields.get(name)
    return Place(document.path, field.value_span if field else document.top())


def section_at(document: Document, offset: int) -> Section | None:
    """The section that holds an offset; None above the body."""
    at = bisect_right([section.span.start for section in document.sections], offset) - 1
    return document.sections[at] if at >= 0 else None


def beneath(place: GoldPlace, document: Document) -> bool:
    """Whether an occurrence of the evidence stands under a subheading of a named section."""
    for match in place.matches:
        section = section_at(document, match.span.start)
        if section and any(
            section.span.start >= named.span.start and section.path[: len(named.path)] == named.path
            for named in place.sections
        ):
            return True
    return False


def found_beside(section: UnfindableSection, facts: Facts) -> str | None:
    """The first chunk that the words of a section find of its page, or of a page with the same title; its id."""
    title = facts.documents[section.path].document.title
    for winner in section.winners:
        page = facts.by_id[doc_id_in(winner)].document
        if page.path == section.path or page.title == title:
            return winner
    return None


def reference(document: Document, section: Section | None) -> str:
    """How a label names a section; the document alone for text above the first heading."""
    return f"{document.doc_id}#{section.anchor}" if section and section.heading else document.doc_id


def occurrence(place: GoldPlace) -> Place | None:
    """Where the evidence is shown: its first occurrence under the named heading, else anywhere in the document."""
    matches = place.in_section or place.matches
    return Place(place.document.path, matches[0].span) if place.document and matches else None


def answers(evaluation: Evaluation) -> frozenset[str]:
    """Ids of the chunks that hold a whole answer."""
    return frozenset(holder for place in evaluation.places if place.gold.grade == 2 for holder in place.holders)


def best_answer(evaluation: Evaluation) -> GoldPlace | None:
    """The gold entry whose holder came nearest to being found: by the configured searcher, else by any other.

    Of equals the first in the label.
    """
    whole = [place for place in evaluation.places if place.gold.grade == 2 and place.holders]
    found = evaluation.found.rankings
    rankings = [found[evaluation.contract.searcher], *found.values()]
    ranks = [[rank_of(ranking, place.holders) or len(ranking) + 1 for ranking in rankings] for place in whole]
    return min(zip(whole, ranks, strict=True), key=lambda pair: (pair[1][0], min(pair[1])), default=(None,))[0]


def rank_of(ranking: Sequence[Chunk], wanted: Iterable[str]) -> int | None:
    """The best rank of any of these chunk ids."""
    ids = frozenset(wanted)
    return next((rank for rank, chunk in enumerate(ranking, start=1) if chunk.id in ids), None)


def named(chunk: Chunk) -> str:
    """A chunk's id and the heading it stands under."""
    return f"{chunk.id} “{quoted(chunk.section, 50)}”" if chunk.section else chunk.id


def quoted(text: str, limit: int = 70) -> str:
    """`text` on one line, cut at a word where it is longer than `limit` characters."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    head = line[: limit - 1]
    return (head.rsplit(" ", 1)[0] if " " in head[limit // 2 :] else head) + "…"


def listed(items: Sequence[str], limit: int = 3) -> str:
    """`a, b, c and 4 more`."""
    shown = ", ".join(items[:limit])
    return f"{shown} and {len(items) - limit} more" if len(items) > limit else shown


def counted(number: int, noun: str) -> str:
    """`1 question`, `2 questions`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
