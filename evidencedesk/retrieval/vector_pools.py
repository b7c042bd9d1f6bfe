"""Pools for cosines, which no other text can move. Invariant: a score here has the bits of one made in full.

A chunk's cosine with a query is the same as long as the chunk is, so nothing is scored again: `ρ` is 1, and twins are
chunks of equal score. See `pools` for the rest.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.pools import Mask, Pool, Slots, choose
from evidencedesk.retrieval.vectors import Contenders, score_rows


class VectorPool(Pool):
    """Pools of queries with these unit vectors, shape (queries, dim)."""

    def __init__(self, k: int, vectors: NDArray[np.float32]) -> None:
        super().__init__(k, len(vectors))
        self.vectors = vectors

    def per_row(self) -> list[str]:
        """See Pool."""
        return [*super().per_row(), "vectors"]

    def advance(self, slots: Slots, units: NDArray[np.int16], mask: Mask, order: NDArray[np.int64]) -> None:
        """Follow the index to its next state, in which these slots are new; `mask` says which the queries may find."""
        self.bury(mask)
        allowed = mask[slots]
        slots, units = slots[allowed], units[allowed]
        if len(slots):
            scores = np.array(list(score_rows(self.vectors, units)), dtype=np.float64).reshape(len(self), len(slots))
            rows, new = np.nonzero(scores > np.maximum(self.floor, 0)[:, np.newaxis])
            self.join(rows, slots[new], scores[rows, new])
        self.scores = self.entered.copy()
        unsorted = self.out_of_order(order)
        if unsorted:
            self.arrange(*unsorted)
        self.certify(1.0)

    def renew(self, row: int, found: Contenders, order: NDArray[np.int64]) -> None:
        """Begin a row anew from the best that a search in full has found for it, as many as the pool keeps."""
        scores = found.scores.astype(np.float64)
        chosen, floor, spare = choose(self.k, scores, order[found.slots], None, found.bound)
        self.fill(row, found.slots[chosen], scores[chosen], floor, spare)
