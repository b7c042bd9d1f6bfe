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
from evidencedesk.retrieval.changes import changed_keys, same_keys
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.corpus import Corpus, Mask, Part
from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.retrieval.searcher import Tick, untold
from evidencedesk.retrieval.twin_keys import TwinKeys

_FRAME_PAGES = 5
_FRAME_SHARE = 0.05

Numbers = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class PageTries:
    """The sections of a page that are tried: section `i` has `anchors[i]` and asks the query of number `numbers[i]`.

    Section `own_places[j]` wants the chunk in row `own_rows[j]` of the part, which it overlaps and which is in scope:
    `own[:, j]` holds the number of its query, this place, and the slot. `headings` are all headings of the page.
    """

    document: Document
    part: Part
    headings: frozenset[str]
    anchors: tuple[str, ...]
    numbers: Numbers
    own_places: Numbers
    own_rows: Numbers

    @property
    def own(self) -> Numbers:
        """See above, shape (3, number of pairs)."""
        return np.stack([self.numbers[self.own_places], self.own_places, self.part.slots[self.own_rows]])


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
    """The tries of all pages, by document id. There are `size` queries, also such as nobody asks any more.

    Pairs of a query and a chunk it wants stand page by page: those of page `i` from `firsts[i]` to `firsts[i + 1]` in
    `own` (see `PageTries`). `kinds` are by slot (see `_kinds`), with 0 behind for no slot. `asked` are the numbers of
    the queries that want some chunk, ascending, with their `texts`; `stirred` those of which a page is another one than
    before. `tried` counts the sections.
    """

    documents: Mapping[str, ChunkedDocument]
    parts: Mapping[str, Part]
    pages: Mapping[str, PageTries]
    queries: Queries
    size: int
    own: Numbers
    firsts: Numbers
    kinds: NDArray[np.int64]
    asked: Numbers
    texts: Sequence[str]
    stirred: Numbers
    tried: int
    frame: frozenset[str]
    heading_pages: Mapping[str, int]

    @property
    def own_query(self) -> Numbers:
        """By pair, the query's number."""
        numbers: Numbers = self.own[0]
        return numbers

    @property
    def own_place(self) -> Numbers:
        """By pair, the place of the section on its page."""
        places: Numbers = self.own[1]
        return places

    @property
    def own_slot(self) -> Numbers:
        """By pair, the slot of the chunk."""
        slots: Numbers = self.own[2]
        return slots

    @property
    def own_page(self) -> Numbers:
        """By pair, the place of the page among all."""
        return np.repeat(np.arange(len(self.pages)), np.diff(self.firsts))

    def some(self, numbers: Numbers) -> Sequence[str]:
        """The queries with these numbers."""
        return [self.queries.texts[number] for number in numbers.tolist()]

    def pairs_of(self, numbers: Numbers) -> tuple[Numbers, Numbers]:
        """By pair of these queries: the place of its query among the numbers, ascending, and the pair itself."""
        row_of = np.full(self.size, -1, dtype=np.intp)
        row_of[numbers] = np.arange(len(numbers))
        rows = row_of[self.own_query]
        pairs = np.flatnonzero(rows >= 0)
        pairs = pairs[np.argsort(rows[pairs], kind="stable")]
        return rows[pairs], pairs

    def holds_own(self, best: NDArray[np.int32], numbers: Numbers) -> NDArray[np.bool_]:
        """Which of the queries with these numbers, one a row of `best`, have a chunk of a kind that they want there.

        `best` holds slots.
        """
        rows, pairs = self.pairs_of(numbers)
        # Nothing is of the kind of no slot but no slot.
        hits = (self.kinds[best][rows] == self.kinds[self.own_slot[pairs]][:, np.newaxis]).any(axis=1)
        found = np.zeros(len(numbers), dtype=np.bool_)
        found[rows[hits]] = True
        return found


