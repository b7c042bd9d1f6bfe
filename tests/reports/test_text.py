"""The terminal report, line by line."""

from __future__ import annotations

from evidencedesk.reports.summary import summarize
from evidencedesk.reports.text import Places, problem_lines, summary_line, terse_lines
from evidencedesk.rule import Fix, Related, Severity
from evidencedesk.text.spans import Span
from reports.handmade import evaluation, problem, snapshot, span_of

GUIDE = "# Guide\n\nThe price is 5 €.\tReturns take 30 days\nfrom delivery.\n"
LABELS = '[{"id": "q1", "question": "How long?"}]\n'
TEXTS = {"guide.md": GUIDE, "labels.json": LABELS}


def places() -> Places:
    return Places(TEXTS, lambda path: f"kb/{path}")


def plain(segments: object) -> str:
    return "".join(segment.text for segment in segments)  # type: ignore[attr-defined]


def test_problems_stand_under_their_file_with_the_marked_line_and_what_belongs_to_it() -> None:
    found = [
        problem(
            "guide.md",
            span_of(GUIDE, "30 days\nfrom"),
            related=(Related("labels.json", span_of(LABELS, '"How long?"'), "the question"),),
            fixes=(Fix("Join the lines", {}),),
        ),
        problem("labels.json", span_of(LABELS, "q1"), "ED711", "duplicate-question", Severity.ERROR, "Asked twice."),
    ]
    assert plain(problem_lines(found, places())) == (
        "kb/guide.md\n"
        "  3:32 warning ED201 answer-split: The answer is cut.\n"
        "    3 | The price is 5 €.    Returns take 30 days\n"
        "      |                                   ^^^^^^^ to line 4\n"
        "      = kb/labels.json:1:27: the question\n"
        "      = fix: Join the lines\n"
        "\n"
        "kb/labels.json\n"
        "  1:10 error ED711 duplicate-question: Asked twice.\n"
        '    1 | [{"id": "q1", "question": "How long?"}]\n'
        "      |          ^^\n"
        "\n"
    )


def test_a_problem_of_an_empty_line_or_an_unknown_file_shows_no_source() -> None:
    found = [problem("guide.md", Span(8, 8)), problem("gone.md", Span(0, 0))]
    assert plain(problem_lines(found, places())) == (
        "kb/guide.md\n  2:1 warning ED201 answer-split: The answer is cut.\n\n"
        "kb/gone.md\n  1:1 warning ED201 answer-split: The answer is cut.\n\n"
    )


def test_the_terse_report_is_one_line_per_problem() -> None:
    found = [problem("guide.md", span_of(GUIDE, "Returns"), message="Cut\nhere \x1b[0m.")]
    assert plain(terse_lines(found, places())) == "kb/guide.md:3:19: warning ED201 Cut␊here ␛[0m.\n"


def test_the_summary_counts_every_severity_and_the_problems_that_a_cap_hides() -> None:
    found = [
        problem("guide.md", Span(0, 1), severity=Severity.ERROR),
        problem("guide.md", Span(1, 2)),
        problem("guide.md", Span(2, 3), more=30),
        problem("labels.json", Span(0, 1), severity=Severity.INFORMATION),
    ]
    asked = [
        evaluation("q1", {"hybrid": ["a:c0", "b:c0"]}, gold="a:c0"),
        evaluation("q2", {"hybrid": ["a:c0", "b:c0"]}, gold="c:c0"),
        evaluation("q3", {"hybrid": ["a:c0"]}),
    ]
    assert summary_line(summarize(snapshot(TEXTS, found, asked), found)).text == (
        "33 problems in 2 files (1 error, 31 warnings, 1 information); "
        "1 document, 1 chunk, 3 questions: 1 of 2 answered at rank 1–3\n"
    )


def test_the_summary_of_a_clean_workspace_without_questions_says_so() -> None:
    clean = snapshot({"a.md": "# A\n", "b.md": "# B\n"})
    assert summarize(clean, []).sentence() == "No problems; 2 documents, 2 chunks, no questions"
    assert summarize(clean, []).sentence("a.md") == "No problems in a.md; 2 documents, 2 chunks, no questions"
