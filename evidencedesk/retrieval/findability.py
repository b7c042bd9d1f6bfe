"""Sections that their own headings do not retrieve. Invariant: needs no labels; twins and namesakes count as itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from evidencedesk.documents.document import Section
from evidencedesk.retrieval.candidates import RankedList, ids
from evidencedesk.retrieval.catalog import Catalog
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.evaluation import Contract
from evidencedesk.retrieval.facts import ChunkedDocument, UnfindableSection
from evidencedesk.retrieval.fusion import rrf
from evidencedesk.retrieval.searcher import Searcher
from evidencedesk.retrieval.twins import Twins

_FRAME_PAGES = 5
_FRAME_SHARE = 0.05


def find_unfindable(
    documents: Iterable[ChunkedDocument],
    legs: Sequence[Searcher],
    searchers: Mapping[str, Searcher],
    catalog: Catalog,
    contract: Contract,
    twins: Twins,
) -> tuple[UnfindableSection, ...]:
    """Sections in scope for which `"<title> <heading>"` brings none of their chunks into the top k of any searcher.

    Sections with one title and heading, such as those of a page's versions and translations, are found when one of them
    is. Headings that belong to the frame of many pages ("Parameters", "See also") are not tried. The words decide most
    cases: each of `legs` is asked about what those before it miss, and the fusion of all, where there are several,
    and the configured searcher about the rest.
    """
    allowed = catalog.allowed(contract.scope)
    same = {chunk_id: group for group in twins.equal for chunk_id in group}
    sections: dict[tuple[str, str], str] = {}
    wanted: dict[str, set[str]] = {}
    pages = list(documents)
    frame = _frame(pages)
    for chunked in pages:
        for section in chunked.document.sections:
            own = [chunk.id for chunk in _chunks_of(section, chunked) if chunk.id in allowed]
            if section.level and own and section.heading not in frame:
                query = _query(chunked.document.title, section.heading)
                sections[chunked.document.path, section.anchor] = query
                wanted.setdefault(query, set()).update(*(same.get(chunk_id, (chunk_id,)) for chunk_id in own))

    for leg in legs:
        tops = leg.search_many(list(wanted), contract.k, allowed)
        wanted = {
            query: own for (query, own), found in zip(wanted.items(), tops, strict=True) if own.isdisjoint(ids(found))
        }
    rest = list(wanted)
    depth = max(contract.k, contract.depth)
    every = [leg.search_many(rest, depth, allowed) for leg in legs]
    lists: dict[str, Mapping[str, RankedList]] = {
        leg.name: dict(zip(rest, found, strict=True)) for leg, found in zip(legs, every, strict=True)
    }
    if len(legs) > 1:
        fused = (rrf(pair, contract.rrf_k, contract.k) for pair in zip(*every, strict=True))
        lists["hybrid"] = dict(zip(rest, fused, strict=True))
    if contract.searcher not in lists:
        lists[contract.searcher] = dict(
            zip(rest, searchers[contract.searcher].search_many(rest, depth, allowed), strict=True)
        )

    def best(name: str, query: str) -> list[str]:
        return ids(lists[name][query][: contract.k])

    winners = {
        query: tuple(best(contract.searcher, query))
        for query, own in wanted.items()
        if not any(own.intersection(best(name, query)) for name in lists)
    }
    return tuple(
        UnfindableSection(path, anchor, query, winners[query])
        for (path, anchor), query in sections.items()
        if query in winners
    )


def _frame(pages: Sequence[ChunkedDocument]) -> set[str]:
    """Headings that stand on many pages."""
    counts = Counter(heading for page in pages for heading in {section.heading for section in page.document.sections})
    many = max(_FRAME_PAGES, _FRAME_SHARE * len(pages))
    return {heading for heading, count in counts.items() if count >= many}


def _query(title: str, heading: str) -> str:
    return heading if heading.startswith(title) else f"{title} {heading}"


def _chunks_of(section: Section, chunked: ChunkedDocument) -> Iterable[Chunk]:
    return (chunk for chunk in chunked.chunks if section.body.overlaps(chunk.location.span))
