"""Sections that their own headings do not retrieve. Invariant: needs no labels; twins and namesakes count as itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evidencedesk.documents.document import Document, Section
from evidencedesk.retrieval.candidates import ids
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.corpus import Corpus, InScope, Part
from evidencedesk.retrieval.evaluation import Contract
from evidencedesk.retrieval.facts import ChunkedDocument, UnfindablePage, UnfindableSection
from evidencedesk.retrieval.fusion import rrf
from evidencedesk.retrieval.searcher import Best, Rankings, Searcher, rank_many
from evidencedesk.retrieval.twin_keys import text_digest

_FRAME_PAGES = 5
_FRAME_SHARE = 0.05

Leg = Callable[[Sequence[str], int], Best]
"""Finds the best k for queries."""

Numbers = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Tries:
    """The sections of a document that are tried: `own_slots[i]` is a slot of section `own_places[i]`.

    `kinds` are those of the document's chunks (see `kind_of`).
    """

    document: Document
    part: Part
    headings: frozenset[str]
    anchors: tuple[str, ...]
    queries: tuple[str, ...]
    own_places: Numbers
    own_slots: NDArray[np.int32]
    kinds: NDArray[np.int64]

    def kind_of(self, chunk: Chunk) -> int:
        """The kind of one of the document's chunks."""
        return int(self.kinds[self.part.row_of[chunk.id]])


@dataclass(frozen=True, slots=True, eq=False)
class Tops:
    """The ids that the lists of a query begin with, by the searchers' names, and the kinds of all these chunks.

    `marks` are those of the lists that they come from.
    """

    marks: tuple[object, ...]
    ids: Mapping[str, tuple[str, ...]]
    kinds: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class Findability:
    """What came of trying all headings, and what the next time starts from.

    `tops` are of the queries that no leg alone answers.
    """

    unfindable: tuple[UnfindableSection, ...]
    contract: Contract
    headings: Mapping[str, int]
    frame: frozenset[str]
    tries: Mapping[str, Tries]
    asked: _Asked
    tops: Mapping[str, Tops]


