"""Evaluation figures, counted by hand."""

from __future__ import annotations

import io

from rich.console import Console

from evidencedesk.reports.figures import Hits, answer_rank, figures
from evidencedesk.reports.figures_text import figures_page
from evidencedesk.retrieval.evaluation import Contract
from evidencedesk.retrieval.taxonomy import Finding
from reports.handmade import evaluation

OUTRANKED = Finding("retrieval", "irrelevant_match", "answer outranked")
MISSED = Finding("retrieval", "missed_evidence", "not in the top 3")
JUNK = Finding("context", "irrelevant_match", "1 chunk in the prompt")
CONTRACT = Contract(k=3, depth=5)

ASKED = [
    evaluation("q1", {"sparse": ["a:c0"], "hybrid": ["a:c0"]}, gold="a:c0", tags=("price",)),
    evaluation(
        "q2", {"sparse": [], "hybrid": ["b:c0", "c:c0"]}, gold="c:c0", tags=("price", "bn"), findings=(OUTRANKED,)
    ),
    evaluation(
        "q3", {"sparse": [], "hybrid": ["a:c0", "b:c0", "d:c0", "x:c0", "c:c0"]}, gold="c:c0", findings=(MISSED,)
    ),
    evaluation("q4", {"sparse": [], "hybrid": []}),
    evaluation("q5", {"sparse": [], "hybrid": ["a:c0"]}, findings=(JUNK,)),
    evaluation("q6", {"sparse": ["a:c0"], "hybrid": ["a:c0"]}, gold="a:c0", context=0),
]


def test_hits_are_counted_per_tag_searcher_and_cutoff() -> None:
    found = figures(ASKED, CONTRACT, "paragraph")
    assert found.cutoffs == (1, 3, 5)
    assert found.searchers == ("sparse", "hybrid")
    assert found.hits == (
        Hits("", 4, {"sparse": (2, 2, 2), "hybrid": (2, 3, 4)}),
        Hits("bn", 1, {"sparse": (0, 0, 0), "hybrid": (0, 1, 1)}),
        Hits("price", 2, {"sparse": (1, 1, 1), "hybrid": (1, 2, 2)}),
    )


def test_findings_are_counted_by_stage_and_label_and_an_outranked_answer_is_no_failure() -> None:
    found = figures(ASKED, CONTRACT, "paragraph")
    assert found.findings == {
        ("retrieval", "irrelevant_match"): 1,
        ("retrieval", "missed_evidence"): 1,
        ("context", "irrelevant_match"): 1,
    }
    assert found.failed == 2


def test_unanswerable_questions_are_scored_apart_by_abstention() -> None:
    abstention = figures(ASKED, CONTRACT, "paragraph").abstention
    assert (abstention.unanswerable, abstention.right, abstention.wrong) == (2, 1, 1)
    assert (abstention.precision, abstention.recall) == (0.5, 0.5)


def test_a_rate_without_a_denominator_is_none() -> None:
    none = figures([], CONTRACT, "paragraph")
    assert none.hits == (Hits("", 0, {}),)
    assert (none.abstention.precision, none.abstention.recall) == (None, None)


def test_no_cutoff_is_deeper_than_the_lists() -> None:
    assert figures(ASKED, Contract(k=2, depth=3), "paragraph").cutoffs == (1, 3)


def test_the_answer_rank_is_that_of_the_first_chunk_that_holds_the_whole_answer() -> None:
    assert answer_rank(ASKED[2], "hybrid") == 5
    assert answer_rank(ASKED[2], "sparse") is None


PAGE = """\
Tag             Questions  Searcher  hit@1  hit@3  hit@5
all answerable          4  sparse        2      2      2
                           hybrid*       2      3      4
bn                      1  sparse        0      0      0
                           hybrid*       0      1      1
price                   2  sparse        1      1      1
                           hybrid*       1      2      2
* the configured searcher

Findings   missed_evidence  irrelevant_match
retrieval                1                 1
context                  0                 1

Searcher  redundancy@3  distinct evidence@3
sparse           0.000                0.500
hybrid*          0.333                0.750
Redundancy: shared words (Jaccard) with the likest chunk above, mean of ranks
and questions

Failed: 2 of 6 questions (an answer merely outranked is no failure)
Unanswerable: 1 of 2 leave the prompt empty (no floor and no gate is configured,
so only a question that finds nothing does); so do 1 of the answerable ones;
abstention precision 0.50, recall 0.50

Contract: hybrid over paragraph, k = 3, no floor, each leg asked for 5, RRF
constant 60; scope: status current, audience public, language any. A hit is a
chunk that holds the whole answer (grade 2) at rank 1 to k. Equal scores rank by
chunk id, equal fused scores by best place first. An empty ranking is a miss.
Hits count of all answerable questions.
"""


def test_the_page_prints_the_contract_with_the_figures() -> None:
    out = io.StringIO()
    Console(file=out, width=80, markup=False).print(figures_page(figures(ASKED, CONTRACT, "paragraph")))
    assert [line.rstrip() for line in out.getvalue().splitlines()] == PAGE.splitlines()
