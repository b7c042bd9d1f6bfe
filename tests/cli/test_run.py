"""`run` and `show`: records that go on after a kill, and read as a person would."""

from __future__ import annotations

import json
from pathlib import Path

from cli.conftest import GUIDE, LABELS, Run


def records(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_a_run_records_every_question_in_a_new_file(kb: Path, run: Run) -> None:
    done = run("run")
    (file,) = (kb / "runs").iterdir()
    assert (done.code, file.name.endswith(".runs.jsonl")) == (0, True)
    first, second = records(file)
    assert (first["test_id"], first["hit_at_1"], first["metric_reason"]) == ("q1", 1, None)
    assert (second["test_id"], second["hit_at_1"], second["metric_reason"]) == ("q2", None, "no_expected_chunk")
    assert first["run_id"] == second["run_id"]
    assert "Evidence found: 1 at rank 1" in done.out
    assert run("check").code == 0


def test_resuming_asks_only_what_is_missing(kb: Path, run: Run) -> None:
    run("run", "--out", "night.runs.jsonl")
    file = kb / "night.runs.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole[: whole.index(b"\n") + 30])
    done = run("run", "--out", "night.runs.jsonl", "--resume")
    assert "half-written line" in done.err
    assert [record["test_id"] for record in records(file)] == ["q1", "q2"]
    assert file.read_bytes().startswith(whole[: whole.index(b"\n") + 1])
    assert "2 were there already" in run("run", "--out", "night.runs.jsonl", "--resume").err
    assert len(records(file)) == 2


def test_a_changed_contract_is_said_and_asked_again(kb: Path, run: Run) -> None:
    run("run", "--out", "night.runs.jsonl")
    (kb / "labels.json").write_text(LABELS.replace("When does", "How soon does"), encoding="utf-8")
    assert "ED504" in run("check").out
    done = run("run", "--out", "night.runs.jsonl", "--resume")
    assert "The contract changed since for q1" in done.err
    first, _, again = records(kb / "night.runs.jsonl")
    assert first["contract_hash"] != again["contract_hash"]
    assert "ED504" not in run("check").out


def test_other_pages_make_another_run(kb: Path, run: Run) -> None:
    run("run", "--out", "night.runs.jsonl")
    (kb / "guide.md").write_text(GUIDE + "\n## Shops\n\nWe have two shops.\n", encoding="utf-8")
    assert "other settings or pages" in run("run", "--out", "night.runs.jsonl", "--resume").err
    assert len({record["run_id"] for record in records(kb / "night.runs.jsonl")}) == 2


def test_records_are_never_joined_unasked(kb: Path, run: Run) -> None:
    run("run", "--out", "night.runs.jsonl")
    done = run("run", "--out", "night.runs.jsonl")
    assert (done.code, len(records(kb / "night.runs.jsonl"))) == (2, 2)
    assert "already holds records" in done.err
    assert run("run", "--resume").code == 2


def test_show_replays_a_record(kb: Path, run: Run) -> None:
    run("run", "--out", "night.runs.jsonl")
    done = run("show", "night.runs.jsonl", "q1")
    assert done.code == 0
    for said in ("When does the refund arrive?", "← expected", "Contract now: unchanged", "now: the same ranking"):
        assert said in done.out
    (kb / "guide.md").write_text(GUIDE.replace("The money", "Refund: the refund arrives. The money"), encoding="utf-8")
    (kb / "labels.json").write_text(LABELS.replace("within 5 business days", "5 business days"), encoding="utf-8")
    assert "Contract now: changed" in run("show", "night.runs.jsonl", "q1").out
    (kb / "guide.md").write_text("# Empty\n\nNothing of it.\n", encoding="utf-8")
    assert "Replayed now: differs from rank 1" in run("show", "night.runs.jsonl", "q1").out


def test_show_lists_all_records_and_names_what_it_cannot_read(kb: Path, run: Run) -> None:
    run("run", "--out", "night.runs.jsonl")
    with (kb / "night.runs.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"test_id": "q3", "rank')
    done = run("show", "night.runs.jsonl")
    assert (done.code, "q1  rank 1" in done.out) == (0, True)
    assert "night.runs.jsonl:3: this line breaks off" in done.err
    assert "ED503" in run("check").out
    unknown = run("show", "night.runs.jsonl", "q")
    assert (unknown.code, "There is no record of q" in unknown.err) == (2, True)
    assert run("show", "absent.runs.jsonl").code == 2
