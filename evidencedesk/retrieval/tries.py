"""Sections tried by their own headings: what is asked for each, and which chunks it wants to bring.

Invariant: what is taken over from an earlier state changes neither a query nor a chunk that is wanted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evidencedesk.documents.document import Document, Section
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.corpus import Corpus, Mask, Part
from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.retrieval.twin_keys import TwinKeys

_FRAME_PAGES = 5
_FRAME_SHARE = 0.05

Numbers = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class PageTries:
    """The sections of a page that are tried: section `i` has `anchors[i]` and asks the query of number `numbers[i]`.

    Section `own_places[j]` overlaps the chunk in row `own_rows[j]` of the part. `headings` are all of its headings.
    """

    document: Document
    part: Part
    headings: frozenset[str]
    anchors: tuple[str, ...]
    numbers: Numbers
    own_places: Numbers
    own_rows: Numbers
    own_numbers: Numbers
    own_slots: NDArray[np.int32]


class Queries:
    """Queries by number. They only become more, and later states share them: an earlier one ends before new ones."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._numbers: dict[str, int] = {}

    def numbered(self, queries: Sequence[str]) -> Numbers:
        """The numbers of these queries, the next ones for those that are new."""
        for query in queries:
            if self._numbers.setdefault(query, len(self.texts)) == len(self.texts):
                self.texts.append(query)
        return np.fromiter(map(self._numbers.__getitem__, queries), np.intp, len(queries))


@dataclass(frozen=True, slots=True, eq=False)
class Tries:
    """The tries of all pages, by document id; `texts` are the queries by number, also such as nobody asks any more.

    Query `own_query[j]` wants the chunk in slot `own_slot[j]`, which is in scope, for section `own_place[j]` of page
    `own_page[j]`. `kinds` are by slot (see `_kinds`), with 0 behind for no slot. `stirred` are the numbers of queries
    of which a page is another one than before.
    """

    pages: Mapping[str, PageTries]
    queries: Queries
    texts: Sequence[str]
    kinds: NDArray[np.int64]
    own_query: Numbers
    own_slot: NDArray[np.int32]
    own_page: Numbers
    own_place: Numbers
    stirred: Numbers
    frame: frozenset[str]
    heading_pages: Mapping[str, int]

    @property
    def asked(self) -> Numbers:
        """The numbers of the queries that want some chunk, ascending."""
        return np.flatnonzero(np.bincount(self.own_query, minlength=len(self.texts)))

    def some(self, numbers: Numbers) -> Sequence[str]:
        """The queries with these numbers."""
        return [self.texts[number] for number in numbers.tolist()]

    def holds_own(self, best: NDArray[np.int32], numbers: Numbers) -> NDArray[np.bool_]:
        """Which of the queries with these numbers, one a row of `best`, have a chunk of a kind that they want there.

        The numbers ascend, and `best` holds slots.
        """
        row_of = np.full(len(self.texts), -1, dtype=np.intp)
        row_of[numbers] = np.arange(len(numbers))
        rows, own = row_of[self.own_query], self.own_slot
        if len(numbers) < len(self.texts):
            asked = rows >= 0
            rows, own = rows[asked], own[asked]
        # Nothing is of the kind of no slot but no slot.
        hits = (self.kinds[best][rows] == self.kinds[own][:, np.newaxis]).any(axis=1)
        found = np.zeros(len(numbers), dtype=np.bool_)
        found[rows[hits]] = True
        return found


