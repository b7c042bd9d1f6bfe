"""Any retrieval against labels, abstention apart. Invariant: each question is asked once, and none counts twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evidencedesk.retrieval.hits import hits_of


@dataclass(frozen=True, slots=True)
class RetrievalScores:
    """What became of the questions. `ranks` says at which rank, 1 to `k`, each answerable one finds its whole answer.

    Ids of questions: `unanswered` of the `unanswerable` ones, rightly; `wrongly_abstained` of the answerable ones;
    `corrected` were answered after a retry, whether rightly or not.
    """

    k: int
    ranks: Mapping[str, int | None]
    unanswerable: int
    unanswered: tuple[str, ...]
    wrongly_abstained: tuple[str, ...]
    corrected: tuple[str, ...]

    @property
    def answerable(self) -> int:
        """How many questions have an answer."""
        return len(self.ranks)

    @property
    def hits(self) -> int:
        """How many answerable questions find their answer."""
        return self.hits_at(self.k)

    def hits_at(self, k: int) -> int:
        """How many of them find it at rank 1 to `k`."""
        return sum(rank is not None and rank <= k for rank in self.ranks.values())

    @property
    def hit_rate(self) -> float | None:
        """The share of answerable questions that find their answer; None when there are none."""
        return self.hits / self.answerable if self.answerable else None

    @property
    def abstention_precision(self) -> float | None:
        """The share of abstentions that are right; None without any."""
        abstained = len(self.unanswered) + len(self.wrongly_abstained)
        return len(self.unanswered) / abstained if abstained else None

    @property
    def abstention_recall(self) -> float | None:
        """The share of unanswerable questions that get nothing; None when there are none."""
        return len(self.unanswered) / self.unanswerable if self.unanswerable else None


def evaluate_retrieval(retrieve: Callable[[str], Any], labels: Iterable[Any], k: int = 5) -> RetrievalScores:
    """Ask every label's `question` and look for its answer among the first `k` hits.

    `retrieve` gives a CorrectionResult, or whatever has or is a list of hits with a `chunk`; a label has `id`,
    `question`, `answerable` and `grade_of(chunk)`, 2 for the whole answer. A question without hits is one on which
    the retrieval abstained. Raises ValueError for `k < 1`.
    """
    if k < 1:
        raise ValueError("k must be at least 1")
    ranks: dict[str, int | None] = {}
    abstained: dict[bool, list[str]] = {True: [], False: []}
    corrected = []
    unanswerable = 0
    for label in labels:
        answer = retrieve(label.question)
        found = hits_of(answer)
        if label.answerable:
            places = (rank for rank, hit in enumerate(found[:k], start=1) if label.grade_of(hit.chunk) == 2)
            ranks[label.id] = next(places, None)
        else:
            unanswerable += 1
        if not found:
            abstained[label.answerable].append(label.id)
        if getattr(answer, "verdict", "") == "corrected":
            corrected.append(label.id)
    return RetrievalScores(
        k=k,
        ranks=ranks,
        unanswerable=unanswerable,
        unanswered=tuple(abstained[False]),
        wrongly_abstained=tuple(abstained[True]),
        corrected=tuple(corrected),
    )
