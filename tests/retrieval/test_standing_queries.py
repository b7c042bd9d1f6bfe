"""Queries asked in every state of a corpus get what a full search gives, to the last bit, however the corpus drifts."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunk_making import chunk
from evidencedesk.documents.markdown import parse_document
from evidencedesk.retrieval import word_search
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.corpus import Corpus, InScope
from evidencedesk.retrieval.dense_searcher import DenseSearcher
from evidencedesk.retrieval.digest import digest
from evidencedesk.retrieval.embedding import Model
from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.retrieval.scope import Scope
from evidencedesk.retrieval.searcher import Allowed
from evidencedesk.retrieval.sparse_searcher import SparseSearcher
from evidencedesk.text.analysis import Analysis, StemmingAnalyzer

DOCUMENT = parse_document("any.md", "")
MODEL = Model.toy()
PLAIN = Analysis()
SYNONYMS = Analysis({"en": StemmingAnalyzer("english", frozenset(), (("bike", "cycle"), ("stem", "neck part")))})

Make = Callable[..., SparseSearcher | DenseSearcher]


def sparse(corpus: Corpus, before: SparseSearcher | None, analysis: Analysis) -> SparseSearcher:
    return SparseSearcher.over(corpus, analysis, before)


def dense(corpus: Corpus, before: DenseSearcher | None, analysis: Analysis) -> DenseSearcher:
    return DenseSearcher.over(corpus, MODEL, before)


WORDS = ["bike", "bolt", "stem", "seat", "tube", "cycle", "wheel", "rim", "neck", "part", "oil", "nm"]
BOILERPLATE = ["See the bike shop.", "oil the wheel", "—"]
QUERIES = [
    "bike",
    "bike bike bolt",
    "stem of the seat tube",
    "cycle wheel rim oil",
    "boat",
    "",
    "neck part nm bolt wheel seat",
    "See the bike shop",
    "oil the wheel",
]


def page(chance: random.Random, size: int) -> list[str]:
    return [
        chance.choice(BOILERPLATE)
        if chance.random() < 0.4
        else " ".join(chance.choices(WORDS, k=chance.randint(1, 12)))
        for _ in range(size)
    ]


def cut(name: str, texts: Sequence[str], status: str = "current") -> ChunkedDocument:
    chunks = (chunk(f"{name}:c{place}", text, status=status, title=name) for place, text in enumerate(texts))
    return ChunkedDocument(DOCUMENT, tuple(replace(one, lang="en") for one in chunks))


def changed(chance: random.Random, documents: dict[str, ChunkedDocument]) -> dict[str, ChunkedDocument]:
    """One to three random changes: a page edited, added, superseded, cut short, renamed, dropped, or all but one."""
    after = dict(documents)
    for _ in range(chance.randint(1, 3)):
        name = chance.choice(list(after)) if after else "p0"
        texts = [one.text for one in after[name].chunks] if after else []
        how = chance.randrange(9)
        if how <= 2 and texts:
            texts[chance.randrange(len(texts))] = page(chance, 1)[0]
            after[name] = cut(name, texts)
        elif how == 3:
            after[f"p{chance.randrange(40)}"] = cut(f"p{chance.randrange(40)}", page(chance, chance.randint(0, 9)))
        elif how == 4:
            after[name] = cut(name, texts, chance.choice(["superseded", "current"]))
        elif how == 5:
            after[name] = cut(name, texts[chance.randint(0, 2) :])
        elif how == 6 and after:
            after[f"q{chance.randrange(9)}"] = cut(f"q{chance.randrange(9)}", texts)
            del after[name]
        elif how == 7:
            after.pop(name, None)
        elif how == 8 and chance.random() < 0.2:
            after = {name: after[name]} if after and chance.random() < 0.5 else {}
    return {name: own for name, own in after.items() if all(one.doc_id == name for one in own.chunks)}


@pytest.fixture(scope="module", autouse=True)
def told_of_every_search() -> Iterator[None]:
    """So work can be given up between any two."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_search, "_TOGETHER", 2)
        yield


class GivenUpError(Exception):
    pass


def give_up(
    searcher: SparseSearcher | DenseSearcher, queries: Sequence[str], k: int, allowed: Allowed, at: int
) -> None:
    """Ask, and give it up when it is told how far it is for the time `at`, if it is."""
    told = 0

    def tick(done: int, total: int) -> None:
        nonlocal told
        told += 1
        if told > at:
            raise GivenUpError

    with suppress(GivenUpError):
        searcher.rank_many(queries, k, allowed, tick)


