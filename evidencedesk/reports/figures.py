"""How well questions are answered: Snapshot → Figures. Invariant: no figure without its contract and denominator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evidencedesk.retrieval.candidates import ids
from evidencedesk.retrieval.diversity import redundancy
from evidencedesk.retrieval.evaluation import Contract, Evaluation, Judgement
from evidencedesk.retrieval.measures import evidence_recall
from evidencedesk.text.normal import fold
from evidencedesk.text.words import words

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
class Diversity:
    """How much a searcher's top k repeat themselves, and how much evidence they bring together.

    `redundancy` is the mean, over all questions, of `diversity.redundancy`; `evidence` the mean, over the answerable
    ones, of the share of their distinct pieces of evidence that the top k hold; None without such questions.
    """

    redundancy: float | None
    evidence: float | None


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
    `(stage, label)` over all questions; `failed` questions have a finding other than `retrieval/irrelevant_match`;
    `diversity` is per searcher, at the contract's k."""

    contract: Contract
    chunking: str
    cutoffs: tuple[int, ...]
    searchers: tuple[str, ...]
    answerable: int
    hits: tuple[Hits, ...]
    findings: Mapping[tuple[str, str], int]
    failed: int
    abstention: Abstention
    diversity: Mapping[str, Diversity]


def grades(evaluation: Judgement) -> Mapping[str, int]:
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
        diversity={name: _diversity(name, evaluated, contract.k) for name in searchers},
    )


def _diversity(searcher: str, evaluated: Sequence[Evaluation], k: int) -> Diversity:
    repeated = [
        redundancy([frozenset(words(found.chunk.text)) for found in one.rankings[searcher][:k]], k) for one in evaluated
    ]
    found = [
        evidence_recall(ids(one.rankings[searcher]), _holders(one), k) for one in evaluated if one.label.answerable
    ]
    return Diversity(_mean(repeated), _mean(found))


def _holders(evaluation: Evaluation) -> list[set[str]]:
    """The chunks that hold each distinct piece of evidence."""
    holders: dict[str, set[str]] = {}
    for place in evaluation.places:
        holders.setdefault(fold(place.gold.evidence), set()).update(place.holders)
    return list(holders.values())


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def contract_text(contract: Contract, chunking: str) -> str:
    """What a figure means, in words: settings, tie rule, empty rankings, denominator."""
    return (
        f"{contract.settings_text(chunking)}. "
        "A hit is a chunk that holds the whole answer (grade 2) at rank 1 to k. Equal scores rank by chunk id, equal "
        "fused scores by best place first. An empty ranking is a miss. Hits count of all answerable questions."
    )
