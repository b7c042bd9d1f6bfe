"""What the sample shows by measurement: a question of every kind, and identities between the figures."""

from __future__ import annotations

import pytest

from evidencedesk.retrieval.catalog import Scope, load_catalog
from evidencedesk.retrieval.embedding import Model
from evidencedesk.retrieval.labels import load_labels
from evidencedesk.retrieval.pipeline import OverlapReranker, TwoStage
from evidencedesk.retrieval.report import Row, evaluate, hit_at, label_counts
from evidencedesk.retrieval.searchers import DenseSearcher, HybridSearcher, Searcher, SparseSearcher, post_filter
from evidencedesk.retrieval.taxonomy import Finding

K = 3
FLOOR = 0.02
CATALOG = load_catalog("paragraph")
LABELS = load_labels()
SPARSE = SparseSearcher(CATALOG.chunks)
HASHED = DenseSearcher(CATALOG.chunks, Model.hashed())
TOY = DenseSearcher(CATALOG.chunks, Model.toy())
SEARCHERS: dict[str, Searcher] = {
    "sparse": SPARSE,
    "dense": HASHED,
    "hybrid": HybridSearcher(SPARSE, HASHED),
    "toy dense": TOY,
    "toy hybrid": HybridSearcher(SPARSE, TOY),
}


def rows(name: str, k: int = K, floor: float | None = None, scope: Scope | None = Scope()) -> dict[str, Row]:  # noqa: B008
    return {row.id: row for row in evaluate(SEARCHERS[name], CATALOG, LABELS, scope, k, floor)}


def found(name: str, k: int = K) -> set[str]:
    return {row.id for row in rows(name, k).values() if row.rank}


def kinds(row: Row) -> set[tuple[str, str]]:
    return {(finding.stage, finding.label) for finding in row.findings}


def test_a_word_that_only_the_sparse_search_hears() -> None:
    assert "h06" in found("sparse") - found("dense", 5)
    assert rows("sparse")["h06"].rank == 1
    assert "h06" in found("hybrid")


def test_a_paraphrase_that_only_the_dense_search_hears() -> None:
    assert {"rc05", "h08"} <= found("dense") - found("sparse", 5)
    assert rows("dense")["rc05"].rank == 1


def test_a_question_whose_answer_nobody_finds() -> None:
    assert not any("rc08" in found(name, 30) for name in ("sparse", "dense", "hybrid"))
    assert kinds(rows("hybrid")["rc08"]) == {("retrieval", "missed_evidence")}


def test_an_answer_that_fusion_loses_although_one_leg_has_it_first() -> None:
    assert kinds(rows("hybrid")["rc05"]) == {("retrieval", "missed_evidence")}


def test_an_answer_that_the_floor_drops() -> None:
    row = rows("hybrid", floor=FLOOR)["h08"]
    assert row.findings == (Finding("context", "missed_evidence", "retrieved at rank 1 but dropped before the prompt"),)
    assert row.failed
    assert rows("hybrid")["h08"].findings == ()


def test_an_answer_that_is_outranked() -> None:
    row = rows("hybrid")["h03"]
    assert kinds(row) == {("retrieval", "irrelevant_match")}
    assert not row.failed


def test_a_stale_page_that_only_the_filter_keeps_out() -> None:
    assert ("retrieval", "stale_document") in kinds(rows("hybrid", scope=None)["rc01"])
    assert rows("hybrid")["rc01"].findings == ()


def test_junk_for_an_unanswerable_question_and_abstention_for_the_others() -> None:
    unanswerable = {label_id: row for label_id, row in rows("hybrid", floor=FLOOR).items() if not row.answerable}
    assert kinds(unanswerable["rc13"]) == {("context", "irrelevant_match")}
    assert unanswerable["rc14"].findings == unanswerable["rc15"].findings == ()
    assert [row.id for row in rows("sparse").values() if not row.answerable and not row.returned] == ["rc14", "rc15"]


@pytest.mark.parametrize("name", SEARCHERS)
@pytest.mark.parametrize("k", [1, 3, 5])
def test_figures_agree_with_each_other(name: str, k: int) -> None:
    measured = list(rows(name, k).values())
    counts, (hits, n) = label_counts(measured), hit_at(measured, k)
    assert n == 21
    assert counts["retrieval", "missed_evidence"] == 21 - hits
    assert counts["retrieval", "irrelevant_match"] == hits - hit_at(measured, 1)[0]
    assert counts["ingestion", "missed_evidence"] == counts["retrieval", "stale_document"] == 0


def test_a_legs_hits_are_those_of_the_other_less_what_only_that_one_has_and_more_what_only_it_has() -> None:
    sparse, dense = found("sparse"), found("dense")
    assert len(sparse) - len(sparse - dense) + len(dense - sparse) == len(dense)


@pytest.mark.parametrize("first", SEARCHERS)
def test_a_second_stage_keeps_the_pool(first: str) -> None:
    pool = list(rows(first, 3).values())
    stage = TwoStage(SEARCHERS[first], OverlapReranker(), candidates=3, final=3)
    reranked = evaluate(stage, CATALOG, LABELS, Scope(), 3)
    assert hit_at(reranked, 3) == hit_at(pool, 3)
    assert stage.scored == sum(row.returned for row in pool)


@pytest.mark.parametrize("name", ["sparse", "dense", "toy dense"])
def test_a_leg_never_returns_fewer_hits_with_the_filter_than_without(name: str) -> None:
    for filtered, unfiltered in zip(rows(name).values(), rows(name, scope=None).values(), strict=True):
        assert filtered.rank is not None or unfiltered.rank is None


def test_filtering_after_the_search_loses_answers() -> None:
    allowed = CATALOG.allowed(Scope())
    late = post_filter(SPARSE, "Can I have store credit instead of a refund?", 2, allowed)
    early = SPARSE.search("Can I have store credit instead of a refund?", 2, allowed)
    assert len(late) < len(early)


def test_each_tag_is_counted_by_itself() -> None:
    measured = list(rows("hybrid").values())
    totals = {tag: hit_at(measured, 3, tag)[1] for tag in ("exact_term", "paraphrase", "bangla", "structured", "none")}
    assert totals == {"exact_term": 4, "paraphrase": 6, "bangla": 3, "structured": 6, "none": 0}