@pytest.mark.parametrize("analysis", [PLAIN, SYNONYMS], ids=["plain", "synonyms"])
@pytest.mark.parametrize("make", [sparse, dense])
@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**9),
    pages=st.integers(0, 30),
    k=st.sampled_from([1, 2, 5]),
    steps=st.integers(1, 12),
)
def test_standing_queries_get_what_a_full_search_gives(
    make: Make, analysis: Analysis, seed: int, pages: int, k: int, steps: int
) -> None:
    chance = random.Random(seed)

    def digested(chunks: Sequence[Chunk]) -> object:
        return digest(chunks, analysis, MODEL)

    documents = {f"p{number}": cut(f"p{number}", page(chance, chance.randint(0, 9))) for number in range(pages)}
    corpus = Corpus.of(documents, digested)
    searcher = make(corpus, None, analysis)
    earlier: dict[tuple[str, Scope | None], tuple[object, list[Chunk]]] = {}
    for _ in range(steps):
        scopes = [None, Scope(), Scope(frozenset({"current", "superseded"}))][: chance.randint(1, 3)]
        asked = chance.sample(QUERIES, chance.randint(1, len(QUERIES))) if chance.random() < 0.3 else QUERIES
        for scope in scopes:
            allowed = None if scope is None else InScope(corpus, scope)
            if chance.random() < 0.2:
                give_up(searcher, asked, k, allowed, chance.randint(0, 9))
            # A set that is not the corpus's own is searched for in full.
            every = {one.id for one in corpus.all_chunks()} if allowed is None else set(allowed)
            expected = searcher.search_many(asked, k, every)
            if isinstance(searcher, SparseSearcher) and chance.random() < 0.7:
                best = searcher.rank_many(asked, k, allowed, with_scores=False)
                assert [[found.chunk for found in best[row]] for row in range(len(asked))] == [
                    [found.chunk for found in ranking] for ranking in expected
                ]
            else:
                best = searcher.rank_many(asked, k, allowed)
                assert [best[row] for row in range(len(asked))] == expected
            for row, query in enumerate(asked):
                chunks = [found.chunk for found in best[row]]
                mark, known = earlier.get((query, scope), (None, chunks))
                if mark is not None and mark == best.marks[row]:
                    assert len(known) == len(chunks) and all(map(lambda a, b: a is b, known, chunks))
                earlier[query, scope] = best.marks[row], chunks
        documents = changed(chance, documents)
        corpus = corpus.changed(documents, digested)
        searcher = make(corpus, searcher, analysis)
        if chance.random() < 0.2:
            corpus = corpus.packed()
            searcher = make(corpus, searcher, analysis)


def assert_followed(states: Sequence[dict[str, ChunkedDocument]], query: str, k: int) -> int:
    """In every state the standing query gets what a full search gives; returns how often it was proven."""
    corpus = Corpus.of(states[0], lambda chunks: digest(chunks, PLAIN, MODEL))
    searcher = SparseSearcher.over(corpus, PLAIN)
    proven = 0
    for documents in states[1:]:
        searcher.search_many([query], k)
        corpus = corpus.changed(documents, lambda chunks: digest(chunks, PLAIN, MODEL))
        searcher = SparseSearcher.over(corpus, PLAIN, searcher)
        proven += sum(int(pool.certain.sum()) for pool, _ in searcher._words.shelf.pools(corpus))
        assert searcher.search_many([query], k) == [searcher.search(query, k)]
    return proven


def test_twins_beyond_those_that_are_kept_come_up_when_the_kept_ones_are_gone() -> None:
    pages = {f"p{number:02d}": cut(f"p{number:02d}", ["See the bike shop."]) for number in range(60)}
    states = [dict(list(pages.items())[gone:]) for gone in range(40)]
    assert assert_followed(states, "bike shop", 2) > 30


def test_long_texts_come_up_when_the_mean_length_grows() -> None:
    short = {f"s{number:02d}": cut(f"s{number:02d}", [f"bike word{number}"]) for number in range(30)}
    long = {"l": cut("l", ["bike bike bike " + " ".join(f"long{number}" for number in range(80))])}
    filler = {f"f{number:02d}": cut(f"f{number:02d}", ["filler " * 400]) for number in range(20)}
    states = [{**short, **long, **dict(list(filler.items())[:count])} for count in range(20)]
    assert assert_followed(states, "bike", 1) > 5


def test_a_chunk_that_was_not_let_in_but_raised_the_floor_comes_up() -> None:
    short = {f"s{number:02d}": cut(f"s{number:02d}", [f"bike word{number}"]) for number in range(30)}
    late = {"l": cut("l", ["bike bike bike " + " ".join(f"long{number}" for number in range(80))])}
    filler = {f"f{number:02d}": cut(f"f{number:02d}", ["filler " * 400]) for number in range(20)}
    states = [short, short, short | late, *(short | late | dict(list(filler.items())[:count]) for count in range(20))]
    assert assert_followed(states, "bike", 1) > 5


