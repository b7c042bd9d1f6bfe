"""How well questions are answered: Snapshot → Figures. Invariant: no figure without its contract and denominator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evidencedesk.retrieval.evaluation import Contract, Evaluation

CUTOFFS = (1, 3, 5)


@dataclass(frozen=True, slots=True)
class Hits:
    """How many of `questions` answerable questions with `tag` ("" for all) find their answer at rank ≤ k.

    `at` maps searcher names to hits per cutoff, in the order of `Figures.cutoffs`.
    """

    tag: str
    questions: int
    at: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Abstention:
    """Prompts left empty: `right` of `unanswerable` questions rightly, `wrong` of the answerable ones wrongly."""

    unanswerable: int
    right: int
    wrong: int

    @property
    def precision(self) -> float | None:
        """The share of empty prompts that are right; None when no prompt is empty."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong else None

    @property
    def recall(self) -> float | None:
        """The share of unanswerable questions whose prompt is empty; None when there are none."""
        return self.right / self.unanswerable if self.unanswerable else None


@dataclass(frozen=True, slots=True)
class Figures:
    """Evaluation in numbers. `hits` starts with all answerable questions, tags follow by name; `findings` counts
    `(stage, label)` over all questions; `failed` questions have a finding other than `retrieval/irrelevant_match`."""

    contract: Contract
    chunking: str
    cutoffs: tuple[int, ...]
    searchers: tuple[str, ...]
    answerable: int
    hits: tuple[Hits, ...]
    findings: Mapping[tuple[str, str], int]
    failed: int
    abstention: Abstention


def grades(evaluation: Evaluation) -> Mapping[str, int]:
    """Grade per chunk id, for the chunks that hold gold evidence whole."""
    found: dict[str, int] = {}
    for place in evaluation.places:
        for chunk_id in place.holders:
            found[chunk_id] = max(place.gold.grade, found.get(chunk_id, 0))
    return found


def answer_rank(evaluation: Evaluation, searcher: str) -> int | None:
    """The rank of the first chunk that holds the whole answer in a searcher's list; None when the list has none."""
    graded = grades(evaluation)
    return next((found.rank for found in evaluation.rankings[searcher] if graded.get(found.chunk.id) == 2), None)


def figures(evaluations: Iterable[Evaluation], contract: Contract, chunking: str) -> Figures:
    """Figures of these evaluations, all made under `contract` (a label's own scope aside)."""
    evaluated = list(evaluations)
    answerable = [evaluation for evaluation in evaluated if evaluation.label.answerable]
    unanswerable = [evaluation for evaluation in evaluated if not evaluation.label.answerable]
    searchers = tuple(dict.fromkeys(name for evaluation in evaluated for name in evaluation.rankings))
    cutoffs = tuple(k for k in CUTOFFS if k <= max(contract.k, contract.depth))
    ranks = {
        evaluation.label.id: {name: answer_rank(evaluation, name) for name in searchers} for evaluation in answerable
    }
    tags = sorted({tag for evaluation in answerable for tag in evaluation.label.tags})

    def hits(tag: str) -> Hits:
        group = [ranks[one.label.id] for one in answerable if not tag or tag in one.label.tags]
        at = {
            name: tuple(sum(1 for by_name in group if (by_name[name] or k + 1) <= k) for k in cutoffs)
            for name in searchers
        }
        return Hits(tag, len(group), at)

    return Figures(
        contract=contract,
        chunking=chunking,
        cutoffs=cutoffs,
        searchers=searchers,
        answerable=len(answerable),
        hits=(hits(""), *map(hits, tags)),
        findings=Counter((finding.stage, finding.label) for one in evaluated for finding in one.findings),
        failed=sum(
            any((finding.stage, finding.label) != ("retrieval", "irrelevant_match") for finding in one.findings)
            for one in evaluated
        ),
        abstention=Abstention(
            unanswerable=len(unanswerable),
            right=sum(not one.trace.context for one in unanswerable),
            wrong=sum(not one.trace.context for one in answerable),
        ),
    )


def contract_text(contract: Contract, chunking: str) -> str:
    """What a figure means, in words: settings, tie rule, empty rankings, denominator."""
    return (
        f"{contract.settings_text(chunking)}. "
        "A hit is a chunk that holds the whole answer (grade 2) at rank 1 to k. Equal scores rank by chunk id, equal "
        "fused scores by best place first. An empty ranking is a miss. Hits count of all answerable questions."
    )
