"""The other commands, and what holds for all of them."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest

import evidencedesk
from cli.conftest import GUIDE, Run, Write
from evidencedesk.reports.models import EvalReport
from evidencedesk.rules import RULES

ROOT = Path(__file__).parents[2]


# search


def test_search_shows_a_ranking_per_searcher_and_what_each_leg_contributes(kb: Path, run: Run) -> None:
    done = run("search", "When does the money arrive?", "--path", kb)
    assert done.code == 0
    assert [line for line in done.out.splitlines() if line and not line.startswith(" ")] == [
        "sparse",
        "dense",
        "hybrid",
    ]
    assert re.search(r"^ {2} 1 +0\.03279  guide:c\d  guide\.md:\d+  Refunds$", done.out, re.MULTILINE)
    assert re.search(r"= 1/61 \(sparse rank 1, score \d\.\d{5}\) \+ 1/61 \(dense rank 1, score 0\.\d{5}\)", done.out)


def test_explain_shows_terms_that_add_up_to_the_score(kb: Path, run: Run) -> None:
    out = run("search", "money card", "--searcher", "sparse", "--explain", "-k", "1").out
    score = re.search(r"^   1 +(\d+\.\d+) ", out, re.MULTILINE)
    terms = re.findall(r"^ +(\d\.\d{5})  (\w+): 1 time here, in 1 chunk ", out, re.MULTILINE)
    total = re.search(r"^ +(\d\.\d{5})  BM25 in all", out, re.MULTILINE)
    assert score and total and score[1] == total[1]
    assert [term for _, term in terms] == ["money", "card"]
    assert sum(float(value) for value, _ in terms) == pytest.approx(float(total[1]), abs=2e-5)


def test_search_respects_the_scope_and_can_do_without(write: Write, run: Run) -> None:
    write({"evidencedesk.toml": "", "a.md": GUIDE, "old.md": GUIDE.replace("id: guide", "id: old\nstatus: superseded")})
    scoped = run("search", "refund money", "--searcher", "sparse")
    assert "old:c" not in scoped.out and "out of scope" in scoped.err
    assert "old:c" in run("search", "refund money", "--searcher", "sparse", "--all").out
    only = run("search", "refund money", "--searcher", "sparse", "--status", "superseded").out
    assert "old:c" in only and "guide:c" not in only


@pytest.mark.parametrize("query", ["", "zzzqqq", "the"])
def test_a_question_that_matches_nothing_says_so(kb: Path, run: Run, query: str) -> None:
    done = run("search", query, "--searcher", "sparse")
    assert (done.code, done.out) == (0, "sparse\n  nothing matches\n\n")


# eval


def test_eval_prints_hits_findings_abstention_and_the_contract(kb: Path, run: Run) -> None:
    done = run("eval", kb)
    assert done.code == 0
    assert "all answerable" in done.out and "hybrid*" in done.out
    assert "Unanswerable: " in done.out and "Contract: hybrid over " in done.out


def test_eval_as_json_follows_its_schema(kb: Path, run: Run) -> None:
    report = json.loads(run("eval", "--format", "json").out)
    jsonschema.validate(report, EvalReport.model_json_schema(mode="serialization"))
    assert (report["questions"], report["answerable"]) == (2, 1)


@pytest.mark.parametrize("command", [["eval"], ["search", "x"], ["baseline", "show"], ["baseline", "accept"]])
def test_figures_under_a_broken_configuration_are_refused(kb: Path, run: Run, command: list[str]) -> None:
    (kb / "evidencedesk.toml").write_text("[retrieval]\nk = 0\n", encoding="utf-8")
    done = run(*command)
    assert (done.code, done.out) == (2, "")
    assert "evidencedesk.toml:2:" in done.err


def test_eval_and_baseline_without_questions_have_nothing_to_do(write: Write, run: Run) -> None:
    write({"evidencedesk.toml": "", "guide.md": GUIDE})
    assert run("eval").code == 2
    assert run("baseline", "accept").code == 2


# rule


def test_every_rule_is_listed_and_explained_by_code_and_by_name(run: Run) -> None:
    listed = run("rule").out.splitlines()
    assert [line.split()[0] for line in listed] == [rule.code for rule in RULES]
    for rule in RULES[::10]:
        page = run("rule", rule.code.lower())
        assert page.code == 0
        assert page.out.startswith(f"# {rule.code} {rule.name}\n") and rule.docs in page.out
        assert run("rule", rule.name) == page


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("ED2011", "Did you mean ED201 (answer-split)?"),
        ("ED1O1", "Did you mean ED101 (unreadable-file)?"),
        ("answers-split", "Did you mean ED201 (answer-split)?"),
        ("xyz", "There is no rule xyz. `evidencedesk rule` lists all rules."),
    ],
)
def test_an_unknown_rule_suggests_a_known_one(run: Run, given: str, hint: str) -> None:
    done = run("rule", given)
    assert (done.code, done.out) == (2, "")
    assert hint in done.err


# init


def test_init_writes_a_configuration_and_a_label_that_the_check_accepts(write: Write, run: Run) -> None:
    root = write({"guide.md": GUIDE})
    done = run("init")
    assert done.code == 0
    assert tomllib.loads((root / "evidencedesk.toml").read_text(encoding="utf-8")) is not None
    labels = json.loads((root / "labels.json").read_text(encoding="utf-8"))
    assert labels[0]["gold"][0]["evidence"] in GUIDE
    checked = run("check")
    assert checked.code == 0, checked.out + checked.err
    assert "1 question: " in checked.out


def test_every_commented_setting_of_the_configuration_is_valid(write: Write, run: Run) -> None:
    root = write({"guide.md": GUIDE})
    run("init")
    path = root / "evidencedesk.toml"
    text = path.read_text(encoding="utf-8")
    settings = re.sub(r"^# (?=\w+ = )", "", text, flags=re.MULTILINE)
    assert settings != text and tomllib.loads(settings)
    path.write_text(settings, encoding="utf-8")
    done = run("check")
    assert done.code == 0, done.err


@pytest.mark.parametrize("existing", ["evidencedesk.toml", "labels.json"])
def test_init_never_overwrites(write: Write, run: Run, existing: str) -> None:
    root = write({"guide.md": GUIDE, existing: "mine"})
    done = run("init")
    assert done.code == 2
    assert existing in done.err
    assert {path.name for path in root.iterdir()} == {"guide.md", existing}
    assert (root / existing).read_text(encoding="utf-8") == "mine"


def test_init_sample_copies_a_workspace_that_can_be_checked(write: Write, run: Run) -> None:
    root = write({})
    done = run("init", "--sample", "kestrel")
    assert done.code == 0
    assert "14 documents" in run("check", "kestrel", "--fail-on", "never").out
    assert not list((root / "kestrel").glob("*.py"))
    assert run("init", "--sample", "kestrel").code == 2


def test_init_copies_the_sample_that_is_named(write: Write, run: Run) -> None:
    write({})
    assert run("init", "--sample", "boats", "--name", "plotva").code == 0
    assert "6 documents" in run("check", "boats").out
    unknown = run("init", "--sample", "other", "--name", "karas")
    assert unknown.code == 2
    assert "there are kestrel, plotva" in unknown.err


# baseline


def test_a_baseline_shows_what_changed_since_it_was_accepted(kb: Path, run: Run) -> None:
    assert run("baseline", "show").code == 2
    accepted = run("baseline", "accept")
    assert (accepted.code, accepted.out) == (0, "")
    assert "2 questions" in accepted.err
    assert run("baseline", "show").out == ""
    text = GUIDE.replace("within 5 business days", "soon")
    (kb / "guide.md").write_text(text, encoding="utf-8")
    assert run("baseline", "show").out == "q1: was at rank 1; is not found\n"


def test_a_damaged_baseline_fails_the_check_hides_no_figure_and_can_be_replaced(kb: Path, run: Run) -> None:
    run("baseline", "accept")
    (kb / ".evidencedesk" / "baseline.json").write_text('{"version": 1', encoding="utf-8")
    codes = [run(*command).code for command in (["check"], ["baseline", "show"], ["eval"])]
    assert codes == [2, 2, 0]
    assert run("baseline", "accept").code == 0
    assert run("check").code == 0


# schema


@pytest.mark.parametrize("subject", [[], ["config"], ["check"], ["eval"]])
def test_schemas_are_valid_json_schemas(run: Run, subject: list[str]) -> None:
    schema = json.loads(run("schema", *subject).out)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object" and schema["properties"]


# all commands


def test_help_names_every_command_and_loads_nothing_heavy(run: Run) -> None:
    done = run("--help")
    assert done.code == 0
    assert all(f"  {name} " in done.out for name in ("check", "search", "eval", "rule", "init", "baseline", "schema"))
    script = (
        "import sys; from evidencedesk.cli import main; main(['--help']); "
        "heavy = {'numpy', 'markdown_it', 'yaml', 'pydantic', 'rich'} & set(sys.modules); "
        "sys.exit(', '.join(heavy) or 0)"
    )
    process = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert (process.returncode, process.stderr) == (0, "")


def test_an_internal_error_is_told_in_a_sentence_and_traced_only_on_request(
    kb: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("boom")

    monkeypatch.setattr("evidencedesk.workspace.Workspace.open", fail)
    done = run("check")
    assert done.code == 2
    assert "internal error (KeyError: 'boom')" in done.err and "Traceback" not in done.err
    assert "Traceback" in run("--debug", "check").err


def test_an_interruption_ends_quietly(kb: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("evidencedesk.workspace.Workspace.open", interrupt)
    assert run("check") == (130, "", "")


def test_a_reader_that_leaves_early_causes_no_noise(write: Write) -> None:
    conflict = "<<<<<<< ours\none\n=======\nother\n>>>>>>> theirs\n\n"
    root = write({"evidencedesk.toml": "", **{f"page{number}.md": conflict * 20 for number in range(20)}})
    process = subprocess.Popen(
        [sys.executable, "-m", "evidencedesk", "check", str(root)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout and process.stderr
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() != 0


@pytest.mark.parametrize("command", [["check"], ["check", "-q"], ["eval"], ["search", "money"]], ids=" ".join)
def test_nothing_is_coloured_when_piped_and_no_color_wins_over_a_forced_terminal(
    kb: Path, run: Run, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    (kb / "bad.md").write_text("<<<<<<< ours\none\n=======\nother\n>>>>>>> theirs\n", encoding="utf-8")
    piped = run(*command).out
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("FORCE_COLOR", "1")
    forced = run(*command).out
    monkeypatch.setenv("NO_COLOR", "1")
    refused = run(*command).out
    assert piped and "\x1b[" not in piped
    assert "\x1b[" in forced
    assert refused == piped
    assert re.sub(r"\x1b\[[\d;]*m", "", forced) == piped


@pytest.mark.parametrize("command", [["check", "--format", "json"], ["eval", "--format", "json"], ["schema"]])
def test_json_is_never_coloured(kb: Path, run: Run, monkeypatch: pytest.MonkeyPatch, command: list[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in run(*command).out


def test_a_terminal_that_knows_no_unicode_gets_escapes_and_no_crash(
    kb: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (kb / "রিটার্ন.md").write_text("<<<<<<< ours\nরিটার্ন\n=======\n", encoding="utf-8")
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert run("check").code == 1
    assert b"\\u09b0" in written.getvalue()


def test_the_public_face_is_small_and_every_name_is_there() -> None:
    assert len(evidencedesk.__all__) <= 15
    assert all(getattr(evidencedesk, name) is not None for name in evidencedesk.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = evidencedesk.nothing  # type: ignore[attr-defined]