def test_scores_that_waited_for_many_states_are_the_present_ones() -> None:
    chance = random.Random(3)
    documents = {f"p{number}": cut(f"p{number}", page(chance, 9)) for number in range(80)}
    corpus = Corpus.of(documents, lambda chunks: digest(chunks, PLAIN, MODEL))
    searcher = SparseSearcher.over(corpus, PLAIN)
    waited = 0
    for number in range(12):
        searcher.rank_many(QUERIES, 2, with_scores=False)
        documents = {**documents, f"p{number}": cut(f"p{number}", [f"word{number}"])}
        corpus = corpus.changed(documents, lambda chunks: digest(chunks, PLAIN, MODEL))
        searcher = SparseSearcher.over(corpus, PLAIN, searcher)
        waited += sum(int(pool.stale.sum()) for pool, _ in searcher._words.shelf.pools(corpus))
        found = searcher.rank_many(QUERIES, 2, with_scores=False)
        asked = [searcher.search(query, 2) for query in QUERIES]
        assert [[one.chunk for one in found[row]] for row in range(len(QUERIES))] == [
            [one.chunk for one in ranking] for ranking in asked
        ]
        if number % 4 == 3:
            assert searcher.search_many(QUERIES, 2) == asked
    assert waited > 30


def test_a_corpus_that_hardly_changes_proves_its_queries() -> None:
    chance = random.Random(1)
    documents = {f"p{number}": cut(f"p{number}", page(chance, 9)) for number in range(60)}
    states = [documents]
    for number in range(10):
        documents = {**documents, f"p{number}": cut(f"p{number}", page(chance, 9))}
        states.append(documents)
    assert assert_followed(states, "stem of the seat tube", 3) > 5


@pytest.mark.parametrize("is_given_up", [False, True])
def test_a_ranking_turns_when_one_of_its_words_becomes_common(is_given_up: bool) -> None:
    short = [*(f"bolt {'nut ' * (number % 7)}" for number in range(20)), "seat", "seat", "seat"]
    pages = {"a": cut("a", short)}
    more = {f"m{number:02d}": cut(f"m{number:02d}", [f"{'filler ' * 90} seat"]) for number in range(30)}
    query = "bolt seat"
    corpus = Corpus.of(pages, lambda chunks: digest(chunks, PLAIN, MODEL))
    searcher = SparseSearcher.over(corpus, PLAIN)
    if is_given_up:
        give_up(searcher, [query, "rim wheel"], 1, None, at=1)
    seats = []
    for count in range(1, 30):
        searcher.rank_many([query], 1, with_scores=False)
        corpus = corpus.changed(pages | dict(list(more.items())[:count]), lambda own: digest(own, PLAIN, MODEL))
        searcher = SparseSearcher.over(corpus, PLAIN, searcher)
        found = [one.chunk for one in searcher.rank_many([query], 1, with_scores=False)[0]]
        assert found == [one.chunk for one in searcher.search(query, 1)]
        seats.append("seat" in found[0].text)
    assert seats == sorted(seats, reverse=True) and len(set(seats)) == 2


@pytest.mark.parametrize("make", [sparse, dense])
def test_rows_of_queries_that_nobody_asks_are_used_again(make: Make) -> None:
    chance = random.Random(5)
    queries = [" ".join(chance.choices(WORDS, k=chance.randint(2, 8))) for _ in range(300)]
    documents = {f"p{number}": cut(f"p{number}", page(chance, 9)) for number in range(20)}
    corpus = Corpus.of(documents, lambda chunks: digest(chunks, PLAIN, MODEL))
    searcher = make(corpus, None, PLAIN)
    for number in range(60):
        asked = queries[number : number + 20] + queries[280:] if number % 3 else queries[number * 4 : number * 4 + 30]
        best = searcher.rank_many(asked, 2)
        assert [best[row] for row in range(len(asked))] == [searcher.search(query, 2) for query in asked]
        documents = {**documents, f"p{number % 20}": cut(f"p{number % 20}", page(chance, 9))}
        corpus = corpus.changed(documents, lambda chunks: digest(chunks, PLAIN, MODEL))
        searcher = make(corpus, searcher, PLAIN)
    shelf = searcher._words.shelf if isinstance(searcher, SparseSearcher) else searcher._shelf
    assert sum(len(pool) for pool, _ in shelf.pools(corpus)) < 2 * len(queries) // 3


def test_a_new_query_costs_no_copy_of_the_others() -> None:
    documents = {"p": cut("p", ["bike bolt", "stem of the seat tube"])}
    corpus = Corpus.of(documents, lambda chunks: digest(chunks, PLAIN, MODEL))
    searcher = SparseSearcher.over(corpus, PLAIN)
    searcher.search_many([f"bike {number}" for number in range(80)], 2)
    (pool, _), *_ = searcher._words.shelf.pools(corpus)
    slots = pool.slots
    searcher.search_many([f"bike {number}" for number in range(9, 89)], 2)
    assert pool.slots is slots
