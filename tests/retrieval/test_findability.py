"""Unfindable sections are those that complete ranked lists do not hold."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidencedesk.documents.markdown import parse_document
from evidencedesk.retrieval.candidates import ids
from evidencedesk.retrieval.facts import ChunkedDocument, UnfindableSection
from evidencedesk.retrieval.twin_index import find_twins
from evidencedesk.workspace.config import Config, parse_config
from evidencedesk.workspace.pipeline import Index, build_index, try_headings

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


def read(pages: Sequence[tuple[str, Sequence[tuple[str, str]]]], config: Config) -> list[ChunkedDocument]:
    documents = []
    for place, (status, sections) in enumerate(pages):
        body = "\n".join(f"## {heading}\n\n{sentence}\n" for heading, sentence in sections)
        document = parse_document(f"p{place}.md", f"---\nstatus: {status}\n---\n# {TITLES[place % 2]}\n\n{body}")
        documents.append(ChunkedDocument(document, tuple(config.chunker()(document))))
    return documents


def by_lists(documents: Sequence[ChunkedDocument], index: Index, config: Config) -> list[UnfindableSection]:
    """Every section asked for by itself, every ranking made in full."""
    contract = config.contract()
    allowed = index.catalog.allowed(contract.scope)
    groups = find_twins([(chunked.document, chunked.chunks) for chunked in documents]).equal
    own: dict[str, set[str]] = {}
    asked = []
    for chunked in documents:
        for section in chunked.document.sections:
            mine = [c.id for c in chunked.chunks if section.body.overlaps(c.location.span) and c.id in allowed]
            if section.level and mine:
                title = chunked.document.title
                query = section.heading if section.heading.startswith(title) else f"{title} {section.heading}"
                twins = {name for group in groups if set(group) & set(mine) for name in group}
                own.setdefault(query, set()).update(mine, twins)
                asked.append((chunked.document.path, section.anchor, query))
    names = {contract.searcher} | (set() if contract.searcher == "sparse" else {"sparse", "dense", "hybrid"})
    found = []
    for path, anchor, query in asked:
        best = {
            name: ids(index.searchers[name].search(query, max(contract.k, contract.depth), allowed)[: contract.k])
            for name in names
        }
        if not any(own[query].intersection(ranking) for ranking in best.values()):
            found.append(UnfindableSection(path, anchor, query, tuple(best[contract.searcher])))
    return found


@pytest.mark.parametrize("text", CONFIGS)
@settings(max_examples=25, deadline=None)
@given(pages=st.lists(PAGE, max_size=4))
def test_a_section_is_unfindable_when_no_ranking_holds_it(
    text: str, pages: list[tuple[str, list[tuple[str, str]]]]
) -> None:
    config, defects = parse_config("evidencedesk.toml", text + '[chunking]\nstrategy = "section"\n')
    assert not defects
    documents = read(pages, config)
    index = build_index(None, config, *documents)
    assert list(try_headings(None, index, config, lambda step, done, total: None).unfindable) == by_lists(
        documents, index, config
    )