def find_unfindable(
    before: Findability | None,
    documents: Mapping[str, ChunkedDocument],
    corpus: Corpus,
    legs: Mapping[str, Leg],
    searchers: Mapping[str, Searcher],
    contract: Contract,
) -> Findability:
    """Sections in scope for which `"<title> <heading>"` brings none of their chunks into the top k of any searcher.

    Sections with one title and heading, such as those of a page's versions and translations, are found when one of them
    is. Headings that belong to the frame of many pages ("Parameters", "See also") are not tried. The words decide most
    cases: each of `legs` is asked about what those before it miss, and the fusion of all, where there are several,
    and the configured searcher about the rest. All but the first are asked at once for as many as the fusion needs.

    From `before` it takes over what rests on documents and lists that did not change.
    """
    before = before if before and before.contract == contract else None
    headings = _headings(before, documents)
    many = max(_FRAME_PAGES, _FRAME_SHARE * len(documents))
    if before and headings is before.headings and len(documents) == len(before.tries):
        frame = before.frame
    else:
        frame = frozenset(heading for heading, count in headings.items() if count >= many)
    known = before.tries if before and before.frame == frame else {}
    tries = {}
    for doc_id, chunked in documents.items():
        part, last = corpus.parts[doc_id], known.get(doc_id)
        is_same = last is not None and last.part is part and last.document is chunked.document
        tries[doc_id] = last if last is not None and is_same else _tries(chunked.document, part, frame)

    scope = InScope(corpus, contract.scope)
    asked = _asked(before.asked if before else None, list(tries.values()), corpus.mask(scope))
    kinds = np.zeros(len(corpus.chunks) + 1, dtype=np.int64)
    if tries:
        kinds[np.concatenate([one.part.slots for one in asked.tries])] = np.concatenate(
            [one.kinds for one in asked.tries]
        )
    rest = np.flatnonzero(np.bincount(asked.own_query, minlength=len(asked.queries)))
    depth = max(contract.k, contract.depth)
    deep: dict[str, Best] = {}
    for place, (name, leg) in enumerate(legs.items()):
        best = leg(asked.texts(rest), depth if place else contract.k)
        is_missed = ~_holds(best.slots[:, : contract.k], rest, asked.own_query, kinds[asked.own_slot], kinds)
        deep = {known: found.of(is_missed) for known, found in deep.items()}
        if place:
            deep[name] = best.of(is_missed)
        rest = rest[is_missed]

    queries = asked.texts(rest)
    rankings = {name: deep[name] if name in deep else leg(queries, depth) for name, leg in legs.items()}
    tops = _tops(before.tops if before else {}, queries, tries, rankings, searchers, contract, scope)
    is_missed = np.zeros(len(asked.queries), dtype=np.bool_)
    is_missed[rest] = True
    still = is_missed[asked.own_query]
    own_kinds = kinds[asked.own_slot[still]].tolist()
    for number, kind in zip(asked.own_query[still].tolist(), own_kinds, strict=True):
        if kind in tops[asked.queries[number]].kinds:
            is_missed[number] = False
    earlier = {(one.path, one.anchor): one for one in before.unfindable} if before else {}
    unfindable = []
    for document, anchor, query in asked.sections(is_missed):
        winners = tops[query].ids[contract.searcher]
        same = earlier.get((document.path, anchor))
        if same is None or same.winners != winners or same.query != query:
            same = UnfindableSection(document.path, anchor, query, winners)
        unfindable.append(same)
    return Findability(tuple(unfindable), contract, headings, frame, tries, asked, tops)


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """The tries of all documents, one after the other: `query_of` has the number of each one's query.

    Those of `tries[i]` begin at `firsts[i]`.
    `own_query[i]` wants to find the chunk in `own_slot[i]`.
    """

    tries: Sequence[Tries]
    queries: Sequence[str]
    query_of: Numbers
    firsts: Numbers
    in_scope: NDArray[np.bool_]
    own_query: Numbers
    own_slot: NDArray[np.int32]

    def texts(self, numbers: Numbers) -> Sequence[str]:
        """The queries with these numbers, each given once and ascending."""
        return (
            list(map(self.queries.__getitem__, numbers.tolist())) if len(numbers) < len(self.queries) else self.queries
        )

    def sections(self, is_wanted: NDArray[np.bool_]) -> Iterable[tuple[Document, str, str]]:
        """Document, anchor and query of the sections in scope with the queries of the wanted numbers, in order."""
        places = np.flatnonzero(is_wanted[self.query_of] & self.in_scope)
        pages = np.searchsorted(self.firsts, places, side="right") - 1
        for page, place in zip(pages.tolist(), (places - self.firsts[pages]).tolist(), strict=True):
            one = self.tries[page]
            yield one.document, one.anchors[place], one.queries[place]


def _asked(before: _Asked | None, tries: Sequence[Tries], mask: NDArray[np.bool_]) -> _Asked:
    """The tries of these documents; where they ask the same as before, their queries are not numbered again."""
    queries: Sequence[str]
    if before and [one.queries for one in before.tries] == [one.queries for one in tries]:
        queries, query_of, firsts = before.queries, before.query_of, before.firsts
    else:
        number: dict[str, int] = {}
        query_of = np.array(
            [number.setdefault(query, len(number)) for one in tries for query in one.queries], dtype=np.intp
        )
        queries, firsts = list(number), np.cumsum([0, *(len(one.queries) for one in tries)])
    places = np.concatenate([np.zeros(0, dtype=np.intp), *(one.own_places for one in tries)])
    places += np.repeat(firsts[:-1], [len(one.own_places) for one in tries])
    slots = np.concatenate([np.zeros(0, dtype=np.int32), *(one.own_slots for one in tries)])
    allowed = mask[slots]
    places, slots = places[allowed], slots[allowed]
    in_scope = np.zeros(len(query_of), dtype=np.bool_)
    in_scope[places] = True
    return _Asked(tries, queries, query_of, firsts, in_scope, query_of[places], slots)


def _tries(document: Document, part: Part, frame: frozenset[str]) -> Tries:
    tried = [section for section in document.sections if section.level and section.heading not in frame]
    places, rows = np.nonzero(_overlaps(tried, part.chunks))
    return Tries(
        document,
        part,
        frozenset(section.heading for section in document.sections),
        tuple(section.anchor for section in tried),
        tuple(_query(document.title, section.heading) for section in tried),
        places,
        part.slots[rows],
        np.fromiter(map(kind_of, part.chunks), np.int64, len(part.chunks)),
    )


