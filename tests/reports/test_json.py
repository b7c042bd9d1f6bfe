"""The JSON reports follow their schema, count in code points, and are plain UTF-8."""

from __future__ import annotations

import json

import jsonschema
import pytest

from evidencedesk.reports.json import check_report, eval_report
from evidencedesk.reports.models import CheckReport, EvalReport
from evidencedesk.reports.statistics import statistics
from evidencedesk.rule import Fix, Related
from evidencedesk.text.spans import Span, TextEdit
from evidencedesk.workspace.snapshot import Snapshot
from reports.handmade import evaluation, problem, snapshot, span_of

GUIDE = "# Guide\r\n\r\n🚲 রিটার্ন 30 days\r\n"
LABELS = '[{"id": "q1"}]\n'


def example() -> Snapshot:
    found = problem(
        "guide.md",
        span_of(GUIDE, "30 days"),
        message="“30 days” is cut \ud800.",
        related=(Related("labels.json", span_of(LABELS, "q1"), "the label"),),
        fixes=(Fix("Write it out", {"guide.md": (TextEdit(span_of(GUIDE, "30"), "thirty"),)}, safe=True),),
    )
    asked = [evaluation("q1", {"hybrid": ["a:c0"]}, gold="a:c0"), evaluation("q2", {"hybrid": []})]
    return snapshot({"guide.md": GUIDE, "labels.json": LABELS}, [found, problem("gone.md", Span(0, 0), more=4)], asked)


def test_the_check_report_follows_its_schema_with_and_without_statistics() -> None:
    made = example()
    schema = CheckReport.model_json_schema(mode="serialization")
    for found in (None, statistics(made)):
        jsonschema.validate(json.loads(check_report(made, made.problems, "/kb", found)), schema)


def test_a_problem_tells_places_in_lines_columns_and_offsets() -> None:
    made = example()
    report = json.loads(check_report(made, made.problems, "/kb"))
    first = report["problems"][0]
    start = GUIDE.index("30 days")
    assert first["range"] == {
        "start": {"line": 3, "column": 11, "offset": start},
        "end": {"line": 3, "column": 18, "offset": start + 7},
    }
    assert first["related"][0]["range"]["start"] == {"line": 1, "column": 10, "offset": 9}
    assert first["fixes"] == [
        {
            "title": "Write it out",
            "safe": True,
            "edits": [
                {
                    "path": "guide.md",
                    "range": {
                        "start": {"line": 3, "column": 11, "offset": start},
                        "end": {"line": 3, "column": 13, "offset": start + 2},
                    },
                    "text": "thirty",
                }
            ],
        }
    ]


def test_the_summary_counts_what_a_cap_hides_and_answers() -> None:
    made = example()
    summary = json.loads(check_report(made, made.problems, "/kb"))["summary"]
    assert summary == {
        "problems": 5,
        "files_with_problems": 2,
        "by_severity": {"warning": 5},
        "documents": 1,
        "chunks": 1,
        "questions": 2,
        "answerable": 1,
        "answered": 1,
        "answered_at": 3,
    }


def test_text_is_readable_utf8_and_a_lone_surrogate_stays_an_escape() -> None:
    made = example()
    report = check_report(made, made.problems, "/kb")
    assert "“30 days” is cut \\ud800." in report.decode("utf-8")
    assert json.loads(report)["problems"][0]["message"] == "“30 days” is cut \ud800."


def test_equal_input_gives_equal_bytes() -> None:
    assert check_report(example(), example().problems, "/kb") == check_report(example(), example().problems, "/kb")


def test_the_eval_report_follows_its_schema() -> None:
    report = json.loads(eval_report(example(), "/kb"))
    jsonschema.validate(report, EvalReport.model_json_schema(mode="serialization"))
    assert report["hits"] == [{"tag": "", "searcher": "hybrid", "questions": 1, "hits": {"1": 1, "3": 1, "5": 1}}]
    assert report["abstention"]["recall"] == 1.0


@pytest.mark.parametrize("model", [CheckReport, EvalReport])
def test_a_report_with_an_unknown_field_does_not_follow_the_schema(model: type[CheckReport] | type[EvalReport]) -> None:
    schema = model.model_json_schema(mode="serialization")
    with pytest.raises(jsonschema.ValidationError, match=r"Additional properties|required"):
        jsonschema.validate({"schema_version": 1, "extra": 1}, schema)
