"""The best rows of a score array. Invariant: equal scores go by row, or by the order that is given."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.intp]


def best_rows(
    scores: NDArray[np.floating], k: int, among: Rows | None = None, order: NDArray[np.int64] | None = None
) -> Rows:
    """The `k` rows of greatest score, best first, ties by `order[row]`, or by row. `among` limits the choice.

    `scores` is one-dimensional; `among` holds ascending rows. Fewer than `k` come back when there are fewer; none for
    `k <= 0`.
    """
    rows = np.arange(len(scores)) if among is None else among
    if k <= 0:
        return rows[:0]
    chosen = scores[rows]
    if k < len(rows):
        cut = len(rows) - k
        contenders = chosen >= np.partition(chosen, cut)[cut]
        rows, chosen = rows[contenders], chosen[contenders]
    if order is None:
        return rows[np.argsort(-chosen, kind="stable")[:k]]
    return rows[np.lexsort((order[rows], -chosen))[:k]]


def positive_rows(scores: NDArray[np.floating], allowed: NDArray[np.bool_] | None = None) -> Rows:
    """Rows with a score above zero, ascending; `allowed` is a mask over the rows (None: all)."""
    return np.flatnonzero(scores > 0 if allowed is None else (scores > 0) & allowed)
