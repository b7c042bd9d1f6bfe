"""The vocabulary of failure: which stage lost the answer, and how. Invariant: a finding uses no word outside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evidencedesk.retrieval.candidates import RankedList
from evidencedesk.retrieval.chunk import Chunk

STAGES = ("ingestion", "retrieval", "context", "generation", "citation")
LABELS = ("missed_evidence", "irrelevant_match", "stale_document", "duplicate_chunks", "unsupported_answer")


@dataclass(frozen=True, slots=True)
class Finding:
    """What went wrong for one question: `stage` is of STAGES, `label` of LABELS, `detail` a plain sentence."""

    stage: str
    label: str
    detail: str


@dataclass(frozen=True, slots=True)
class Trace:
    """What one question met on its way: all indexed chunks, the retrieved candidates, those that entered the prompt."""

    indexed: Sequence[Chunk]
    retrieved: RankedList
    context: RankedList
    answer: str | None = None
    cited: tuple[str, ...] = ()
