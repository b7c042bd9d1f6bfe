"""Rankings that repeat themselves less, and how much one does. Invariant: diversity reorders and adds nothing."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.candidates import RankedList

Floats = NDArray[np.floating]


def check_lambda(lambda_: float) -> None:
    """Raises ValueError for a weight outside 0 to 1, or none at all (NaN)."""
    if not 0 <= lambda_ <= 1:
        raise ValueError("lambda_ must be in [0, 1]")


def pick_diverse(relevance: Floats, vectors: Floats, lambda_: float, k: int) -> list[int]:
    """Rows in the order of maximal marginal relevance: greedily the greatest `λ · relevance - (1 - λ) · redundancy`.

    A row's redundancy is its greatest dot product with a row picked before, 0 for the first pick; equal values go to
    the earlier row. `relevance` has shape (n,), `vectors` (n, dim); at most `k` rows come back, none for `k <= 0`.
    Raises ValueError for a λ outside 0 to 1. Source: Carbonell and Goldstein, SIGIR 1998.
    """
    check_lambda(lambda_)
    gain = lambda_ * np.asarray(relevance, dtype=np.float64)
    redundancy = np.full(len(gain), -np.inf)
    open_rows = np.ones(len(gain), dtype=np.bool_)
    picked: list[int] = []
    for _ in range(min(k, len(gain))):
        values = gain - (1 - lambda_) * redundancy if picked else gain
        row = int(np.argmax(np.where(open_rows, values, -np.inf)))
        if not open_rows[row]:
            break
        picked.append(row)
        open_rows[row] = False
        redundancy = np.maximum(redundancy, dot_rows(vectors, vectors[row]))
    return picked


def dot_rows(vectors: Floats, vector: Floats) -> NDArray[np.float64]:
    """Each row times `vector`; equal rows give equal bits, which a matrix product does not promise."""
    products: NDArray[np.float64] = (vectors * vector).sum(axis=1, dtype=np.float64)
    return products


def diversify(found: RankedList, vectors: Floats, lambda_: float, k: int | None = None) -> RankedList:
    """A ranked list in the order of maximal marginal relevance, the best `k` of it (None: all).

    `vectors[i]` is the unit vector of `found[i]`. The relevance is the candidate's own score, scaled so that the
    list's best is 1 and its worst 0 (all 1 when they are equal): λ = 1 leaves a ranking as it is. Ranks run from 1
    again; scores, sources and parts stay.
    """
    scores = np.array([candidate.score for candidate in found], dtype=np.float64)
    spread = float(np.ptp(scores)) if len(scores) else 0.0
    relevance = (scores - scores.min()) / spread if spread else np.ones(len(scores))
    order = pick_diverse(relevance, vectors, lambda_, len(found) if k is None else k)
    return [replace(found[row], rank=rank) for rank, row in enumerate(order, start=1)]


def redundancy(bags: Sequence[AbstractSet[str]], k: int) -> float:
    """How much the first `k` texts repeat: the mean, from rank 2 on, of the greatest likeness to a text above.

    `bags[i]` are the distinct words of the text at rank i + 1, and likeness is Jaccard's: shared words over all words
    of both. 0 when fewer than two texts are ranked, 1 when all of them are equal. Raises ValueError for `k < 1`.
    """
    if k < 1:
        raise ValueError("k must be at least 1")
    ranked_bags = bags[:k]
    likest = [
        max(_jaccard(bag, above) for above in ranked_bags[:place]) for place, bag in enumerate(ranked_bags[1:], start=1)
    ]
    return sum(likest) / len(likest) if likest else 0.0


def _jaccard(one: AbstractSet[str], other: AbstractSet[str]) -> float:
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0
