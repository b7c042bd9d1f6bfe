"""Corrective retrieval as the configured searcher: the same rounds every time, and no answer where none is near."""

from __future__ import annotations

import pytest

from chunk_making import chunks
from evidencedesk.retrieval.candidates import ids
from evidencedesk.retrieval.corrective import Verdict
from evidencedesk.retrieval.corrective_searcher import CorrectiveSearcher, WordRewrite
from evidencedesk.retrieval.grading import BestHitGrader, TermCoverageGrader
from evidencedesk.retrieval.searchers import LexicalSearcher, SparseSearcher
from evidencedesk.text.analysis import Analysis, StemmingAnalyzer, query_terms

CHUNKS = chunks(
    {
        "fork:c0": "The fork cracks at the crown.",
        "fork:c1": "A cracked fork is replaced free of charge.",
        "loan:c0": "Borrow a loan bike while yours is repaired.",
        "pay:c0": "Pay by card or on delivery.",
    }
)
LEXICAL = LexicalSearcher(CHUNKS)


def searcher(
    accept: float = 0.6, reject: float = 0.3, rounds: int = 2, analysis: Analysis | None = None
) -> CorrectiveSearcher:
    grader = TermCoverageGrader(accept, reject, query_terms)
    rewrite = WordRewrite(LEXICAL, (analysis or Analysis()).synonyms_of)
    return CorrectiveSearcher(SparseSearcher(CHUNKS), grader, rewrite, k=2, max_rounds=rounds)


def test_a_good_ranking_is_left_as_it_is() -> None:
    first = SparseSearcher(CHUNKS).search("fork crown", 4)
    assert searcher().search("fork crown", 4) == first


def test_the_rarest_word_that_nothing_holds_is_dropped_and_stop_words_are_not() -> None:
    (result,) = searcher(accept=1.0, reject=0.1).correct_many(["Is the fork zirconium?"], 4)
    assert [one.query for one in result.rounds] == ["Is the fork zirconium?", "is the fork"]
    assert result.verdict is Verdict.PARTIAL


def test_synonyms_are_tried_first_and_may_correct() -> None:
    analysis = Analysis({"en": StemmingAnalyzer("english", synonyms=(("lend", "borrow"), ("cycle", "bike")))})
    (result,) = searcher(accept=0.4, analysis=analysis).correct_many(["lend me a repaired cycle"], 4)
    assert [one.query for one in result.rounds][:1] == ["lend me a repaired cycle"]
    (result,) = searcher(accept=0.9, reject=0.2, analysis=analysis).correct_many(["lend cycle"], 4)
    assert [one.query for one in result.rounds] == ["lend cycle", "lend cycle borrow bike"]
    assert ids(result.rounds[1].hits) == ["loan:c0"]


def test_a_question_nothing_speaks_about_gets_nothing() -> None:
    assert searcher().search_many(["zebra crossing pay tram rules", "", "   "], 4) == [[], [], []]
    assert searcher().correct_many([""], 4)[0].verdict is Verdict.ABSTAINED


def test_the_grader_sees_what_would_enter_the_prompt_only() -> None:
    """The fourth hit would cover the question, but the prompt has room for one."""
    grader = TermCoverageGrader(1.0, 0.0, query_terms)
    rewrite = WordRewrite(LEXICAL)
    narrow, wide = (
        CorrectiveSearcher(SparseSearcher(CHUNKS), grader, rewrite, k=k).correct_many(["crown delivery"], 4)[0]
        for k in (1, 4)
    )
    assert (narrow.verdict, wide.verdict) == (Verdict.PARTIAL, Verdict.ACCEPTED)


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_the_same_question_gets_the_same_rounds_alone_or_among_others(rounds: int) -> None:
    questions = ["Is the fork zirconium and red?", "loan bike", "tram", "Is the fork zirconium and red?"]
    batch = searcher(0.9, 0.1, rounds).correct_many(questions, 3)
    assert batch == [searcher(0.9, 0.1, rounds).correct_many([question], 3)[0] for question in questions]
    assert all(len(result.rounds) <= rounds for result in batch)


def test_only_what_is_allowed_is_found_in_every_round() -> None:
    (result,) = searcher(1.0, 0.0, 5).correct_many(["cracked fork zirconium"], 4, {"fork:c0"})
    assert len(result.rounds) > 1
    assert all(set(ids(one.hits)) <= {"fork:c0"} for one in result.rounds)


def test_coverage_weighs_rare_words_more() -> None:
    grader = BestHitGrader(LEXICAL.best_coverage)
    found = LEXICAL.search("cracked fork zirconium", 4)
    assert grader.grade("cracked fork zirconium", found).score < 2 / 3
    assert grader.grade("cracked fork", found).score == 1
