"""Ranking measures for one question. Invariant: none exceeds 1, and a repeated id counts at its first place only.

`ranking` holds ids, best first; `grades` maps relevant ids to gains above 0 (anything else is not relevant). A repeated
id still takes up its place. With nothing relevant every measure is 0, as with an empty ranking. Raises ValueError for
`k < 1`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet


def hit(ranking: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """1 when anything relevant is among the first `k`, else 0."""
    return float(any(_gains(ranking, grades, k)))


def reciprocal_rank(ranking: Sequence[str], grades: Mapping[str, int], k: int | None = None) -> float:
    """1 / rank of the first relevant id among the first `k` (None: all), 0 when there is none."""
    gains = _gains(ranking, grades, k)
    return next((1 / rank for rank, gain in enumerate(gains, start=1) if gain), 0.0)


def precision(ranking: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """Share of `k` places, filled or not, that hold a relevant id."""
    return sum(gain > 0 for gain in _gains(ranking, grades, k)) / k


def recall(ranking: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """Share of the relevant ids that are among the first `k`."""
    relevant = sum(grade > 0 for grade in grades.values())
    return sum(gain > 0 for gain in _gains(ranking, grades, k)) / relevant if relevant else 0.0


def ndcg(ranking: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """Gain discounted by `log2(rank + 1)`, over that of the best possible first `k` places.

    Source: Järvelin and Kekäläinen 2002, with the grade itself as the gain.
    """
    gains = _gains(ranking, grades, k)
    ideal = _discounted(sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:k])
    return _discounted(gains) / ideal if ideal else 0.0


def evidence_recall(ranking: Sequence[str], holders: Sequence[AbstractSet[str]], k: int) -> float:
    """Share of the distinct pieces of evidence that one of the first `k` ids holds.

    `holders` has a set of ids per piece; several ids that hold the same piece count once. A piece that nothing holds
    is not found.
    """
    if k < 1:
        raise ValueError("k must be at least 1")
    top = frozenset(ranking[:k])
    return sum(not top.isdisjoint(ids) for ids in holders) / len(holders) if holders else 0.0


def _gains(ranking: Sequence[str], grades: Mapping[str, int], k: int | None) -> list[int]:
    if k is not None and k < 1:
        raise ValueError("k must be at least 1")
    seen: set[str] = set()
    gains = []
    for name in ranking[:k]:
        gains.append(0 if name in seen else max(0, grades.get(name, 0)))
        seen.add(name)
    return gains


def _discounted(gains: Sequence[int]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))
