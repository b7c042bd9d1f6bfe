from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunk_making import chunk, chunks
from evidencedesk.retrieval.candidates import ids
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.fusion import rrf
from evidencedesk.retrieval.searchers import (
    DenseSearcher,
    HybridSearcher,
    LexicalSearcher,
    Searcher,
    SparseSearcher,
    post_filter,
)
from evidencedesk.text.analysis import Analysis, StemmingAnalyzer
from evidencedesk.text.stop_words import STOP_WORDS_BY_LANG

CHUNKS = chunks(
    {
        "returns:c0": "You can return a bike within 30 days of delivery.",
        "returns:c1": "We refund the money to the card you paid with.",
        "torque:c0": "Stem bolts take 5 Nm; RD2-24-00417 takes 6 Nm.",
        "recalls:c0": "The derailleur RD2-24 is recalled: stop riding the bike.",
        "empty:c0": "—",
        "bn:c0": "সাইকেল ফেরত দেওয়া যায় ৩০ দিনের মধ্যে।",
    }
)


def hybrid(of: list[Chunk]) -> HybridSearcher:
    return HybridSearcher(SparseSearcher(of), DenseSearcher(of))


SEARCHERS = [
    pytest.param(SparseSearcher, id="sparse"),
    pytest.param(DenseSearcher, id="dense"),
    pytest.param(LexicalSearcher, id="lexical"),
    pytest.param(hybrid, id="hybrid"),
]
QUERIES = ["return a bike", "RD2-24", "bolts", "সাইকেল ফেরত", "Do you sell scooters?", "", "?", "the"]


@pytest.mark.parametrize("make", SEARCHERS)
@pytest.mark.parametrize("allowed", [None, {"returns:c0", "recalls:c0"}, set()])
def test_a_batch_gives_what_single_searches_give(
    make: Callable[[list[Chunk]], Searcher], allowed: set[str] | None
) -> None:
    searcher = make(CHUNKS)
    assert searcher.search_many(QUERIES, 3, allowed) == [searcher.search(query, 3, allowed) for query in QUERIES]
    assert searcher.search_many([]) == []


@pytest.mark.parametrize("make", SEARCHERS)
def test_results_are_positive_ranked_and_cut(make: Callable[[list[Chunk]], Searcher]) -> None:
    searcher = make(CHUNKS)
    for query in QUERIES:
        found = searcher.search(query, 3)
        assert len(found) <= 3
        assert [candidate.rank for candidate in found] == list(range(1, len(found) + 1))
        assert all(candidate.score > 0 and candidate.source == searcher.name for candidate in found)
        assert found == searcher.search(query, 6)[:3]
        assert searcher.search(query, 0) == []


@pytest.mark.parametrize("make", SEARCHERS)
@given(order=st.permutations(CHUNKS))
@settings(max_examples=10, deadline=None)
def test_the_order_of_the_chunks_does_not_matter(make: Callable[[list[Chunk]], Searcher], order: list[Chunk]) -> None:
    assert make(order).search_many(QUERIES) == make(CHUNKS).search_many(QUERIES)


@pytest.mark.parametrize("make", SEARCHERS)
def test_twins_go_by_id(make: Callable[[list[Chunk]], Searcher]) -> None:
    twin = dataclasses.replace(CHUNKS[0], id="a-twin")
    assert ids(make([*CHUNKS, twin]).search("return a bike", 2)) == ["a-twin", "returns:c0"]


@pytest.mark.parametrize("make", SEARCHERS)
def test_no_chunks_give_no_results(make: Callable[[list[Chunk]], Searcher]) -> None:
    assert make([]).search("bike") == []


@pytest.mark.parametrize("make", SEARCHERS[:3])
@given(st.sets(st.sampled_from([found.id for found in CHUNKS])))
@settings(max_examples=15, deadline=None)
def test_a_leg_filters_before_it_ranks(make: Callable[[list[Chunk]], Searcher], allowed: set[str]) -> None:
    searcher = make(CHUNKS)
    for query in QUERIES:
        everything = searcher.search(query, len(CHUNKS))
        kept = [(found.chunk.id, found.score) for found in everything if found.chunk.id in allowed]
        assert [(found.chunk.id, found.score) for found in searcher.search(query, 2, allowed)] == kept[:2]


def test_statistics_are_of_the_whole_index_whatever_is_allowed() -> None:
    sparse = SparseSearcher(CHUNKS)
    alone = sparse.search("RD2-24", 5, {"recalls:c0"})
    assert alone[0].score == sparse.search("RD2-24")[0].score
    assert sparse.bm25.n == len(CHUNKS)


def test_a_hyphenated_name_is_one_word() -> None:
    sparse = SparseSearcher(CHUNKS)
    assert sparse.bm25.df["rd2-24"] == 1
    assert ids(sparse.search("Is RD2-24 recalled?")) == ["recalls:c0"]


