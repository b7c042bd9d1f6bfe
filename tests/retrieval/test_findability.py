"""Unfindable sections are those that complete lists of the chunks that compete do not hold."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidencedesk.documents.markdown import parse_document
from evidencedesk.retrieval.candidates import ids
from evidencedesk.retrieval.facts import ChunkedDocument, UnfindableSection
from evidencedesk.retrieval.findability import Findability
from evidencedesk.retrieval.fusion import rrf
from evidencedesk.retrieval.twin_index import find_twins
from evidencedesk.workspace.config import Config, parse_config
from evidencedesk.workspace.pipeline import Index, build_index, compare_chunks, packed, try_headings
from evidencedesk.workspace.reading import Reading

CONFIGS = [
    "",
    "[retrieval]\nk = 1\n",
    '[retrieval]\nk = 1\nsearcher = "sparse"\n',
    '[retrieval]\nk = 1\nsearcher = "dense"\n',
    '[retrieval]\nk = 2\ndepth = 1\nsearcher = "lexical"\n',
    '[retrieval]\nk = 1\nsearcher = "corrective"\n',
]

TITLES = ["Chain", "§"]
HEADINGS = ["Care", "Torque", "Parts", "§"]
SENTENCES = ["Oil the chain.", "Care for the chain and the torque.", "Parts of it, and parts of parts.", "5 Nm", "—"]
SECTION = st.tuples(st.sampled_from(HEADINGS), st.sampled_from(SENTENCES))
PAGE = st.tuples(st.sampled_from(["current", "superseded"]), st.lists(SECTION, max_size=4))


def untold(step: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


def read(pages: Sequence[tuple[str, Sequence[tuple[str, str]]]], config: Config) -> list[ChunkedDocument]:
    documents = []
    for place, (status, sections) in enumerate(pages):
        body = "\n".join(f"## {heading}\n\n{sentence}\n" for heading, sentence in sections)
        document = parse_document(f"p{place}.md", f"---\nstatus: {status}\n---\n# {TITLES[place % 2]}\n\n{body}")
        documents.append(ChunkedDocument(document, tuple(config.chunker()(document))))
    return documents


def by_lists(documents: Sequence[ChunkedDocument], index: Index, config: Config) -> list[UnfindableSection]:
    """Every section asked for by itself, every list made in full."""
    contract = config.contract()
    k, depth = contract.k, max(contract.k, contract.depth)
    allowed = index.catalog.allowed(contract.scope)
    groups = find_twins([(chunked.document, chunked.chunks) for chunked in documents]).equal
    own: dict[str, set[str]] = {}
    neighbours: dict[str, set[str]] = {}
    asked = []
    for chunked in documents:
        in_scope = {chunk.id for chunk in chunked.chunks} & allowed
        for section in chunked.document.sections:
            mine = [c.id for c in chunked.chunks if section.body.overlaps(c.location.span) and c.id in in_scope]
            if section.level and mine:
                title = chunked.document.title
                query = section.heading if section.heading.startswith(title) else f"{title} {section.heading}"
                twins = {name for group in groups if set(group) & set(mine) for name in group}
                own.setdefault(query, set()).update(mine, twins)
                neighbours.setdefault(query, set()).update(in_scope)
                asked.append((chunked.document.path, section.anchor, query))

    def is_found(query: str) -> bool:
        words = index.sparse.search(query, depth, allowed)
        if own[query].intersection(ids(words[:k])):
            return True
        if contract.searcher == "sparse":
            return False
        everything = len(index.corpus.chunks)
        nearest = index.dense.search(query, everything, neighbours[query].union(ids(words[:k])))
        if own[query].intersection(ids(nearest[:k])):
            return True
        nearest = index.dense.search(query, depth, neighbours[query].union(ids(words)))
        if own[query].intersection(ids(words)) and own[query].intersection(ids(rrf([words, nearest], 60, k))):
            return True
        if contract.searcher in ("dense", "hybrid"):
            return False
        return bool(own[query].intersection(ids(index.searchers[contract.searcher].search(query, k, allowed))))

    return [
        UnfindableSection(path, anchor, query, tuple(ids(index.sparse.search(query, k, allowed))))
        for path, anchor, query in asked
        if not is_found(query)
    ]


def told(findability: Findability) -> list[UnfindableSection]:
    return [section for page in findability.pages.values() for section in page.sections]


def readings(documents: Sequence[ChunkedDocument]) -> dict[str, Reading]:
    return {document.document.path: Reading(document) for document in documents}


def tried(
    before: Findability | None, index: Index, config: Config, documents: Sequence[ChunkedDocument]
) -> Findability:
    keys = compare_chunks(None, readings(documents)).keys.made
    return try_headings(before, index, config, untold, keys)


@pytest.mark.parametrize("text", CONFIGS)
@settings(max_examples=25, deadline=None)
@given(pages=st.lists(PAGE, max_size=4))
def test_a_section_is_unfindable_when_no_ranking_holds_it(
    text: str, pages: list[tuple[str, list[tuple[str, str]]]]
) -> None:
    config, defects = parse_config("evidencedesk.toml", text + '[chunking]\nstrategy = "section"\n')
    assert not defects
    documents = read(pages, config)
    index = build_index(None, config, readings(documents))
    assert told(tried(None, index, config, documents)) == by_lists(documents, index, config)


@pytest.mark.parametrize("text", CONFIGS)
@settings(max_examples=15, deadline=None)
@given(states=st.lists(st.lists(PAGE, max_size=4), min_size=2, max_size=5))
def test_what_is_kept_of_earlier_states_changes_no_verdict(
    text: str, states: list[list[tuple[str, list[tuple[str, str]]]]]
) -> None:
    config, _ = parse_config("evidencedesk.toml", text + '[chunking]\nstrategy = "section"\n')
    index: Index | None = None
    found: Findability | None = None
    known: dict[tuple[object, ...], ChunkedDocument] = {}
    for number, pages in enumerate(states):
        # As in a workspace, a page that says the same is the very same object.
        documents = [known.setdefault((one.document.path, one.document.text), one) for one in read(pages, config)]
        index = build_index(index, config, readings(documents))
        if number % 2:
            index = packed(index)
        found = tried(found, index, config, documents)
        assert told(found) == by_lists(documents, index, config)


@settings(max_examples=25, deadline=None)
@given(pages=st.lists(PAGE, max_size=4))
def test_whoever_is_told_is_beaten_in_the_whole_folder_too(pages: list[tuple[str, list[tuple[str, str]]]]) -> None:
    config, _ = parse_config("evidencedesk.toml", '[chunking]\nstrategy = "section"\n[retrieval]\nk = 1\n')
    documents = read(pages, config)
    index = build_index(None, config, readings(documents))
    allowed = index.catalog.allowed(config.contract().scope)
    for section in told(tried(None, index, config, documents)):
        document = next(one for one in documents if one.document.path == section.path)
        body = next(one.body for one in document.document.sections if one.anchor == section.anchor)
        own = {chunk.id for chunk in document.chunks if body.overlaps(chunk.location.span)}
        for searcher in (index.sparse, index.dense):
            assert not own.intersection(ids(searcher.search(section.query, 1, allowed)))
