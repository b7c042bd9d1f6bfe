"""Standing queries that were kept give the same rankings over equal documents, now and after later changes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from chunk_making import chunk
from evidencedesk.retrieval.candidates import RankedList
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.corpus import Corpus, InScope
from evidencedesk.retrieval.dense_searcher import DenseSearcher
from evidencedesk.retrieval.digest import Digest, digest
from evidencedesk.retrieval.embedding import Model
from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.retrieval.kept_pools import KeptVectors, KeptWords
from evidencedesk.retrieval.scope import Scope
from evidencedesk.retrieval.sparse_searcher import SparseSearcher
from evidencedesk.text.analysis import Analysis
from evidencedesk.workspace.columns import Codec

MODEL = Model.toy()
WORDS = ["bike", "chain", "oil", "brake", "the", "wheel", "rim"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
PAGES = st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), st.lists(TEXTS, max_size=4), max_size=4)
QUERIES = ["bike", "oil the chain", "wheel rim brake bike oil", "unheard words", "", "the"]
SCOPES = [None, Scope()]
K = 2

make = partial(digest, analysis=Analysis(), model=MODEL)


class Cut(ChunkedDocument):
    """A document of which only the chunks matter."""

    def __init__(self, chunks: tuple[Chunk, ...]) -> None:
        object.__setattr__(self, "chunks", chunks)
        object.__setattr__(self, "digest", None)

    digest: Digest | None


def cuts(pages: Mapping[str, list[str]]) -> dict[str, Cut]:
    return {
        name: Cut(
            tuple(
                chunk(f"{name}:c{number}", text, status="superseded" if name == "c" else "current")
                for number, text in enumerate(texts)
            )
        )
        for name, texts in sorted(pages.items())
    }


def ask(corpus: Corpus, searcher: SparseSearcher | DenseSearcher) -> list[list[RankedList]]:
    return [searcher.search_many(QUERIES, K, None if scope is None else InScope(corpus, scope)) for scope in SCOPES]


@given(PAGES, st.lists(PAGES, max_size=2), st.lists(PAGES, max_size=2))
def test_kept_pools_go_on_where_they_were(
    first: Mapping[str, list[str]], earlier: list[Mapping[str, list[str]]], later: list[Mapping[str, list[str]]]
) -> None:
    corpus = Corpus.of(cuts(first), make)
    sparse, dense = SparseSearcher.over(corpus, Analysis()), DenseSearcher.over(corpus, MODEL)
    state = cuts(first)
    for pages in (first, *earlier):
        ask(corpus, sparse)
        ask(corpus, dense)
        state = cuts(pages)
        corpus = corpus.changed(state, make)
        sparse, dense = SparseSearcher.over(corpus, Analysis(), sparse), DenseSearcher.over(corpus, MODEL, dense)
    wanted = ask(corpus, sparse), ask(corpus, dense)
    words: Codec[KeptWords] = Codec(KeptWords)
    vectors: Codec[KeptVectors] = Codec(KeptVectors)
    kept = words.encode(sparse.kept()), vectors.encode(dense.kept())

    corpus = Corpus.of(state, make)
    sparse, dense = SparseSearcher.over(corpus, Analysis()), DenseSearcher.over(corpus, MODEL)
    sparse.restore(words.decode(kept[0]))
    dense.restore(vectors.decode(kept[1]))
    assert (ask(corpus, sparse), ask(corpus, dense)) == wanted
    for pages in later:
        state = cuts(pages)
        corpus = corpus.changed(state, make)
        sparse, dense = SparseSearcher.over(corpus, Analysis(), sparse), DenseSearcher.over(corpus, MODEL, dense)
        fresh = Corpus.of(state, make)
        assert ask(corpus, sparse) == ask(fresh, SparseSearcher.over(fresh, Analysis()))
        assert ask(corpus, dense) == ask(fresh, DenseSearcher.over(fresh, MODEL))


def test_queries_that_stand_are_not_searched_for_again() -> None:
    state = cuts({"a": ["bike chain", "oil the chain"], "b": ["wheel rim"]})
    corpus = Corpus.of(state, make)
    first = SparseSearcher.over(corpus, Analysis())
    wanted = ask(corpus, first)
    second = SparseSearcher.over(corpus, Analysis())
    second.restore(first.kept())
    postings = second.bm25.held
    second.bm25.held = None  # type: ignore[assignment]
    assert ask(corpus, second) == wanted
    second.bm25.held = postings
