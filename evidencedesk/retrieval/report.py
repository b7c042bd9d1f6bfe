"""A searcher against labels: one row a question, and counts of rows. Invariant: each question is searched once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from evidencedesk.retrieval.catalog import Catalog, Scope
from evidencedesk.retrieval.labels import Label
from evidencedesk.retrieval.searchers import Searcher
from evidencedesk.retrieval.taxonomy import Finding, Trace, answer_rank, diagnose


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one question.

    `failed`: any finding except that the answer was outranked or junk came with it (`retrieval/irrelevant_match`).
    `rank` is that of the first chunk with the whole answer, None when none was retrieved; `returned` counts chunks.
    """

    id: str
    findings: tuple[Finding, ...]
    failed: bool
    rank: int | None
    returned: int
    answerable: bool
    tags: tuple[str, ...]


def evaluate(
    searcher: Searcher, cat: Catalog, labels: Iterable[Label], scope: Scope | None, k: int, floor: float | None = None
) -> list[Row]:
    """A row per label, in their order, from the best `k` chunks in scope (None: no filter) that `searcher` finds.

    Those with `score >= floor` enter the prompt (None: all). A label's own scope goes before `scope`.
    """
    allowed: dict[Scope | None, AbstractSet[str] | None] = {None: None}
    rows = []
    for label in labels:
        wanted = scope and (label.scope or scope)
        if wanted not in allowed and wanted is not None:
            allowed[wanted] = cat.allowed(wanted)
        trace = _trace(label, searcher, cat, allowed[wanted], k, floor)
        findings = tuple(diagnose(label, trace))
        rows.append(
            Row(
                id=label.id,
                findings=findings,
                failed=any((found.stage, found.label) != ("retrieval", "irrelevant_match") for found in findings),
                rank=answer_rank(label, trace.retrieved) if label.answerable else None,
                returned=len(trace.retrieved),
                answerable=label.answerable,
                tags=tuple(label.tags),
            )
        )
    return rows


def run_trace(
    label: Label, searcher: Searcher, cat: Catalog, scope: Scope | None, k: int, floor: float | None = None
) -> Trace:
    """What one question met: `evaluate` for a single label, before the diagnosis."""
    wanted = scope and (label.scope or scope)
    return _trace(label, searcher, cat, None if wanted is None else cat.allowed(wanted), k, floor)


def _trace(
    label: Label, searcher: Searcher, cat: Catalog, allowed: AbstractSet[str] | None, k: int, floor: float | None
) -> Trace:
    retrieved = searcher.search(label.question, k, allowed)
    context = [found for found in retrieved if floor is None or found.score >= floor]
    return Trace(indexed=cat.chunks, retrieved=retrieved, context=context)


def label_counts(rows: Iterable[Row]) -> Counter[tuple[str, str]]:
    """How many findings there are of each `(stage, label)`; what never occurs reads 0."""
    return Counter((found.stage, found.label) for row in rows for found in row.findings)


def hit_at(rows: Sequence[Row], k: int, tag: str | None = None) -> tuple[int, int]:
    """`(hits, n)`: how many of the n answerable rows, with this tag if one is given, have the answer at rank <= k."""
    counted = [row for row in rows if row.answerable and (tag is None or tag in row.tags)]
    return sum(row.rank is not None and row.rank <= k for row in counted), len(counted)
