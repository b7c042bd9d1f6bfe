"""A page that only moved stays indexed as it was, and is shown where it stands now."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.workspace import Change, Workspace
from evidencedesk.workspace.config import Config
from evidencedesk.workspace.engine import PARANOID
from evidencedesk.workspace.files import Source
from evidencedesk.workspace.pages import Pages, read_pages
from evidencedesk.workspace.reading import Reader, read_document

TODAY = date(2026, 1, 31)
HEADS = ["", "---\n---\n", "---\n# a comment\n---\n", "---\n# one\n# two\nstatus: current\n---\n", "\n\n"]
HEADS += [
    "---\nstatus: current\n---\n",
    "---\nstatus: superseded\n---\n",
    "---\ntitle: Bicycles\n---\n",
    "---\nid: b\n---\n",
]
BODIES = [
    "# Returns\n\n## Window\n\nBikes come back within 30 days of delivery, unused and with the tag.\n",
    "# Returns\n\n## Window\n\nBikes come back within 14 days of delivery.\n\n## Fees\n\nReturns are free of charge.\n",
    "# Returns\n\n### Window\n\nBikes come back within 30 days of delivery, unused and with the tag.\n",
    "",
]
TEXTS = st.builds("{}{}".format, st.sampled_from(HEADS), st.sampled_from(BODIES))
LABELS = [
    {
        "id": "q1",
        "question": "Within how many days do bikes come back?",
        "gold": [{"section": "a#Window", "evidence": "within 30 days of delivery"}],
    },
    {"id": "q2", "question": "Are returns free?", "answerable": False},
]
CONFIGS = [
    "",
    '[retrieval]\nsearcher = "sparse"\nk = 2\nfloor = 0.5\n',
    "[retrieval]\nk = 2\nmmr_lambda = 0.5\n[retrieval.gate]\naccept = 0.3\n",
    '[retrieval]\nsearcher = "corrective"\n',
]


def silent(step: str, done: int, total: int) -> None:
    pass


def said(page: ChunkedDocument) -> list[tuple[str, ...]]:
    return [(one.id, one.text, one.title, one.section, one.status, one.audience, one.lang) for one in page.chunks]


@given(states=st.lists(st.dictionaries(st.sampled_from(["a.md", "b.md"]), TEXTS), min_size=2, max_size=6))
def test_what_is_indexed_says_what_the_page_says_now(states: list[dict[str, str]]) -> None:
    config, reader = Config(), Reader()
    before: Pages | None = None
    for texts in states:
        known = before.sources if before else {}
        sources = {path: Source(path, text) for path, text in sorted(texts.items())}
        sources = {path: known[path] if known.get(path) == one else one for path, one in sources.items()}
        pages = read_pages(before, sources, config, reader, silent)
        assert list(pages.documents.items()) == [(path, read_document(one, config)) for path, one in sources.items()]
        assert list(pages.indexed) == list(sources)
        for path, reading in pages.indexed.items():
            assert said(reading.document) == said(pages.documents[path])
            assert (path in pages.moved) == (reading.document is not pages.documents[path])
        before = pages


def test_a_comment_in_the_front_matter_leaves_the_index_alone() -> None:
    config, reader = Config(), Reader()
    plain, commented = HEADS[5] + BODIES[0], HEADS[3] + BODIES[0]
    other = Source("b.md", "# Chains\n\nOil them.\n")
    before = read_pages(None, {"a.md": Source("a.md", plain), "b.md": other}, config, reader, silent)
    after = read_pages(before, {"a.md": Source("a.md", commented), "b.md": other}, config, reader, silent)
    assert after.indexed is before.indexed
    assert list(after.moved) == ["a.md"]
    back = read_pages(after, {"a.md": Source("a.md", BODIES[1]), "b.md": other}, config, reader, silent)
    assert not back.moved and back.indexed["a.md"].document is back.documents["a.md"]


@pytest.mark.parametrize("config", CONFIGS)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=st.lists(st.tuples(st.sampled_from(["a.md", "b.md"]), TEXTS), min_size=1, max_size=5))
def test_pages_that_move_and_change_end_where_a_fresh_workspace_begins(
    tmp_path_factory: pytest.TempPathFactory, config: str, edits: list[tuple[str, str]]
) -> None:
    root = tmp_path_factory.mktemp("moving")
    files = {"a.md": BODIES[0], "b.md": BODIES[1], "labels.json": json.dumps(LABELS), "evidencedesk.toml": config}
    for path, text in files.items():
        (root / path).write_text(text, encoding="utf-8")
    workspace = Workspace.open(root, today=TODAY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PARANOID, "1")
        for path, text in edits:
            workspace.apply([Change(path, text)])


def test_what_a_search_finds_of_a_moved_page_is_looked_up_where_it_stands(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(BODIES[0], encoding="utf-8")
    workspace = Workspace.open(tmp_path, today=TODAY)
    facts = workspace.apply([Change("a.md", HEADS[3] + BODIES[0])]).facts
    (found, *_) = workspace.searchers["sparse"].search("unused", 1, facts.catalog.allowed(facts.contract.scope))
    chunk = facts.catalog.by_id[found.chunk.id]
    assert chunk is facts.documents["a.md"].chunks[0] and facts.catalog.chunks == [chunk]
    assert chunk.location.span.of(facts.documents["a.md"].document.text).startswith("Bikes come back")
