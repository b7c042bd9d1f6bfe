from __future__ import annotations

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import RR, P, R, Success, nDCG

from evidencedesk.retrieval.measures import evidence_recall, hit, ndcg, precision, recall, reciprocal_rank

NAMES = [f"d{place}" for place in range(12)]
GRADES = st.dictionaries(st.sampled_from(NAMES), st.integers(0, 3), min_size=1)
RANKINGS = st.lists(st.sampled_from(NAMES), unique=True, min_size=1)
CUTS = st.sampled_from([1, 3, 5, 10])


@settings(deadline=None, max_examples=60)
@given(RANKINGS, GRADES.filter(lambda grades: any(grades.values())), CUTS)
def test_measures_equal_those_of_ir_measures(ranking: list[str], grades: dict[str, int], k: int) -> None:
    qrels = [ir_measures.Qrel("q", name, grade) for name, grade in grades.items()]
    run = [ir_measures.ScoredDoc("q", name, float(-place)) for place, name in enumerate(ranking)]
    oracle = ir_measures.calc_aggregate([Success @ k, RR @ k, P @ k, R @ k, nDCG @ k], qrels, run)
    assert hit(ranking, grades, k) == oracle[Success @ k]
    assert reciprocal_rank(ranking, grades, k) == pytest.approx(oracle[RR @ k])
    assert precision(ranking, grades, k) == pytest.approx(oracle[P @ k])
    assert recall(ranking, grades, k) == pytest.approx(oracle[R @ k])
    assert ndcg(ranking, grades, k) == pytest.approx(oracle[nDCG @ k])


@settings(deadline=None)
@given(st.lists(st.sampled_from(NAMES)), GRADES, CUTS)
def test_no_measure_leaves_zero_to_one_however_often_an_id_repeats(
    ranking: list[str], grades: dict[str, int], k: int
) -> None:
    for measure in (hit, precision, recall, ndcg, reciprocal_rank):
        assert 0 <= measure(ranking, grades, k) <= 1


def test_a_repeated_id_counts_at_its_first_place_only() -> None:
    assert recall(["a", "a", "x"], {"a": 1}, 3) == 1
    assert precision(["a", "a", "x"], {"a": 1}, 3) == pytest.approx(1 / 3)
    assert ndcg(["a", "a", "x"], {"a": 1}, 3) == 1
    assert ndcg(["x", "x", "a"], {"a": 1}, 3) == 0.5


def test_one_of_five_relevant_returned_is_far_from_ideal() -> None:
    assert round(ndcg(["a"], dict.fromkeys("abcde", 1), 5), 3) == 0.339


@pytest.mark.parametrize("measure", [hit, precision, recall, ndcg, reciprocal_rank])
@pytest.mark.parametrize(("ranking", "grades"), [([], {"a": 2}), (["a"], {}), (["a"], {"a": 0}), ([], {})])
def test_nothing_found_or_nothing_relevant_is_zero(measure, ranking, grades) -> None:  # type: ignore[no-untyped-def]
    assert measure(ranking, grades, 5) == 0


@pytest.mark.parametrize("measure", [hit, precision, recall, ndcg, reciprocal_rank])
def test_k_must_be_positive(measure) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match="k must be at least 1"):
        measure(["a"], {"a": 1}, 0)


def test_a_reciprocal_rank_without_a_cut_looks_at_the_whole_ranking() -> None:
    assert reciprocal_rank(["x", "y", "a"], {"a": 1}) == 1 / 3


@pytest.mark.parametrize(
    ("holders", "k", "expected"),
    [
        ([], 3, 0.0),
        ([{"a"}], 3, 1.0),
        ([{"a"}, {"b"}], 1, 0.5),
        ([{"a", "b"}, {"b", "c"}], 1, 0.5),
        ([{"a", "b"}, {"b", "c"}], 2, 1.0),
        ([{"a"}, set(), {"z"}], 3, 1 / 3),
    ],
)
def test_evidence_recall_counts_each_piece_once(holders: list[set[str]], k: int, expected: float) -> None:
    assert evidence_recall(["a", "b", "b"], holders, k) == expected


def test_evidence_recall_wants_a_k() -> None:
    with pytest.raises(ValueError, match="k must be at least 1"):
        evidence_recall(["a"], [{"a"}], 0)
