from __future__ import annotations

from chunk_making import chunk
from evidencedesk.retrieval.candidates import RankedList, ids
from evidencedesk.retrieval.catalog import Catalog, Scope
from evidencedesk.retrieval.labels import Gold, Label
from evidencedesk.retrieval.report import evaluate, hit_at, label_counts, run_trace
from evidencedesk.retrieval.searchers import Allowed, SparseSearcher

CURRENT = chunk("returns-v3:c0", "You can return a bike within 30 days.")
OLD = chunk("returns-v2:c0", "You can return a bike, or return its lock, within 14 days.", status="superseded")
TORQUE = chunk("torque:c0", "Stem bolts take 5 Nm.")
CATALOG = Catalog([CURRENT, OLD, TORQUE], {"returns-v3": "public", "returns-v2": "public", "torque": "public"})

RETURN = Label("q1", "How can I return it?", ("paraphrase",), gold=(Gold("returns-v3#Returns", "within 30 days"),))
BOLTS = Label("q2", "bolts", ("exact_term",), gold=(Gold("torque#Stem", "5 Nm"),))
UNSPLIT = Label("q3", "bolts", ("exact_term",), gold=(Gold("torque#Stem", "5 Nm and no more"),))
SCOOTER = Label("q4", "Do you sell scooters or bolts?", answerable=False)
LABELS = [RETURN, BOLTS, UNSPLIT, SCOOTER]
EVERYTHING = Scope(statuses=frozenset({"current", "superseded"}))


class Counting:
    """A searcher that only searches one query at a time, and counts."""

    name = "counting"

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.sparse = SparseSearcher(CATALOG.chunks)

    def search(self, query: str, k: int = 5, allowed: Allowed = None) -> RankedList:
        self.asked.append(query)
        return self.sparse.search(query, k, allowed)

    def search_many(self, queries: object, k: int = 5, allowed: Allowed = None) -> list[RankedList]:
        raise AssertionError("one search per label")


def test_rows_say_what_became_of_each_question() -> None:
    searcher = Counting()
    rows = evaluate(searcher, CATALOG, LABELS, Scope(), 3)
    assert searcher.asked == [label.question for label in LABELS]
    assert [(row.id, row.rank, row.returned, row.failed, row.answerable, row.tags) for row in rows] == [
        ("q1", 1, 1, False, True, ("paraphrase",)),
        ("q2", 1, 1, False, True, ("exact_term",)),
        ("q3", None, 1, True, True, ("exact_term",)),
        ("q4", None, 1, True, False, ()),
    ]
    counts = label_counts(rows)
    assert counts == {("ingestion", "missed_evidence"): 1, ("context", "irrelevant_match"): 1}
    assert counts["retrieval", "stale_document"] == 0


def test_hits_count_answerable_rows_only() -> None:
    rows = evaluate(Counting(), CATALOG, LABELS, None, 3)
    assert rows[0].rank == 2
    assert hit_at(rows, 1) == (1, 3)
    assert hit_at(rows, 3) == (2, 3)
    assert hit_at(rows, 3, "exact_term") == (1, 2)
    assert hit_at(rows, 3, "bangla") == (0, 0)
    assert hit_at([], 3) == (0, 0)


def test_without_a_filter_the_stale_page_is_found() -> None:
    row = evaluate(Counting(), CATALOG, [RETURN], None, 3)[0]
    assert [(found.stage, found.label) for found in row.findings] == [
        ("retrieval", "irrelevant_match"),
        ("retrieval", "stale_document"),
    ]
    assert row.failed


def test_being_outranked_alone_is_no_failure() -> None:
    label = Label("q", "return a bike in 30 days, or bolts", gold=(Gold("torque#Stem", "5 Nm"),))
    row = evaluate(Counting(), CATALOG, [label], Scope(), 3)[0]
    assert [(found.stage, found.label) for found in row.findings] == [("retrieval", "irrelevant_match")]
    assert not row.failed


def test_a_floor_keeps_equal_scores_and_drops_lower_ones() -> None:
    score = SparseSearcher(CATALOG.chunks).search("bolts")[0].score
    assert len(run_trace(BOLTS, Counting(), CATALOG, Scope(), 3, floor=score).context) == 1
    above = evaluate(Counting(), CATALOG, [BOLTS], Scope(), 3, floor=score + 1e-9)[0]
    assert [(found.stage, found.label) for found in above.findings] == [("context", "missed_evidence")]
    assert above.rank == 1


def test_a_label_may_have_its_own_scope_except_where_there_is_no_filter() -> None:
    label = Label("q", "return", gold=RETURN.gold, scope=EVERYTHING)
    assert set(ids(run_trace(label, Counting(), CATALOG, Scope(), 3).retrieved)) == {"returns-v3:c0", "returns-v2:c0"}
    narrow = Label("q", "return", gold=RETURN.gold, scope=Scope())
    assert len(run_trace(narrow, Counting(), CATALOG, None, 3).retrieved) == 2
    assert [row.returned for row in evaluate(Counting(), CATALOG, [label, RETURN], Scope(), 3)] == [2, 1]


def test_nothing_retrieved_is_a_miss_for_one_question_and_right_for_another() -> None:
    silent = [Label("a", "zzz", gold=BOLTS.gold), Label("u", "zzz", answerable=False)]
    rows = evaluate(Counting(), CATALOG, silent, Scope(), 3)
    assert [(row.rank, row.returned, row.failed) for row in rows] == [(None, 0, True), (None, 0, False)]
    assert [(found.stage, found.label) for found in rows[0].findings] == [("retrieval", "missed_evidence")]
    assert hit_at(rows, 3) == (0, 1)