def test_words_of_chunks_count_in_full_and_stop_words_leave_the_query_only() -> None:
    sparse = SparseSearcher([chunk("a:c0", "The bike and the lock"), chunk("a:c1", "lock")])
    assert sparse.bm25.length["a:c0"] == 5
    assert sparse.search("the and") == []


def test_bangla_words_are_found_whole() -> None:
    assert ids(SparseSearcher(CHUNKS).search("ফেরত")) == ["bn:c0"]


def test_dense_reads_the_title_above_the_text() -> None:
    titled = [chunk("a:c0", "Within 30 days.", title="Returning a bicycle"), chunk("b:c0", "Within 30 days.")]
    assert ids(DenseSearcher(titled).search("return bicycles"))[0] == "a:c0"
    assert SparseSearcher(titled).search("returning bicycle") == []


def test_hybrid_is_the_fusion_of_two_legs_of_twenty() -> None:
    many = [chunk(f"d:c{place:02d}", "bike " * (place % 7 + 1) + f"part{place}") for place in range(60)]
    sparse, dense = SparseSearcher(many), DenseSearcher(many)
    found = HybridSearcher(sparse, dense).search("bike part7", 5)
    assert found == rrf([sparse.search("bike part7", 20), dense.search("bike part7", 20)])[:5]
    deep = HybridSearcher(sparse, dense).search("bike part7", 30)
    assert deep == rrf([sparse.search("bike part7", 30), dense.search("bike part7", 30)])[:30]
    shallow = HybridSearcher(sparse, dense, depth=5, rrf_k=1).search("bike part7", 5)
    assert shallow == rrf([sparse.search("bike part7", 5), dense.search("bike part7", 5)], k=1)[:5]


def test_a_filter_after_the_search_may_leave_fewer_or_none() -> None:
    sparse = SparseSearcher(CHUNKS)
    everything = ids(sparse.search("bike", 2))
    assert len(everything) == 2
    late = post_filter(sparse, "bike", 1, {everything[1]})
    assert late == []
    assert ids(sparse.search("bike", 1, {everything[1]})) == [everything[1]]
    kept = post_filter(sparse, "bike", 2, {everything[1]})
    assert [(found.chunk.id, found.rank) for found in kept] == [(everything[1], 1)]


RUSSIAN = Analysis({"ru": StemmingAnalyzer("russian", STOP_WORDS_BY_LANG["ru"], (("вернуть", "сдать обратно"),))})
MIXED = [
    dataclasses.replace(chunk("ru:c0", "Велосипед можно вернуть в течение тридцати дней."), lang="ru"),
    dataclasses.replace(chunk("ru:c1", "Колёса велосипедов проверяют весной."), lang="ru-RU"),
    dataclasses.replace(chunk("en:c0", "Wheels are checked in spring."), lang="en"),
]


def test_an_analysis_reads_the_chunks_of_its_language_and_no_others() -> None:
    sparse = SparseSearcher(MIXED, RUSSIAN)
    assert set(sparse.bm25.df) >= {"велосипед", "вернут", "колес", "wheels", "are", "checked"}
    assert ids(sparse.search("колесо велосипеда")) == ["ru:c1", "ru:c0"]
    assert ids(sparse.search("the wheels")) == ["en:c0"]
    assert ids(sparse.search("wheel")) == []


def test_synonyms_of_a_question_count_less_than_its_own_words() -> None:
    sparse = SparseSearcher(MIXED, RUSSIAN)
    terms = sparse.terms("Можно ли сдать обратно?")
    assert {term: weight for term, weight in terms.items() if weight < 1} == {"вернут": 0.7}
    assert {"сдат", "обратн"} < set(terms)
    assert ids(sparse.search("сдать обратно")) == ["ru:c0"]
    assert ids(SparseSearcher(MIXED).search("сдать обратно")) == []


def test_without_an_analysis_words_are_searched_as_they_stand() -> None:
    sparse = SparseSearcher(MIXED)
    assert sparse.terms("The wheels, the wheels of Велосипед") == {"wheels": 1.0, "велосипед": 1.0}
    assert ids(sparse.search("велосипеда")) == []


def test_the_lexical_searcher_stems_every_language_it_knows_and_names_the_passage() -> None:
    lexical = LexicalSearcher(MIXED)
    assert ids(lexical.search("колесо велосипеда")) == ["ru:c1", "ru:c0"]
    (found,) = lexical.search("check the wheel")
    assert (found.chunk.id, found.passage, found.source) == ("en:c0", "Wheels are checked in spring.", "lexical")


def test_coverage_is_asked_in_the_language_of_the_chunk() -> None:
    lexical = LexicalSearcher(MIXED, RUSSIAN)
    assert lexical.coverage("Is the wheel checked?", MIXED[2]) == 1.0
    assert lexical.coverage("Как сдать обратно велосипед?", MIXED[0]) == pytest.approx(0.8, abs=0.1)
    assert lexical.coverage("Сколько стоит самокат?", MIXED[0]) == 0.0
    assert lexical.best_coverage("Is the wheel checked?", lexical.search("wheel")) == 1.0
    assert lexical.best_coverage("anything", []) == 0.0
