"""Run records: one JSON object per evaluated question turn, schema m6.1. Invariant: what was not measured is null.

A test case is a mapping with `test_id`, `turn_id`, `test_set_version`, `retrieval_question` (null: the turn asks
nothing), `expected_sources` (groups of `required_chunk_ids` and `alternative_chunk_ids`) and, at will,
`config_overrides`. A ranking is a list of rows with `chunk_id`, `score`, `text` and `metadata`.
"""

from __future__ import annotations

import copy
import hashlib
import json
import math
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from numbers import Real
from typing import Any, Protocol

from evidencedesk.retrieval.run_folder import Place, RunFolder, json_line

Case = Mapping[str, Any]
Row = Mapping[str, Any]
Record = dict[str, Any]

SCHEMA_VERSION = "m6.1"

# The one test that holds only for scores below 1.
_BELOW_ONE = "M6-T106"


class Backend(Protocol):
    """What answers the questions of a series. One without `select_context_results` gets this module's."""

    def retrieve(self, question: str, *, top_k: int) -> Sequence[Row]:
        """The best rows for a question, best first."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """Where a record's own id and its time come from."""

    new_id: Callable[[], str] = lambda: uuid.uuid4().hex
    now: Callable[[], datetime] = lambda: datetime.now(UTC)