def _overlaps(sections: Sequence[Section], chunks: Sequence[Chunk]) -> NDArray[np.bool_]:
    """Which section's body overlaps which chunk (see `Span.overlaps`), shape (sections, chunks)."""
    bodies = np.array([(one.body.start, one.body.end) for one in sections], dtype=np.int64).reshape(-1, 2, 1)
    spans = np.array([tuple(one.location.span) for one in chunks], dtype=np.int64).reshape(-1, 2).T
    (start, end), (first, last) = bodies.transpose(1, 0, 2), spans
    empty = (start == end) | (first == last)
    overlaps: NDArray[np.bool_] = np.where(empty, (start <= last) & (first <= end), (start < last) & (first < end))
    return overlaps


def _headings(before: Findability | None, documents: Mapping[str, ChunkedDocument]) -> Mapping[str, int]:
    """On how many pages each heading stands; the same object as before if nothing has changed."""
    changes: Counter[str] = Counter()
    known = before.tries if before else {}
    gone = [one for doc_id, one in known.items() if doc_id not in documents]
    for doc_id, chunked in documents.items():
        last = known.get(doc_id)
        if last is None or last.document is not chunked.document:
            changes.update({section.heading for section in chunked.document.sections})
            gone += [last] if last else []
    for one in gone:
        changes.subtract(one.headings)
    if before and not any(changes.values()):
        return before.headings
    counts = Counter(before.headings) if before else Counter()
    counts.update(changes)
    return {heading: count for heading, count in counts.items() if count}


def _holds(
    best: NDArray[np.int32], queries: Numbers, own_query: Numbers, own_kind: NDArray[np.int64], kinds: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which of the queries, one a row of `best` and ascending, have a chunk of a kind of their own in their list."""
    found = np.zeros(len(queries), dtype=np.bool_)
    if len(queries):
        row_of = np.full(int(own_query.max(initial=queries[-1])) + 1, -1, dtype=np.intp)
        row_of[queries] = np.arange(len(queries))
        rows = row_of[own_query]
        rows, own_kind = rows[rows >= 0], own_kind[rows >= 0]
        slots = best[rows]
        found[rows[((kinds[slots] == own_kind[:, np.newaxis]) & (slots >= 0)).any(axis=1)]] = True
    return found


def kind_of(chunk: Chunk) -> int:
    """A number that chunks of the same text share, and no others but by a chance of 2^-64; blank ones stand alone."""
    digest = text_digest(chunk.text) or text_digest(f"blank {chunk.id}")
    return int.from_bytes(digest[:8], "little", signed=True)


def _tops(
    known: Mapping[str, Tops],
    queries: Sequence[str],
    tries: Mapping[str, Tries],
    legs: Mapping[str, Rankings],
    searchers: Mapping[str, Searcher],
    contract: Contract,
    scope: InScope,
) -> dict[str, Tops]:
    """What all searchers find for each query; of the legs that is known."""
    depth = max(contract.k, contract.depth)
    rankings = dict(legs)
    fused = len(legs) > 1
    if contract.searcher not in rankings and not (fused and contract.searcher == "hybrid"):
        rankings[contract.searcher] = rank_many(searchers[contract.searcher], queries, depth, scope)
    tops = {}
    for row, (query, *marks) in enumerate(zip(queries, *(found.marks for found in rankings.values()), strict=True)):
        last = known.get(query)
        if last is None or last.marks != tuple(marks):
            lists = {name: found[row] for name, found in rankings.items()}
            if fused:
                lists["hybrid"] = rrf([lists[name] for name in legs], contract.rrf_k, contract.k)
            firsts = {name: found[: contract.k] for name, found in lists.items()}
            kinds = frozenset(tries[one.chunk.doc_id].kind_of(one.chunk) for found in firsts.values() for one in found)
            last = Tops(tuple(marks), {name: tuple(ids(found)) for name, found in firsts.items()}, kinds)
        tops[query] = last
    return tops


def unfindable_pages(sections: Iterable[UnfindableSection]) -> Mapping[str, UnfindablePage]:
    """Unfindable sections by their page's path."""
    found: dict[str, list[UnfindableSection]] = {}
    for section in sections:
        found.setdefault(section.path, []).append(section)
    return {path: UnfindablePage(path, tuple(own)) for path, own in found.items()}


def _query(title: str, heading: str) -> str:
    return heading if heading.startswith(title) else f"{title} {heading}"