def collect_tries(
    before: Tries | None,
    documents: Mapping[str, ChunkedDocument],
    keys: Mapping[str, TwinKeys],
    corpus: Corpus,
    mask: Mask,
) -> Tries:
    """Every section with a heading and chunks in `mask`, asked for by `"<title> <heading>"`.

    Headings that belong to the frame of many pages ("Parameters", "See also") are not tried. Sections with one title
    and heading, such as those of a page's versions and translations, share a query, which wants the chunks of all.
    """
    if before and len(before.texts) > 2 * sum(len(page.numbers) for page in before.pages.values()):
        before = None  # Most queries are of earlier states.
    heading_pages = _heading_pages(before, documents)
    if before and heading_pages is before.heading_pages and len(documents) == len(before.pages):
        frame = before.frame
    else:
        many = max(_FRAME_PAGES, _FRAME_SHARE * len(documents))
        frame = frozenset(heading for heading, pages in heading_pages.items() if pages >= many)
    queries = before.queries if before else Queries()
    old = before.pages if before else {}
    pages: dict[str, PageTries] = {}
    stirred = [page for doc_id, page in old.items() if doc_id not in documents]
    kinds = np.zeros(len(corpus.chunks) + 1, dtype=np.int64)
    if before:
        # Slots that live on are of parts that are the same; whatever stands in others is not looked at.
        kept = min(len(before.kinds), len(kinds)) - 1
        kinds[:kept] = before.kinds[:kept]
    for doc_id, chunked in documents.items():
        part, last = corpus.parts[doc_id], old.get(doc_id)
        page = last
        if page is None or before is None or not _is_same(page, chunked, part) or before.frame != frame:
            page = _page_tries(chunked.document, part, frame, queries)
            stirred += [page, *([last] if last else [])]
        elif page.part is not part:
            page = replace(page, part=part, own_slots=part.slots[page.own_rows])
        if page is not last:
            kinds[part.slots] = _kinds(keys[doc_id], part.slots)
        pages[doc_id] = page
    query, slot, place, number = (
        np.concatenate([np.zeros(0, dtype=np.intp), *arrays])
        for arrays in (
            [page.own_numbers for page in pages.values()],
            [page.own_slots for page in pages.values()],
            [page.own_places for page in pages.values()],
            [page.numbers for page in stirred],
        )
    )
    of_page = np.repeat(np.arange(len(pages)), [len(page.own_places) for page in pages.values()])
    allowed = mask[slot]
    return Tries(
        pages,
        queries,
        queries.texts.copy(),
        kinds,
        query[allowed],
        slot[allowed].astype(np.int32),
        of_page[allowed],
        place[allowed],
        number,
        frame,
        heading_pages,
    )


def _is_same(page: PageTries, chunked: ChunkedDocument, part: Part) -> bool:
    return page.document is chunked.document and page.part.chunks is part.chunks


def _page_tries(document: Document, part: Part, frame: frozenset[str], queries: Queries) -> PageTries:
    tried = [section for section in document.sections if section.level and section.heading not in frame]
    places, rows = np.nonzero(_overlaps(tried, part.chunks))
    numbers = queries.numbered([_query(document.title, section.heading) for section in tried])
    return PageTries(
        document,
        part,
        frozenset(section.heading for section in document.sections),
        tuple(section.anchor for section in tried),
        numbers,
        places,
        rows,
        numbers[places],
        part.slots[rows],
    )


def _query(title: str, heading: str) -> str:
    return heading if heading.startswith(title) else f"{title} {heading}"


def _overlaps(sections: Sequence[Section], chunks: Sequence[Chunk]) -> NDArray[np.bool_]:
    """Which section's body overlaps which chunk (see `Span.overlaps`), shape (sections, chunks)."""
    bodies = np.array([(one.body.start, one.body.end) for one in sections], dtype=np.int64).reshape(-1, 2, 1)
    spans = np.array([tuple(one.location.span) for one in chunks], dtype=np.int64).reshape(-1, 2).T
    (start, end), (first, last) = bodies.transpose(1, 0, 2), spans
    empty = (start == end) | (first == last)
    overlaps: NDArray[np.bool_] = np.where(empty, (start <= last) & (first <= end), (start < last) & (first < end))
    return overlaps


def _heading_pages(before: Tries | None, documents: Mapping[str, ChunkedDocument]) -> Mapping[str, int]:
    """On how many pages each heading stands; the same object as before if nothing has changed."""
    changes: Counter[str] = Counter()
    known = before.pages if before else {}
    gone = [page for doc_id, page in known.items() if doc_id not in documents]
    for doc_id, chunked in documents.items():
        last = known.get(doc_id)
        if last is None or last.document is not chunked.document:
            changes.update({section.heading for section in chunked.document.sections})
            gone += [last] if last else []
    for page in gone:
        changes.subtract(page.headings)
    if before and not any(changes.values()):
        return before.heading_pages
    counts = Counter(before.heading_pages) if before else Counter()
    counts.update(changes)
    return {heading: pages for heading, pages in counts.items() if pages}


def _kinds(keys: TwinKeys, slots: NDArray[np.int32]) -> NDArray[np.int64]:
    """Numbers that chunks of the same text share, and no others but by a chance of 2^-64; blank ones stand alone."""
    digests = np.ascontiguousarray(keys.texts).view(np.int64)[::2]
    return np.where(keys.texts == b"", ~slots.astype(np.int64), digests)
