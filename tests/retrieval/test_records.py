"""Run records against their table of cases, and series that are killed."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.errors import InputError
from evidencedesk.retrieval.records import (
    Stamp,
    build_retrieval_record,
    check_config,
    evaluate_retrieval_turn,
    fingerprint,
    hit_at_k,
    prepare_search_question,
    run_retrieval,
    select_context_results,
    source_metrics,
)
from evidencedesk.retrieval.run_folder import RunFolder, RunLog

TABLE = json.loads((Path(__file__).parent / "cases" / "run_record.json").read_text(encoding="utf-8"))
TURNS = [case for case in TABLE["cases"] if "backend" in case]
CONFIG = {"mode": "checkpoint", "top_k": 5, "similarity_threshold": None}
SAME_FIELDS = ("contract_hash", "search_question", "metrics", "hit_at_1", "hit_at_k", "metric_k", "expected_rank")
STATES = ("metric_reason", "status", "context_reason", "error")


class Answers:
    """A backend that answers always alike."""

    def __init__(self, given: Any) -> None:
        self.given = given
        self.asked: list[list[Any]] = []

    def retrieve(self, question: str, *, top_k: int) -> Sequence[Mapping[str, Any]]:
        self.asked.append([question, top_k])
        if isinstance(self.given, dict):
            raise RuntimeError(self.given["raise"].partition(": ")[2])
        return list(self.given)


def row(chunk_id: str, score: float = 0.5, text: str = "", **metadata: str) -> dict[str, Any]:
    return {"chunk_id": chunk_id, "score": score, "text": text or f"Text of {chunk_id}", "metadata": metadata}


def case(test_id: str = "one", **fields: Any) -> dict[str, Any]:
    expected = [{"required_chunk_ids": ["a"]}]
    given = {"test_id": test_id, "turn_id": "t1", "test_set_version": "1.0", "retrieval_question": "Where is it?"}
    return {**given, "expected_sources": expected, **fields}


ROWS = [row("b", 0.9, source="b.md"), row("a", 0.4, source="a.md")]


@pytest.mark.parametrize("given", TURNS, ids=lambda given: given["id"])
def test_every_turn(given: Mapping[str, Any]) -> None:
    backend, expected = Answers(given["backend"]), given["expect"]
    if "raises" in expected:
        with pytest.raises(ValueError, match=expected["about"]):
            evaluate_retrieval_turn(given["test_case"], given["config"], "run", backend=backend)
    else:
        record = evaluate_retrieval_turn(given["test_case"], given["config"], "run", backend=backend)
        assert record is not None
        assert {name: record[name] for name in SAME_FIELDS} == {name: expected[name] for name in SAME_FIELDS}
        assert {name: record[name] for name in STATES} == {name: expected.get(name) for name in STATES}
        assert [one["chunk_id"] for one in record["ranking"]] == expected["ranking_ids"]
        assert [one["chunk_id"] for one in record["context"]] == expected["context"]
        assert record["config"]["top_k"] == expected["stored_top_k"]
        assert (record["schema_version"], record["origin"], record["run_id"]) == ("m6.1", "isolated_retrieval", "run")
    assert backend.asked == given["backend_called_with"]


def test_the_contract_hash_is_of_the_whole_case_whatever_the_order_of_its_keys() -> None:
    given = next(one for one in TABLE["cases"] if one["id"] == "contract-hash")
    contract = given["test_case"]
    assert fingerprint(contract) == given["expect"]["contract_hash"]
    assert fingerprint(dict(reversed(contract.items()))) == fingerprint(contract)
    assert fingerprint({**contract, "expected_sources": []}) != fingerprint(contract)


def test_nothing_that_happens_later_reaches_a_record() -> None:
    ranking, config = copy.deepcopy(ROWS), dict(CONFIG, deep={"list": [1]})
    record = build_retrieval_record(case(), ranking, ranking[:1], config, "run")
    before = copy.deepcopy(record)
    ranking[0]["metadata"]["source"] = "elsewhere"
    ranking.clear()
    config["deep"]["list"].append(2)  # type: ignore[index]
    assert record == before


def test_two_executions_differ_in_their_own_ids_only() -> None:
    now = datetime(2026, 11, 30, 6, 0, tzinfo=timezone(timedelta(hours=2)))
    first, second = (
        evaluate_retrieval_turn(case(), CONFIG, "run", backend=Answers(ROWS), stamp=Stamp(now=lambda: now))
        for _ in range(2)
    )
    assert first is not None
    assert second is not None
    assert first["created_at"] == "2026-11-30T04:00:00+00:00"
    assert all(len(one["result_id"]) == 32 and int(one["result_id"], 16) for one in (first, second))
    assert first.pop("result_id") != second.pop("result_id")
    assert first == second
    made = build_retrieval_record(case(), [], [], CONFIG, "run")
    assert datetime.fromisoformat(made["created_at"]).utcoffset() == timedelta(0)


@pytest.mark.parametrize(
    ("change", "about"),
    [
        ({"mode": ""}, "mode"),
        ({"top_k": True}, "top_k"),
        ({"top_k": 2.0}, "top_k"),
        ({"top_k": None}, "top_k"),
        ({"similarity_threshold": math.nan}, "similarity_threshold"),
        ({"similarity_threshold": "0.3"}, "similarity_threshold"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_refused_by_name(change: Mapping[str, Any], about: str) -> None:
    with pytest.raises(ValueError, match=about):
        check_config({**CONFIG, **change})


def test_overrides_count_and_wrong_ones_are_recorded() -> None:
    backend = Answers(ROWS)
    narrow = evaluate_retrieval_turn(case(config_overrides={"top_k": 1}), CONFIG, "run", backend=backend)
    wrong = evaluate_retrieval_turn(case(config_overrides={"top_k": 0}), CONFIG, "run", backend=backend)
    assert narrow is not None
    assert wrong is not None
    assert (narrow["config"]["top_k"], narrow["metric_k"], len(narrow["ranking"])) == (1, 1, 1)
    assert (wrong["status"], wrong["metrics"], wrong["hit_at_k"]) == ("execution_error", None, None)
    assert "top_k" in wrong["error"]


@pytest.mark.parametrize(
    "rows",
    [
        [{"chunk_id": "a", "text": "", "metadata": {}}],
        [row("a", math.nan)],
        [row("a", True)],
        [{**row("a"), "metadata": {"when": datetime(2026, 1, 1, tzinfo=UTC)}}],
        [{**row("a"), "metadata": {"weight": math.inf}}],
    ],
)
def test_an_answer_that_cannot_be_recorded_is_an_error_of_its_turn(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    series = run_retrieval([case("one"), case("two")], CONFIG, tmp_path, backend=Answers(rows))
    assert [record["status"] for record in series] == ["execution_error"] * 2
    assert list(RunLog(tmp_path / RunFolder.RUNS).rows()) == series


def test_scores_of_numpy_are_numbers() -> None:
    record = evaluate_retrieval_turn(case(), CONFIG, "run", backend=Answers([row("a", np.float32(0.5))]))
    assert record is not None
    assert (record["status"], record["ranking"][0]["score"]) == ("completed", 0.5)


def test_a_question_is_searched_for_with_its_white_space_collapsed() -> None:
    assert prepare_search_question({"retrieval_question": " Where\n is it? "}) == "Where is it?"
    assert [prepare_search_question({"retrieval_question": given}) for given in ("", " \n", None)] == [None] * 3
    record = evaluate_retrieval_turn(case(retrieval_question=7), CONFIG, "run", backend=Answers(ROWS))
    assert record is not None
    assert (record["status"], record["search_question"]) == ("execution_error", None)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["a", "b", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["required_chunk_ids", "alternative_chunk_ids", "chunk_id"]), inner)
    ),
    max_leaves=8,
)


@given(ANYTHING, st.none() | st.lists(ANYTHING, max_size=3), st.integers(1, 5), st.integers(1, 5))
def test_a_hit_is_told_of_any_case_without_failing(groups: Any, ranking: Any, k: int, top_k: int) -> None:
    assert hit_at_k({"expected_sources": groups}, ranking, k, top_k) in (None, 0, 1)


def test_a_hit_beyond_what_was_asked_for_was_not_measured() -> None:
    assert [hit_at_k(case(), ROWS, k, top_k) for k, top_k in ((1, 5), (2, 5), (2, 1))] == [0, 1, None]


def test_one_of_two_required_is_a_hit_but_covers_no_group() -> None:
    both = case(expected_sources=[{"required_chunk_ids": ["a", "c"]}])
    assert hit_at_k(both, ROWS, 2, 2) == 1
    assert source_metrics(both, ROWS, [])["ranking"]["any_group"] is False


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([0.1, 0.5, 0.9]), st.sampled_from(["x", "x ", "y", ""])))
)
def test_a_context_is_a_part_of_the_ranking_without_repetition(found: list[tuple[str, float, str]]) -> None:
    ranking = [{"chunk_id": a, "score": s, "text": t, "metadata": {"source": "f"}} for a, s, t in found]
    context, reason = select_context_results(ranking, 0.5)
    assert (reason is None) is bool(context)
    places = [next(i for i, one in enumerate(ranking) if one is kept) for kept in context]
    assert places == sorted(set(places))
    assert len({one["chunk_id"] for one in context}) == len({one["text"].strip() for one in context}) == len(context)
    assert all(one["score"] >= 0.5 and one["text"].strip() for one in context)


def test_a_series_keeps_its_records_its_ids_and_its_counts(tmp_path: Path) -> None:
    cases = [case("one"), case("two", retrieval_question=None), case("three"), case("four")]
    series = run_retrieval(cases, CONFIG, tmp_path, backend=Answers(ROWS), test_ids=["one", "two", "three"])
    assert (series.planned, series.executed, series.skipped, series.errors) == (3, 2, 1, 0)
    assert {record["run_id"] for record in series} == {series.run_id}
    assert list(RunLog(tmp_path / RunFolder.RUNS).rows()) == series
    selected = json.loads((tmp_path / RunFolder.SELECTED).read_text(encoding="utf-8"))
    assert selected == [record["result_id"] for record in series]
    summary = json.loads((tmp_path / RunFolder.SUMMARY).read_text(encoding="utf-8"))
    assert summary == {"run_id": series.run_id, "planned": 3, "executed": 2, "skipped": 1, "errors": 0}


def test_a_bad_configuration_asks_nothing_and_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="top_k"):
        run_retrieval([case()], {**CONFIG, "top_k": 0}, tmp_path / "runs", backend=Answers(ROWS))
    assert not (tmp_path / "runs").exists()


def test_a_killed_series_goes_on_wherever_its_last_line_was_cut(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    run_retrieval([case("one"), case("two")], CONFIG, whole, backend=Answers(ROWS))
    data = (whole / RunFolder.RUNS).read_bytes()
    first = data.index(b"\n") + 1
    for cut in sorted({first, first + 1, first + 40, (first + len(data)) // 2, len(data) - 2, len(data) - 1}):
        folder = tmp_path / str(cut)
        folder.mkdir()
        runs = folder / RunFolder.RUNS
        runs.write_bytes(data[:cut])
        series = run_retrieval([case("three")], CONFIG, folder, backend=Answers(ROWS))
        told = [record["test_id"] for record in RunLog(runs).rows()]
        complete = cut == len(data) - 1
        torn = cut not in (first, len(data) - 1)
        assert told == ["one", *(["two"] if complete else []), "three"]
        assert runs.read_bytes().startswith(data[:first])
        assert bool(series.note) is torn
        aside = runs.with_name(runs.name + ".torn")
        assert (aside.read_bytes() == data[first:cut] + b"\n") if torn else not aside.exists()


def test_text_that_is_no_unicode_is_recorded(tmp_path: Path) -> None:
    odd = [row("a", 0.5, "half \ud83d", source="a.md")]
    series = run_retrieval([case(retrieval_question="a \udc00?")], CONFIG, tmp_path, backend=Answers(odd))
    assert list(RunLog(tmp_path / RunFolder.RUNS).rows()) == series


def test_a_place_that_cannot_hold_records_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be used for run records"):
        run_retrieval([case()], CONFIG, tmp_path / "file", backend=Answers(ROWS))
