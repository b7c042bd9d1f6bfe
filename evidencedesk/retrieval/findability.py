"""Sections that their own headings do not retrieve. Invariant: needs no labels; a section's twin counts as itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evidencedesk.documents.document import Section
from evidencedesk.retrieval.candidates import RankedList, ids
from evidencedesk.retrieval.catalog import Catalog
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.evaluation import Contract
from evidencedesk.retrieval.facts import ChunkedDocument, UnfindableSection
from evidencedesk.retrieval.judge import retrieve
from evidencedesk.retrieval.searchers import Searcher
from evidencedesk.retrieval.twins import Twins


def find_unfindable(
    documents: Iterable[ChunkedDocument],
    legs: Mapping[str, Searcher],
    catalog: Catalog,
    contract: Contract,
    twins: Twins,
) -> tuple[UnfindableSection, ...]:
    """Sections in scope for which `"<title> <heading>"` brings none of their chunks into the top k of any searcher.

    The words decide most cases, so that leg is asked first, and the others only about what it misses.
    """
    allowed = catalog.allowed(contract.scope)
    twin_of = {chunk_id: group[0] for group in twins.equal for chunk_id in group}
    wanted: dict[tuple[str, str], tuple[str, set[str]]] = {}
    for chunked in documents:
        for section in chunked.document.sections:
            own = {twin_of.get(chunk.id, chunk.id) for chunk in _chunks_of(section, chunked) if chunk.id in allowed}
            if section.level and own:
                query = _query(chunked.document.title, section.heading)
                wanted[chunked.document.path, section.anchor] = (query, own)

    queries = list(dict.fromkeys(query for query, _ in wanted.values()))
    by_words = dict(zip(queries, legs["sparse"].search_many(queries, contract.k, allowed), strict=True))
    doubtful = {key: (query, own) for key, (query, own) in wanted.items() if not _brings(by_words[query], own, twin_of)}
    if not doubtful or contract.searcher == "sparse":
        return tuple(_unfindable(key, query, by_words[query]) for key, (query, _) in doubtful.items())
    queries = list(dict.fromkeys(query for query, _ in doubtful.values()))
    pairs = [(query, contract.scope) for query in queries]
    retrieved = dict(zip(queries, retrieve(pairs, legs, catalog, contract), strict=True))
    return tuple(
        _unfindable(key, query, retrieved[query].rankings[contract.searcher][: contract.k])
        for key, (query, own) in doubtful.items()
        if not any(_brings(ranking[: contract.k], own, twin_of) for ranking in retrieved[query].rankings.values())
    )


def _query(title: str, heading: str) -> str:
    return heading if heading.startswith(title) else f"{title} {heading}"


def _chunks_of(section: Section, chunked: ChunkedDocument) -> Iterable[Chunk]:
    return (chunk for chunk in chunked.chunks if section.body.overlaps(chunk.location.span))


def _brings(ranking: RankedList, own: set[str], twin_of: Mapping[str, str]) -> bool:
    return any(twin_of.get(chunk_id, chunk_id) in own for chunk_id in ids(ranking))


def _unfindable(key: tuple[str, str], query: str, ranking: RankedList) -> UnfindableSection:
    path, anchor = key
    return UnfindableSection(path, anchor, query, tuple(ids(ranking)))