def fingerprint(case: Case) -> str:
    """The contract hash: SHA-256, in hex, of the whole case as canonical JSON (sorted keys, no spaces, UTF-8)."""
    text = json.dumps(case, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def prepare_search_question(case: Case) -> str | None:
    """What to search for: the case's question, white space collapsed; None when it asks nothing.

    Raises TypeError for a question that is no text.
    """
    question = case.get("retrieval_question")
    if question is not None and not isinstance(question, str):
        raise TypeError(f"retrieval_question must be text, not {type(question).__name__}")
    return " ".join(question.split()) or None if question else None


def check_config(config: Mapping[str, Any]) -> None:
    """Raises ValueError, naming the setting, unless `mode`, `top_k` and `similarity_threshold` can be used."""
    mode, top_k, threshold = config.get("mode"), config.get("top_k"), config.get("similarity_threshold")
    if not isinstance(mode, str) or not mode:
        raise ValueError("mode must be a name")
    if isinstance(top_k, bool) or not isinstance(top_k, int) or top_k < 1:
        raise ValueError("top_k must be a whole number from 1")
    if threshold is not None and not _is_number(threshold):
        raise ValueError("similarity_threshold must be a finite number, or null for none")


def select_context_results(ranking: Sequence[Row], threshold: float | None) -> tuple[list[Row], str | None]:
    """The rows that enter the prompt, in order, and why there are none (None when there are some).

    A score below the threshold is dropped, an equal one stays. Usable is a row with text and a `source` in its
    metadata whose id and text (white space collapsed) no earlier one has.
    """
    if not ranking:
        return [], "no_results"
    above = [row for row in ranking if threshold is None or row["score"] >= threshold]
    if not above:
        return [], "below_threshold"
    context = []
    ids: set[object] = set()
    texts: set[str] = set()
    for row in above:
        text = " ".join(str(row.get("text") or "").split())
        source = (row.get("metadata") or {}).get("source")
        if text and source and row["chunk_id"] not in ids and text not in texts:
            ids.add(row["chunk_id"])
            texts.add(text)
            context.append(row)
    return context, None if context else "no_usable_results"


def source_metrics(case: Case, ranking: Sequence[Row], context: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Which groups of expected sources the ranking, and the context, cover; nulls when nothing is expected.

    A group is covered when all its required ids are there, or any alternative.
    """
    groups = _groups(case)
    return {"ranking": _covered(groups, ranking), "context": _covered(groups, context)}


def hit_at_k(case: Case, ranking: Sequence[Row] | None, k: int, top_k: int) -> int | None:
    """1 when any required or alternative id is at rank 1 to `k`, else 0. Never fails.

    None when that was not measured: nothing is expected, `k` exceeds `top_k`, or there is no ranking.
    """
    expected = _expected(case)
    if ranking is None or not expected or k > top_k:
        return None
    return int(any(_chunk_id(row) in expected for row in ranking[:k]))


def build_retrieval_record(
    test_case: Case,
    ranking: Sequence[Row] | None,
    context: Sequence[Row] | None,
    config: Mapping[str, Any],
    run_id: str,
    *,
    origin: str = "isolated_retrieval",
    question: str | None = None,
    contract_hash: str | None = None,
    error: str | None = None,
    stamp: Stamp | None = None,
) -> Record:
    """The record of one turn; later changes to what is given do not reach it.

    `ranking` is what was found, before the threshold, `context` what entered the prompt; `error` says what kept the
    turn from being executed, and everything measurable is then null. `question` is the one searched for (None: the
    case's own), `contract_hash` the fingerprint of the expectations (None: of the whole case).
    """
    stamp = stamp or Stamp()
    failed = error is not None
    found = copy.deepcopy(list(ranking or []))
    used = copy.deepcopy(list(context or []))
    top_k = config.get("top_k")
    measured = None if failed else found
    status, reason = ("execution_error", "execution_error") if failed else ("completed", None)
    expected = _expected(test_case)
    if not failed and not expected:
        reason = "no_expected_chunk"
    if not failed and test_case.get("test_id") == _BELOW_ONE and any(row["score"] >= 1 for row in found):
        status, error = "precondition_failed", "T106 wymaga score < 1."
    ranks = (rank for rank, row in enumerate(measured or (), start=1) if _chunk_id(row) in expected)
    return {
        "schema_version": SCHEMA_VERSION,
        "result_id": stamp.new_id(),
        "run_id": run_id,
        "created_at": stamp.now().astimezone(UTC).isoformat(),
        "test_id": test_case.get("test_id"),
        "turn_id": test_case.get("turn_id"),
        "test_set_version": test_case.get("test_set_version"),
        "contract_hash": contract_hash or fingerprint(test_case),
        "origin": origin,
        "mode": config.get("mode"),
        "config": copy.deepcopy(dict(config)),
        "search_question": question if question is not None else _own_question(test_case),
        "ranking": found,
        "context": used,
        "metrics": None if failed else source_metrics(test_case, found, used),
        "hit_at_1": hit_at_k(test_case, measured, 1, top_k if isinstance(top_k, int) else 0),
        "hit_at_k": hit_at_k(test_case, measured, top_k, top_k) if isinstance(top_k, int) else None,
        "metric_k": top_k,
        "expected_rank": next(ranks, None),
        "metric_reason": reason,
        "status": status,
        "context_reason": None if failed or used else _why_empty(found, config),
        "error": error,
    }


def evaluate_retrieval_turn(
    test_case: Case, config: Mapping[str, Any], run_id: str, *, backend: Backend, stamp: Stamp | None = None
) -> Record | None:
    """Ask one case's question and record what came of it; None when it asks nothing.

    Raises ValueError for a configuration that `check_config` refuses. Everything that fails after that, a wrong
    override included, is in the record.
    """
    check_config(config)
    effective = dict(config)
    question = None
    try:
        question = prepare_search_question(test_case)
        if question is None:
            return None
        effective = {**config, **(test_case.get("config_overrides") or {})}
        check_config(effective)
        ranking = [_checked(row) for row in backend.retrieve(question, top_k=effective["top_k"])][: effective["top_k"]]
        select = getattr(backend, "select_context_results", select_context_results)
        context, _ = select(ranking, effective.get("similarity_threshold"))
        record = build_retrieval_record(test_case, ranking, context, effective, run_id, question=question, stamp=stamp)
        json_line(record)  # What cannot be written down is a failure of the turn, not of the series.
        return record
    except Exception as error:
        told = str(error) or type(error).__name__
        return build_retrieval_record(
            test_case, None, None, effective, run_id, question=question, error=told, stamp=stamp
        )


class Series(list[Record]):
    """The records of one series, in order.

    `planned` cases were to be asked, `executed` gave a record, `skipped` ask nothing, `errors` of the records could
    not be executed. `note` tells of a half-written line that an earlier series left in the file.
    """

    def __init__(self, run_id: str, planned: int, note: str = "") -> None:
        super().__init__()
        self.run_id = run_id
        self.planned = planned
        self.skipped = 0
        self.note = note

    @property
    def executed(self) -> int:
        """How many turns gave a record."""
        return len(self)

    @property
    def errors(self) -> int:
        """How many records are of a turn that failed."""
        return sum(record["status"] == "execution_error" for record in self)


def run_retrieval(
    cases: Iterable[Case],
    config: Mapping[str, Any],
    folder: Place,
    *,
    backend: Backend,
    test_ids: Iterable[str] | None = None,
    stamp: Stamp | None = None,
) -> Series:
    """Ask every case, or those with these `test_ids`, and append each record to the folder's runs at once.

    The folder also gets the ids of this series' records and its counts. Raises ValueError for an unusable
    configuration, before anything is asked, and InputError when the folder cannot be written.
    """
    check_config(config)
    stamp = stamp or Stamp()
    wanted = None if test_ids is None else set(test_ids)
    chosen = [case for case in cases if wanted is None or case.get("test_id") in wanted]
    runs = RunFolder(folder)
    series = Series(stamp.new_id(), len(chosen), runs.log.note)
    for case in chosen:
        record = evaluate_retrieval_turn(case, config, series.run_id, backend=backend, stamp=stamp)
        if record is None:
            series.skipped += 1
        else:
            runs.log.append(record)
            series.append(record)
    counts = {name: getattr(series, name) for name in ("run_id", "planned", "executed", "skipped", "errors")}
    runs.finish([record["result_id"] for record in series], counts)
    return series


def _checked(row: Row) -> Row:
    """A row of a ranking that can be recorded. Raises ValueError for another."""
    for name in ("chunk_id", "score", "text", "metadata"):
        if name not in row:
            raise ValueError(f"a row of the ranking has no {name}")
    if not _is_number(row["score"]):
        raise ValueError(f"the score of {row['chunk_id']} is {row['score']!r}, which is no finite number")
    return row if isinstance(row["score"], int | float) else {**row, "score": float(row["score"])}


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _own_question(case: Case) -> str | None:
    try:
        return prepare_search_question(case)
    except TypeError:
        return None


def _why_empty(ranking: Sequence[Row], config: Mapping[str, Any]) -> str:
    threshold = config.get("similarity_threshold")
    if not ranking:
        return "no_results"
    passes = threshold is None or any(row["score"] >= threshold for row in ranking)
    return "no_usable_results" if passes else "below_threshold"


def _groups(case: Case) -> list[tuple[set[object], set[object]]]:
    """Required and alternative ids of every group; a damaged group expects nothing."""
    groups = case.get("expected_sources")
    return [
        (_ids(group.get("required_chunk_ids")), _ids(group.get("alternative_chunk_ids")))
        for group in (groups if isinstance(groups, Sequence) and not isinstance(groups, str) else ())
        if isinstance(group, Mapping)
    ]


def _ids(values: object) -> set[object]:
    return {value for value in values if isinstance(value, str | int)} if isinstance(values, list | tuple) else set()


def _expected(case: Case) -> set[object]:
    return {chunk_id for required, alternative in _groups(case) for chunk_id in required | alternative}


def _chunk_id(row: object) -> object:
    return row.get("chunk_id") if isinstance(row, Mapping) else None


def _covered(groups: Sequence[tuple[set[object], set[object]]], rows: Sequence[Row]) -> dict[str, Any]:
    if not groups:
        return {"groups": 0, "covered": None, "coverage": None, "any_group": None, "all_groups": None}
    present = {_chunk_id(row) for row in rows}
    covered = sum(bool((required and required <= present) or alternative & present) for required, alternative in groups)
    return {
        "groups": len(groups),
        "covered": covered,
        "coverage": covered / len(groups),
        "any_group": covered > 0,
        "all_groups": covered == len(groups),
    }
