from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidencedesk.retrieval.embedding import Model
from evidencedesk.retrieval.selection import best_rows, is_among_best, positive_rows
from evidencedesk.retrieval.vectors import VectorIndex, score_rows, top_k, unusable_reason

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


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([-0.5, 0.0, 0.25, 0.5, 1.0]), st.booleans(), st.booleans()), max_size=20),
    st.integers(-1, 8),
)
def test_being_among_the_best_is_told_as_the_list_of_them_tells(rows: list[tuple[float, bool, bool]], k: int) -> None:
    scores = np.array([score for score, _, _ in rows])
    allowed = np.array([is_allowed for _, is_allowed, _ in rows], dtype=bool)
    wanted = np.flatnonzero([is_allowed and is_wanted for _, is_allowed, is_wanted in rows])
    best = best_rows(scores, k, positive_rows(scores, allowed))
    assert is_among_best(wanted, scores, k, allowed) == bool(set(wanted.tolist()) & set(best.tolist()))


def test_scores_come_in_blocks_without_a_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = VectorIndex.build(PASSAGES, Model.hashed())[0].matrix
    whole = np.array(list(score_rows(matrix, matrix)))
    monkeypatch.setattr("evidencedesk.retrieval.vectors._BLOCK", 5)
    np.testing.assert_array_equal(np.array(list(score_rows(matrix, matrix))), whole)
