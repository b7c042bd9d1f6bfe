from __future__ import annotations

from chunk_making import chunks
from evidencedesk.retrieval.candidates import Contribution, RankedList, ids, ranked
from evidencedesk.retrieval.pipeline import Diversified, OverlapReranker, TwoStage
from evidencedesk.retrieval.searchers import DenseSearcher, HybridSearcher, SparseSearcher

CHUNKS = chunks(
    {f"d:c{place}": f"bike {'bolts ' * (place % 3)}page{place}{' stem' if place == 7 else ''}" for place in range(9)}
)
SPARSE = SparseSearcher(CHUNKS)


class Reverse:
    """A reranker that trusts the first stage least."""

    def rerank(self, query: str, candidates: RankedList) -> RankedList:
        return ranked([(found.chunk, -found.score) for found in reversed(candidates)], "reverse")


def test_the_second_stage_orders_what_the_first_fetched() -> None:
    stage = TwoStage(SPARSE, Reverse(), candidates=4, final=3)
    assert ids(stage.search("bike bolts")) == ids(SPARSE.search("bike bolts", 4))[::-1][:3]


def test_k_goes_before_final_and_zero_means_final() -> None:
    stage = TwoStage(SPARSE, OverlapReranker(), candidates=6, final=2)
    assert [len(stage.search("bike", k)) for k in (0, 1, 5)] == [2, 1, 5]
    assert stage.name == "two_stage"
    assert TwoStage(SPARSE, OverlapReranker(), name="mine").name == "mine"


def test_scored_adds_up_over_searches() -> None:
    stage = TwoStage(SPARSE, OverlapReranker(), candidates=4)
    stage.search("bike")
    stage.search("page7")
    assert stage.scored == 5
    stage.search_many(["bike", "zzz"])
    assert stage.scored == 9


def test_the_filter_reaches_the_first_stage() -> None:
    stage = TwoStage(SPARSE, OverlapReranker(), candidates=2)
    assert ids(stage.search("bike", allowed={"d:c8", "d:c0"})) == ["d:c0", "d:c8"]


def test_a_batch_gives_what_single_searches_give() -> None:
    stage = TwoStage(HybridSearcher(SPARSE, DenseSearcher(CHUNKS)), OverlapReranker())
    queries = ["bike bolts", "stem", "", "zzz"]
    assert stage.search_many(queries) == [stage.search(query) for query in queries]


def test_overlap_is_the_share_of_the_questions_words_that_the_chunk_holds() -> None:
    found = SPARSE.search("Do the stem bolts of a bike hold?", 9)
    reranked = OverlapReranker().rerank("Do the stem bolts of a bike hold?", found)
    assert (reranked[0].chunk.id, reranked[0].score, reranked[0].rank) == ("d:c7", 0.75, 1)
    assert sorted(ids(reranked)) == sorted(ids(found))


def test_equal_overlap_keeps_the_old_order_and_the_old_parts() -> None:
    hybrid = HybridSearcher(SPARSE, DenseSearcher(CHUNKS)).search("bike")
    reranked = OverlapReranker().rerank("bike", hybrid)
    assert ids(reranked) == ids(hybrid)
    assert all(found.parts and isinstance(found.parts[0], Contribution) for found in reranked)
    assert [found.source for found in reranked] == ["hybrid"] * len(hybrid)
    assert [found.rank for found in reranked] == list(range(1, len(hybrid) + 1))


def test_a_question_of_stop_words_scores_zero() -> None:
    assert {found.score for found in OverlapReranker().rerank("the", SPARSE.search("bike"))} == {0.0}


def test_a_weight_of_one_diversifies_nothing_and_a_smaller_one_keeps_the_set() -> None:
    dense = DenseSearcher(CHUNKS)
    plain = SPARSE.search("bike bolts", 9)
    assert Diversified(SPARSE, dense.index, 1.0, candidates=9).search("bike bolts", 9) == plain
    spread = Diversified(SPARSE, dense.index, 0.3, candidates=9).search("bike bolts", 9)
    assert sorted(ids(spread)) == sorted(ids(plain))
    assert ids(spread)[0] == ids(plain)[0]
    assert ids(spread) != ids(plain)
    assert [found.rank for found in spread] == list(range(1, 10))


def test_diversity_chooses_among_the_candidates_and_cuts_to_k() -> None:
    dense = DenseSearcher(CHUNKS)
    stage = Diversified(SPARSE, dense.index, 0.0, candidates=6)
    assert stage.name == "sparse"
    assert set(ids(stage.search("bike bolts", 3))) <= set(ids(SPARSE.search("bike bolts", 6)))
    assert stage.search("bike bolts", 3) == stage.search("bike bolts", 6)[:3]
    assert stage.search_many(["bike", "zzz"], 2) == [stage.search("bike", 2), []]
    assert stage.search("bike", 0) == []
