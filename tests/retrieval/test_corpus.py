"""A corpus that changed holds what a new one holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from chunk_making import chunk
from evidencedesk.documents.markdown import parse_document
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.corpus import Corpus, InScope
from evidencedesk.retrieval.digest import digest_words
from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.retrieval.scope import Scope
from evidencedesk.retrieval.sparse_searcher import SparseSearcher
from evidencedesk.text.analysis import Analysis
from evidencedesk.text.spans import Span

DOCUMENT = parse_document("any.md", "")
NAMES = ["a", "a-b", "b", "k", "z"]
TEXTS = ["bike bolt", "bolt", "stem of a bike", "stem", "খরচ"]
PAGE = st.tuples(st.sampled_from(["current", "superseded"]), st.lists(st.sampled_from(TEXTS), max_size=12))
STATES = st.lists(st.dictionaries(st.sampled_from(NAMES), PAGE, max_size=5), min_size=1, max_size=6)


def read(pages: dict[str, tuple[str, list[str]]], before: dict[str, ChunkedDocument]) -> dict[str, ChunkedDocument]:
    """Documents; those that say the same as before are the same objects."""
    made = {}
    for name, (status, texts) in pages.items():
        lang = "bn" if "খরচ" in texts[:1] else "en"
        made_of = (chunk(f"{name}:c{place}", text, status=status) for place, text in enumerate(texts))
        chunks = tuple(replace(one, lang=lang) for one in made_of)
        same = name in before and before[name].chunks == chunks
        made[name] = before[name] if same else ChunkedDocument(DOCUMENT, chunks)
    return made


def words(chunks: Sequence[Chunk]) -> object:
    return digest_words(chunks, Analysis())


def held(corpus: Corpus) -> list[Chunk]:
    """The chunks of the live slots in the order of their ids."""
    slots = np.flatnonzero(corpus.live)
    return [corpus.chunks[slot] for slot in slots[np.argsort(corpus.order[slots], kind="stable")].tolist()]


@settings(deadline=None)
@given(STATES, st.lists(st.booleans(), min_size=6, max_size=6))
def test_a_changed_corpus_holds_what_a_new_one_holds(
    states: list[dict[str, tuple[str, list[str]]]], packs: list[bool]
) -> None:
    documents = read(states[0], {})
    corpus = Corpus.of(documents, words)
    searcher = SparseSearcher.over(corpus, Analysis())
    for pages, pack in zip(states[1:], packs, strict=False):
        corpus.mask(InScope(corpus, Scope()))
        documents = read(pages, documents)
        corpus = corpus.changed(documents, words)
        searcher = SparseSearcher.over(corpus, Analysis(), searcher)
        if pack:
            corpus = corpus.packed()
            searcher = SparseSearcher.over(corpus, Analysis(), searcher)
            assert corpus.is_packed
        fresh = Corpus.of(documents, words)
        assert held(corpus) == held(fresh) == sorted(corpus.all_chunks(), key=lambda one: one.id)
        assert corpus.langs == fresh.langs
        assert corpus.size == len(corpus.by_id) == len(corpus.all_chunks())
        inside, expected = InScope(corpus, Scope()), InScope(fresh, Scope())
        assert set(inside) == expected and len(inside) == len(expected)
        for name, part in corpus.parts.items():
            assert [corpus.chunks[slot] for slot in part.slots.tolist()] == list(documents[name].chunks)
        other = SparseSearcher.over(fresh, Analysis())
        assert searcher.search_many(["bike bolt", "stem খরচ", "boat"], 9) == other.search_many(
            ["bike bolt", "stem খরচ", "boat"], 9
        )
        assert (searcher.bm25.df, searcher.bm25.length) == (other.bm25.df, other.bm25.length)


def test_a_chunk_that_only_moved_keeps_its_slot() -> None:
    before = read({"a": ("current", ["bike", "bolt", "stem"])}, {})
    corpus = Corpus.of(before, words)
    chunks = before["a"].chunks
    moved = replace(chunks[0], location=replace(chunks[0].location, span=Span(5, 9)))
    after = corpus.changed({"a": ChunkedDocument(DOCUMENT, (moved, chunks[1], replace(chunks[2], text="seat")))}, words)
    assert after.parts["a"].slots.tolist() == [0, 1, 3]
    assert (after.step.touched, [rows.slots.tolist() for rows in after.step.gone]) == ((0,), [[2]])
    assert after.by_id["a:c0"] is after.chunks[0] is moved
    assert after.chunks[1] is chunks[1]


def test_packing_is_due_when_much_has_changed() -> None:
    pages = {"a": ("current", ["bike"] * 3000)}
    corpus = Corpus.of(read(pages, {}), words)
    for text in ("bolt", "stem"):
        assert not corpus.wants_packing
        corpus = corpus.changed(read({"a": ("current", [text] * 3000)}, {}), words)
    assert corpus.wants_packing
    assert not corpus.packed().wants_packing
