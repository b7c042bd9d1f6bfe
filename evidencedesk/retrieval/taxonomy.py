"""The vocabulary of failure: which stage lost the answer, and how. Invariant: a finding uses no word outside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from evidencedesk.retrieval.candidates import RankedList
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.text.analysis import query_terms
from evidencedesk.text.normal import fold
from evidencedesk.text.words import words

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
    """What one question met on its way: all indexed chunks, the retrieved candidates, those that entered the prompt.

    `closed` says why a gate kept the prompt empty, "" when none did.
    """

    indexed: Sequence[Chunk]
    retrieved: RankedList
    context: RankedList
    answer: str | None = None
    cited: tuple[str, ...] = ()
    closed: str = ""


class Graded(Protocol):
    """What diagnosis needs to know of a label."""

    @property
    def answerable(self) -> bool:
        """Whether the knowledge base holds the answer."""

    def grade_of(self, chunk: Chunk) -> int:
        """2: the chunk holds the whole answer; 1: a part of it; 0: none."""


def diagnose(label: Graded, trace: Trace) -> list[Finding]:
    """What went wrong for one question, from the first stage to the last.

    An answer that no indexed chunk holds whole is found missing at ingestion, and nothing else is said of it.
    """
    rank = answer_rank(label, trace.retrieved)
    if label.answerable and rank is None and not any(label.grade_of(chunk) == 2 for chunk in trace.indexed):
        return [Finding("ingestion", "missed_evidence", "no indexed chunk holds the whole answer")]
    return [
        *_retrieval(label.answerable, rank, trace.retrieved),
        *_context(label, rank, trace),
        *diagnose_answer(trace),
    ]


def answer_rank(label: Graded, retrieved: RankedList) -> int | None:
    """The position, from 1, of the first candidate that holds the whole answer; None when there is none."""
    return next((rank for rank, found in enumerate(retrieved, start=1) if label.grade_of(found.chunk) == 2), None)


def _retrieval(answerable: bool, rank: int | None, retrieved: RankedList) -> Iterator[Finding]:
    if answerable and rank is None:
        if retrieved:
            detail = f"answer not in the top {len(retrieved)}; rank 1 is {retrieved[0].chunk.id}"
        else:
            detail = "nothing was retrieved"
        yield Finding("retrieval", "missed_evidence", detail)
    elif answerable and rank is not None and rank > 1:
        yield Finding(
            "retrieval",
            "irrelevant_match",
            f"answer outranked: at rank {rank}, rank 1 is {retrieved[0].chunk.id}",
        )
    stale = next((found.chunk for found in retrieved if found.chunk.status != "current"), None)
    if stale is not None:
        yield Finding("retrieval", "stale_document", f"{stale.id} is of a document that is {stale.status}")


def _context(label: Graded, rank: int | None, trace: Trace) -> Iterator[Finding]:
    context = trace.context
    if label.answerable and rank is not None and answer_rank(label, context) is None:
        why = f": the gate is closed, {trace.closed}" if trace.closed else ""
        yield Finding("context", "missed_evidence", f"retrieved at rank {rank} but dropped before the prompt{why}")
    if not label.answerable and context:
        yield Finding("context", "irrelevant_match", f"{len(context)} chunk(s) in the prompt; the corpus has no answer")
    first_with: dict[str, str] = {}
    for found in context:
        other = first_with.setdefault(fold(found.chunk.text), found.chunk.id)
        if other != found.chunk.id:
            yield Finding("context", "duplicate_chunks", f"{found.chunk.id} says the same as {other}")
            return


def diagnose_answer(trace: Trace) -> Iterator[Finding]:
    """An answer that the context does not support; only of a supported one, whether its citations support it."""
    if trace.answer is None or not trace.answer.strip():
        return
    texts = {found.chunk.id: found.chunk.text for found in trace.context}
    if not supports(texts.values(), trace.answer):
        yield Finding("generation", "unsupported_answer", "the prompt does not support the answer")
        return
    stray = next((cited for cited in trace.cited if cited not in texts), None)
    if not trace.cited:
        yield Finding("citation", "unsupported_answer", "the answer cites nothing")
    elif stray is not None:
        yield Finding("citation", "unsupported_answer", f"{stray} is cited but was not in the prompt")
    elif not any(supports([texts[cited]], trace.answer) for cited in trace.cited):
        yield Finding("citation", "unsupported_answer", f"{', '.join(trace.cited)} does not support the answer")


_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def supports(texts: Iterable[str], answer: str) -> bool:
    """Whether every number of the answer, and at least half of its distinct content words, occur in the texts."""
    source = "\n".join(texts)
    content = query_terms(answer)
    known = set(words(source))
    found = sum(word in known for word in content)
    return set(_NUMBER.findall(answer)) <= set(_NUMBER.findall(source)) and 2 * found >= len(content)
