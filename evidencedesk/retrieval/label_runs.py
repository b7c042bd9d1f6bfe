"""Evaluations → run records. Invariant: a record's contract is its label alone; chunk ids follow from the pages."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evidencedesk.retrieval.candidates import RankedList
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.evaluation import Contract, Evaluation, GoldPlace
from evidencedesk.retrieval.labels import Label
from evidencedesk.retrieval.records import Record, Row, Stamp, build_retrieval_record, fingerprint

MODE = "evidencedesk"
TURN = "t1"
"""A label asks one question, so it has one turn."""


def contract_hash(label: Label) -> str:
    """The fingerprint of what a label expects: question, answerability, gold and scope; not its tags or remarks."""
    return fingerprint(
        {
            "id": label.id,
            "question": label.question,
            "answerable": label.answerable,
            "gold": [
                {
                    "section": gold.section,
                    "evidence": gold.evidence,
                    "grade": gold.grade,
                    "group": gold.group,
                    "alternative": gold.alternative,
                }
                for gold in label.gold
            ],
            "scope": None
            if label.scope is None
            else [
                sorted(label.scope.statuses),
                sorted(label.scope.audiences),
                None if label.scope.langs is None else sorted(label.scope.langs),
            ],
        }
    )


def index_hash(chunks: Iterable[Chunk]) -> str:
    """The fingerprint of what was searched: ids and texts of all chunks."""
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(f"{chunk.id}\0{chunk.text}\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def run_config(contract: Contract, chunking: str, chunks: Iterable[Chunk]) -> dict[str, Any]:
    """The configuration of a run, as its records hold it: what `check_config` wants, and the settings in words."""
    return {
        "mode": MODE,
        "top_k": contract.k,
        "similarity_threshold": contract.floor,
        "searcher": contract.searcher,
        "settings": contract.settings_text(chunking),
        "index": index_hash(chunks),
    }


def record_of(
    evaluation: Evaluation, config: Mapping[str, Any], run_id: str, version: str, stamp: Stamp | None = None
) -> Record:
    """The record of one label's question; `version` names the state of its label file."""
    label = evaluation.label
    case = {
        "test_id": label.id,
        "turn_id": TURN,
        "test_set_version": version,
        "retrieval_question": label.question,
        "expected_sources": expected_sources(evaluation) if label.answerable else [],
    }
    return build_retrieval_record(
        case,
        _rows(evaluation.trace.retrieved),
        _rows(evaluation.trace.context),
        config,
        run_id,
        contract_hash=contract_hash(label),
        stamp=stamp,
    )


def expected_sources(evaluation: Evaluation) -> list[dict[str, list[str]]]:
    """The label's gold as groups of chunk ids; an entry without a group is one by itself.

    An alternative stands for its group, one without a group for every group. Of several chunks that hold the same
    evidence any will do: that which got furthest stands for it. Evidence that no chunk holds whole is named by its
    section, which no ranking can hold.
    """
    reached = [found.chunk.id for found in (*evaluation.trace.context, *evaluation.trace.retrieved)]
    groups: dict[str, dict[str, list[str]]] = {}
    general: list[str] = []
    for number, place in enumerate(evaluation.places):
        gold = place.gold
        if gold.alternative and not gold.group:
            general += place.holders
            continue
        group = groups.setdefault(gold.group or f"#{number}", {"required_chunk_ids": [], "alternative_chunk_ids": []})
        if gold.alternative:
            group["alternative_chunk_ids"] += place.holders
        else:
            group["required_chunk_ids"].append(_holder(place, reached))
    for group in groups.values():
        group["alternative_chunk_ids"] += general
    return list(groups.values())


def same_run(record: Row, config: Mapping[str, Any]) -> bool:
    """Whether a record was made with these settings over these chunks."""
    return bool(record.get("config") == config)


def difference(record: Row, evaluation: Evaluation) -> str:
    """Where the question's ranking now departs from the recorded one, in words; "" when it is the same."""
    was = [row["chunk_id"] for row in record["ranking"]]
    now = [found.chunk.id for found in evaluation.trace.retrieved]
    for rank, (before, after) in enumerate(zip(was, now, strict=False), start=1):
        if before != after:
            return f"differs from rank {rank}: was {before}, is {after}"
    if len(was) != len(now):
        return f"had {len(was)} chunks, has {len(now)}"
    return ""


def _holder(place: GoldPlace, reached: Sequence[str]) -> str:
    ordered = sorted(
        place.holders, key=lambda chunk_id: reached.index(chunk_id) if chunk_id in reached else len(reached)
    )
    return ordered[0] if ordered else place.gold.section


def _rows(found: RankedList) -> list[dict[str, Any]]:
    return [
        {
            "chunk_id": one.chunk.id,
            "score": one.score,
            "text": one.chunk.text,
            "metadata": {
                "source": one.chunk.path,
                "doc_id": one.chunk.doc_id,
                "section": one.chunk.section,
                "lines": [one.chunk.location.first_line, one.chunk.location.last_line],
                "status": one.chunk.status,
            },
        }
        for one in found
    ]
