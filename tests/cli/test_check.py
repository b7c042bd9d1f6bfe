"""`check`: what is reported where, and the exit code of every ending."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from cli.conftest import GUIDE, LABELS, Run, Write
from evidencedesk.reports.models import CheckReport

CONFLICT = "<<<<<<< ours\nOne thing.\n=======\nAnother.\n>>>>>>> theirs\n"


def test_a_clean_workspace_ends_with_0_and_a_summary(kb: Path, run: Run) -> None:
    done = run("check")
    assert done.code == 0
    assert "2 questions: 1 of 1 answered at rank 1–3" in done.out
    assert done.err == ""


def test_a_problem_ends_with_1_and_stands_under_its_file_with_the_marked_line(kb: Path, run: Run) -> None:
    (kb / "bad.md").write_text(f"# Bad\n\nSome words.\n\n{CONFLICT}", encoding="utf-8")
    done = run("check", "--select", "ED109")
    assert done.code == 1
    lines = done.out.splitlines()
    assert lines[0] == "bad.md"
    assert lines[1].startswith("  5:1 error ED109 conflict-marker: ")
    assert lines[2] == "    5 | <<<<<<< ours"
    assert lines[3].startswith("      | ^^^^^^^")
    assert lines[-1].startswith("1 problem in 1 file (1 error); 2 documents, ")


@pytest.mark.parametrize(
    ("fail_on", "code"), [("error", 1), ("warning", 1), ("information", 1), ("hint", 1), ("never", 0)]
)
def test_an_error_fails_at_every_threshold_but_never(kb: Path, run: Run, fail_on: str, code: int) -> None:
    (kb / "bad.md").write_text(CONFLICT, encoding="utf-8")
    assert run("check", "--select", "ED109", "--fail-on", fail_on).code == code


@pytest.mark.parametrize(("fail_on", "code"), [("error", 0), ("warning", 1)])
def test_a_problem_below_the_threshold_is_reported_but_does_not_fail(
    kb: Path, run: Run, fail_on: str, code: int
) -> None:
    (kb / "bad.md").write_text(CONFLICT, encoding="utf-8")
    (kb / "evidencedesk.toml").write_text('[rules.severity]\nED109 = "warning"\n', encoding="utf-8")
    done = run("check", "--select", "ED109", "--fail-on", fail_on)
    assert (done.code, "warning ED109" in done.out) == (code, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing"], "missing does not exist"),
        (["empty"], "Nothing to check in"),
        (["--select", "ED999"], "No rule has a code that starts with ED999"),
        (["--ignore", "nonsense"], "No rule has a code that starts with NONSENSE"),
        (["--select", "ED201", "--ignore", "ED2"], "leaves none"),
        (["--fail-on", "medium"], "medium"),
        (["--no-such-option"], "--no-such-option"),
        (["kb/notes.txt"], "Nothing to check in"),
        (["kb", "empty"], "different workspaces"),
    ],
)
def test_what_cannot_run_ends_with_2_and_a_plain_sentence(
    write: Write, run: Run, arguments: list[str], said: str
) -> None:
    root = write({"kb/evidencedesk.toml": "", "kb/guide.md": GUIDE, "kb/notes.txt": "x", "guide.md": GUIDE})
    (root / "empty").mkdir()
    done = run("check", *arguments)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err and done.out == ""


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("[retrieval]\nk = 0\n", "evidencedesk.toml:2:"),
        ("[retreival]\nk = 5\n", "evidencedesk.toml:1:"),
        ("[retrieval\n", "evidencedesk.toml:1:"),
    ],
)
@pytest.mark.parametrize("options", [[], ["--fail-on", "never"], ["--ignore", "ED9"]])
def test_a_broken_configuration_is_never_green(kb: Path, run: Run, config: str, said: str, options: list[str]) -> None:
    (kb / "evidencedesk.toml").write_text(config, encoding="utf-8")
    done = run("check", *options)
    assert done.code == 2
    assert f"Configuration: {said}" in done.err


def test_a_file_is_checked_within_its_workspace_and_the_report_is_about_that_file(write: Write, run: Run) -> None:
    write({"kb/evidencedesk.toml": "", "kb/docs/guide.md": GUIDE, "kb/docs/a.md": CONFLICT, "kb/b.md": CONFLICT})
    done = run("check", "kb/docs/a.md", "--select", "ED109")
    assert done.code == 1
    assert "kb/docs/a.md\n" in done.out and "kb/b.md" not in done.out
    assert "3 documents" in done.out
    assert done.err.startswith("Workspace: ")
    clean = run("check", "kb/docs/guide.md", "--select", "ED109")
    assert clean.code == 0
    assert clean.out.startswith("No problems in kb/docs/guide.md; 3 documents, ")


def test_paths_outside_the_current_folder_are_shown_whole(kb: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (kb / "bad.md").write_text(CONFLICT, encoding="utf-8")
    elsewhere = kb.parent / f"{kb.name}-elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert f"{kb / 'bad.md'}\n" in run("check", kb, "--select", "ED109").out


def test_quiet_prints_one_line_per_problem_and_nothing_else(kb: Path, run: Run) -> None:
    (kb / "bad.md").write_text(CONFLICT, encoding="utf-8")
    done = run("check", "-q", "--select", "ED109")
    assert [line.split(" ")[:3] for line in done.out.splitlines()] == [["bad.md:1:1:", "error", "ED109"]]
    (kb / "bad.md").unlink()
    assert run("check", "-q", "--select", "ED109").out == ""


def test_json_follows_its_schema_and_holds_the_same_problems(kb: Path, run: Run) -> None:
    (kb / "bad.md").write_text(CONFLICT, encoding="utf-8")
    done = run("check", "--format", "json", "--statistics")
    report = json.loads(done.out)
    jsonschema.validate(report, CheckReport.model_json_schema(mode="serialization"))
    assert done.code == 1
    assert report["root"] == kb.as_posix()
    assert [(found["code"], found["path"]) for found in report["problems"] if found["code"] == "ED109"] == [
        ("ED109", "bad.md")
    ]
    assert {rule["code"] for rule in report["statistics"]["rules"]} == {found["code"] for found in report["problems"]}


def test_select_on_the_command_line_wins_over_the_configuration(kb: Path, run: Run) -> None:
    (kb / "bad.md").write_text(CONFLICT, encoding="utf-8")
    (kb / "evidencedesk.toml").write_text('[rules]\nignore = ["ED1"]\n', encoding="utf-8")
    assert "ED109" not in run("check").out
    assert "ED109" in run("check", "--select", "ed109").out


def test_a_configuration_that_leaves_no_rule_is_not_green(kb: Path, run: Run) -> None:
    (kb / "evidencedesk.toml").write_text('[rules]\nignore = ["ED"]\n', encoding="utf-8")
    done = run("check")
    assert (done.code, done.out) == (2, "")
    assert "leaves none" in done.err


def test_codes_may_be_repeated_or_separated_by_commas(kb: Path, run: Run) -> None:
    (kb / "bad.md").write_text(f"Text.\n{CONFLICT}", encoding="utf-8")
    (kb / "twin.json").write_text(LABELS, encoding="utf-8")
    both = run("check", "-q", "--select", "ED109,ED703").out
    assert "ED109" in both and "ED703" in both
    assert run("check", "-q", "--select", "ED109", "--select", "ED703").out == both


def test_statistics_name_the_cause_the_worst_file_and_the_cut(write: Write, run: Run) -> None:
    words = " ".join(f"word{number}" for number in range(60))
    write(
        {
            "evidencedesk.toml": '[chunking]\nstrategy = "fixed"\nsize = 60\noverlap = 0\n',
            "guide.md": f"# Guide\n\n{words}\n",
            "labels.json": json.dumps(
                [{"id": "q", "question": "Which?", "gold": [{"section": "guide#Guide", "evidence": words}]}]
            ),
        }
    )
    out = run("check", "--statistics").out
    assert "  answers split: 6 of 7 chunks end inside an answer; all of them by the 60-character limit\n" in out
    assert "Problems per rule\n" in out and "ED201 answer-split\n" in out
    assert "Files with most problems\n" in out
    cut = next(line for line in out.splitlines() if "‖" in line and "  guide.md  " in line)
    assert cut.split()[:2] == ["6", "guide.md"]


def test_many_problems_end_with_their_causes(write: Write, run: Run) -> None:
    labels = [
        {
            "id": f"q{number}",
            "question": f"Which word is {number}?",
            "gold": [{"section": "guide#Guide", "evidence": text}],
        }
        for number in range(60)
        for text in [f"word{number} stands\nright before word{number + 1}"]
    ]
    text = "\n\n".join(f"word{number} stands\nright before word{number + 1}" for number in range(60))
    config = '[chunking]\nstrategy = "fixed"\nsize = 17\noverlap = 0\n'
    write({"evidencedesk.toml": config, "guide.md": f"# Guide\n\n{text}\n"})
    (few := Path("labels.json")).write_text(json.dumps(labels[:2]), encoding="utf-8")
    assert "Causes" not in run("check").out
    few.unlink()
    for number in range(30):
        Path(f"labels{number}.json").write_text(json.dumps(labels[2 * number : 2 * number + 2]), encoding="utf-8")
    *_, before_last, last = run("check").out.splitlines()
    assert before_last.startswith("  ") and " of " in before_last
    assert "problems in" in last
    assert "\n  answers split: " in run("check").out