def collect_tries(
    before: Tries | None,
    documents: Mapping[str, ChunkedDocument],
    keys: Mapping[str, TwinKeys],
    corpus: Corpus,
    mask: Mask,
    tick: Tick = untold,
) -> Tries:
    """Every section with a heading and chunks in `mask`, asked for by `"<title> <heading>"`.

    Headings that belong to the frame of many pages ("Parameters", "See also") are not tried. Sections with one title
    and heading, such as those of a page's versions and translations, share a query, which wants the chunks of all.
    `before` is of an earlier state under the same scope; `keys` are by path.
    """
    if before and before.size > 2 * before.tried:
        before = None  # Most queries are of earlier states.
    changed = changed_keys(before.documents if before else {}, documents)
    heading_pages, frame = _headings(before, documents, changed)
    if before and before.frame != frame:
        changed = [*documents, *(doc_id for doc_id in before.pages if doc_id not in documents)]
    old = before.pages if before else {}
    queries = before.queries if before else Queries()
    new = {}
    for done, doc_id in enumerate(changed):
        tick(done, len(changed))
        if doc_id in documents:
            new[doc_id] = _page_tries(documents[doc_id].document, corpus.parts[doc_id], frame, queries, mask)
    gone, come = ([page.numbers for doc_id in changed if (page := pages.get(doc_id))] for pages in (old, new))
    for doc_id in changed_keys(before.parts if before else {}, corpus.parts):
        if doc_id in documents and doc_id not in new:
            new[doc_id] = replace(old[doc_id], part=corpus.parts[doc_id])
    kinds = np.zeros(len(corpus.chunks) + 1, dtype=np.int64)
    if before:
        # Slots that live on are of parts that are the same; whatever stands in others is not looked at.
        kept = min(len(before.kinds), len(kinds)) - 1
        kinds[:kept] = before.kinds[:kept]
    for page in new.values():
        kinds[page.part.slots] = _kinds(keys[page.document.path], page.part.slots)
    pages, own, firsts = _joined(before, documents, new)
    asked = np.flatnonzero(np.bincount(own[0], minlength=len(queries.texts)))
    is_asked_again = before is not None and np.array_equal(asked, before.asked)
    texts = before.texts if before and is_asked_again else list(map(queries.texts.__getitem__, asked.tolist()))
    return Tries(
        documents,
        corpus.parts,
        pages,
        queries,
        len(queries.texts),
        own,
        firsts,
        kinds,
        asked,
        texts,
        np.concatenate([np.zeros(0, dtype=np.intp), *gone, *come]),
        (before.tried if before else 0) - sum(map(len, gone)) + sum(map(len, come)),
        frame,
        heading_pages,
    )


def _joined(
    before: Tries | None, documents: Mapping[str, ChunkedDocument], new: Mapping[str, PageTries]
) -> tuple[Mapping[str, PageTries], Numbers, Numbers]:
    """The tries of all pages, their pairs and where those of each page begin; `new` are other ones than before."""
    nothing = np.zeros((3, 0), dtype=np.intp)
    if before is None or not same_keys(before.documents, documents):
        old = before.pages if before else {}
        pages: Mapping[str, PageTries] = {doc_id: new.get(doc_id) or old[doc_id] for doc_id in documents}
        pairs = [page.own for page in pages.values()]
        sizes = np.array([own.shape[1] for own in pairs], dtype=np.intp)
        return pages, np.concatenate([nothing, *pairs], axis=1), np.append(0, np.cumsum(sizes))
    # All is in its place but the pairs of these pages.
    sizes, pairs, end = np.diff(before.firsts), [nothing], 0
    for place, doc_id in enumerate(documents):
        if doc_id not in new:
            continue
        own = new[doc_id].own
        pairs += [before.own[:, before.firsts[end] : before.firsts[place]], own]
        sizes[place], end = own.shape[1], place + 1
    pairs.append(before.own[:, before.firsts[end] :])
    return {**before.pages, **new}, np.concatenate(pairs, axis=1), np.append(0, np.cumsum(sizes))


def _page_tries(document: Document, part: Part, frame: frozenset[str], queries: Queries, mask: Mask) -> PageTries:
    tried = [section for section in document.sections if section.level and section.heading not in frame]
    places, rows = np.nonzero(_overlaps(tried, part.chunks) & mask[part.slots])
    return PageTries(
        document,
        part,
        frozenset(section.heading for section in document.sections),
        tuple(section.anchor for section in tried),
        queries.numbered([_query(document.title, section.heading) for section in tried]),
        places,
        rows,
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


def _headings(
    before: Tries | None, documents: Mapping[str, ChunkedDocument], changed: Sequence[str]
) -> tuple[Mapping[str, int], frozenset[str]]:
    """On how many pages each heading stands, and the headings that stand on many."""
    changes: Counter[str] = Counter()
    for doc_id in changed:
        if doc_id in documents:
            changes.update({section.heading for section in documents[doc_id].document.sections})
        if before and doc_id in before.pages:
            changes.subtract(before.pages[doc_id].headings)
    turned = [heading for heading, change in changes.items() if change]
    many = max(_FRAME_PAGES, _FRAME_SHARE * len(documents))
    if before and not turned and len(documents) == len(before.pages):
        return before.heading_pages, before.frame
    pages = dict(before.heading_pages) if before else {}
    for heading in turned:
        pages[heading] = pages.get(heading, 0) + changes[heading]
        if not pages[heading]:
            del pages[heading]
    if before and len(documents) == len(before.pages):
        frame = before.frame.difference(turned).union(heading for heading in turned if pages.get(heading, 0) >= many)
    else:
        frame = frozenset(heading for heading, count in pages.items() if count >= many)
    return pages, frame


def _kinds(keys: TwinKeys, slots: NDArray[np.int32]) -> NDArray[np.int64]:
    """Numbers that chunks of the same text share, and no others but by a chance of 2^-64; blank ones stand alone."""
    digests = np.ascontiguousarray(keys.texts).view(np.int64)[::2]
    return np.where(keys.texts == b"", ~slots.astype(np.int64), digests)
