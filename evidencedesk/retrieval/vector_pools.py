"""Pools for cosines, which no other text can move. Invariant: a score here has the bits of one made in full.

A chunk's cosine with a query is the same as long as the chunk is, so nothing is scored again: `ρ` is 1, and twins are
chunks of equal score. See `pools` for the rest.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.embedding.fixed_point import from_units
from evidencedesk.retrieval.pools import Mask, Pool, Slots, choose
from evidencedesk.retrieval.vectors import Contenders

_BLOCK = 1 << 20
"""How many scores are looked at together."""


class VectorPool(Pool):
    """Pools of queries with these unit vectors, shape (queries, dim)."""

    def __init__(self, k: int, vectors: NDArray[np.float32]) -> None:
        super().__init__(k, len(vectors))
        self.vectors = vectors

    def per_row(self) -> list[str]:
        """See Pool."""
        return [*super().per_row(), "vectors"]

    def advance(
        self, gone: Slots, slots: Slots, units: NDArray[np.int16], mask: Mask, order: NDArray[np.int64]
    ) -> None:
        """Follow the index to its next state, in which these slots are gone and new; `mask` says which the queries may
        find.
        """
        changed = [self.bury(gone)]
        allowed = mask[slots]
        slots, block = slots[allowed], from_units(units[allowed])
        step = max(1, _BLOCK // max(1, len(slots)))
        for start in range(0, len(self) if len(slots) else 0, step):
            part = slice(start, start + step)
            scores = np.minimum(self.vectors[part] @ block.T, 1)
            rows, new = np.nonzero(scores > np.maximum(self.floor[part], 0)[:, np.newaxis])
            changed.append(rows + start)
            self.join(rows + start, slots[new], scores[rows, new].astype(np.float64))
        rows = np.unique(np.concatenate(changed))
        self.scores[rows] = self.entered[rows]
        self.sort(rows, order)
        self.certify(rows, 1.0)

    def renew(self, row: int, found: Contenders, order: NDArray[np.int64]) -> None:
        """Begin a row anew from the best that a search in full has found for it, as many as the pool keeps."""
        scores = found.scores.astype(np.float64)
        owners = np.zeros(len(scores), dtype=np.intp)
        chosen = choose(self.k, owners, scores, order[found.slots], None, np.array([found.bound]))
        self.fill(np.array([row]), chosen, found.slots, scores)
