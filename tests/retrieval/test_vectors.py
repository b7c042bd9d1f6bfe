from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidencedesk.retrieval.embedding import Model
from evidencedesk.retrieval.embedding.fixed_point import unit_rows, unit_steps
from evidencedesk.retrieval.selection import best_rows, positive_rows
from evidencedesk.retrieval.vectors import VectorIndex, contenders, score_rows, top_k, unusable_reason

PASSAGES = [("b", "Returns within 30 days"), ("a", "returns within 30 DAYS"), ("c", "Stem bolts"), ("d", "—")]


def test_an_index_holds_a_row_per_passage_and_names_the_empty_ones() -> None:
    index, empty = VectorIndex.build(PASSAGES, Model.toy(), "fixed-clock")
    assert index.ids == ("b", "a", "c", "d")
    assert index.matrix.shape == (4, 256)
    assert empty == ()
    assert VectorIndex.build(PASSAGES, Model.hashed(), "fixed-clock")[1] == ("d",)


def test_the_clock_may_be_a_time_or_a_function() -> None:
    written = {VectorIndex.build([], Model.toy(), clock)[0].meta.built_at for clock in ("now", lambda: "now")}
    assert written == {"now"}


def test_meta_refuses_another_model() -> None:
    index, _ = VectorIndex.build(PASSAGES, Model.toy(), "fixed-clock")
    index.meta.check(Model.toy())
    with pytest.raises(ValueError, match=r"built with the model toy-1 \(256 dimensions\), not with hashed-1"):
        index.meta.check(Model.hashed())


def test_top_k_breaks_ties_by_id() -> None:
    model = Model.toy()
    index, _ = VectorIndex.build(PASSAGES, model, "fixed-clock")
    hits = top_k(model.embed_batch(["returns within 30 days"])[0], index.matrix, index.ids, 2)
    assert [hit.passage_id for hit in hits] == ["a", "b"]
    assert hits[0].score == hits[1].score == 1


@pytest.mark.parametrize("k", [0, -1])
def test_top_k_of_nothing_is_empty(k: int) -> None:
    index, _ = VectorIndex.build(PASSAGES, Model.toy(), "fixed-clock")
    assert top_k(index.matrix[0], index.matrix, index.ids, k) == []


@pytest.mark.parametrize(
    ("query", "usable"), [("bike", True), ("ফেরত", True), ("", False), (" \n", False), ("?!", False)]
)
def test_a_query_without_words_is_unusable(query: str, usable: bool) -> None:
    assert (unusable_reason(query) is None) is usable


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 0.5, 1.0]), max_size=30),
    st.integers(-2, 35),
    st.data(),
)
def test_best_rows_equal_a_full_sort(values: list[float], k: int, data: st.DataObject) -> None:
    scores = np.array(values)
    allowed = np.array(data.draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values))), dtype=bool)
    rows = best_rows(scores, k, positive_rows(scores, allowed))
    wanted = [row for row in range(len(values)) if values[row] > 0 and allowed[row]]
    assert rows.tolist() == sorted(wanted, key=lambda row: (-values[row], row))[: max(k, 0)]
    assert best_rows(scores, k).tolist() == sorted(range(len(values)), key=lambda row: (-values[row], row))[: max(k, 0)]


def test_scores_come_in_blocks_without_a_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = VectorIndex.build(PASSAGES, Model.hashed())[0].matrix
    whole = np.array(list(score_rows(matrix, matrix)))
    monkeypatch.setattr("evidencedesk.retrieval.vectors._BLOCK", 5)
    np.testing.assert_array_equal(np.array(list(score_rows(matrix, matrix))), whole)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.lists(st.integers(1, 40), max_size=5), st.booleans())
def test_contenders_are_the_best_of_all_scores_with_ties_and_nothing_beats_the_bound(
    seed: int, count: int, sizes: list[int], is_coarse: bool
) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.integers(-2, 3, (sum(sizes), 3 if is_coarse else 16)).astype(np.float64)
    queries = unit_rows(rng.integers(-2, 3, (6, vectors.shape[1])).astype(np.float64))
    units = unit_steps(vectors)
    slots = rng.permutation(len(units)).astype(np.int32)
    ends = np.cumsum([0, *sizes]).tolist()
    blocks = [
        (slots[start:end], [units[start : (start + end) // 2], units[(start + end) // 2 : end]])
        for start, end in pairwise(ends)
    ]
    found = list(contenders(queries, blocks, count))
    assert len(found) == len(queries)
    for row, scores in zip(found, score_rows(queries, units) if len(units) else np.zeros((6, 0)), strict=True):
        of_slot = dict(zip(slots.tolist(), scores.tolist(), strict=True))
        positive = sorted((score for score in of_slot.values() if score > 0), reverse=True)
        cut = positive[min(count, len(positive)) - 1] if positive else 1.0
        expected = {slot: score for slot, score in of_slot.items() if score > 0 and score >= cut}
        assert dict(zip(row.slots.tolist(), row.scores.tolist(), strict=True)) == expected
        assert all(score <= row.bound for slot, score in of_slot.items() if slot not in expected and score > 0)
