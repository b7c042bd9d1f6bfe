"""Reciprocal rank fusion. Invariant: totals are compared as exact fractions, so a true tie is a tie."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

from evidencedesk.retrieval.candidates import Candidate, Contribution, RankedList

K = 60

Key = TypeVar("Key", bound=Hashable)


def rrf(lists: Sequence[RankedList], k: int = K, top: int | None = None, source: str = "hybrid") -> RankedList:
    """Fuse ranked lists: a chunk's score is the sum of `1 / (k + position)` over its appearances.

    Positions count from 1 in each list as given; a candidate's own `rank` is not looked at, and a chunk that occurs
    twice in one list counts twice. Order: greater total, then better best position, then chunk id. Each result holds
    one part per appearance and the chunk of the first list that had it; `top` cuts the result. Raises ValueError for
    a negative `k`. Source: Cormack, Clarke and Büttcher, SIGIR 2009.
    """
    totals = fuse([[candidate.chunk.id for candidate in ranking] for ranking in lists], k)
    order = sorted(totals.items(), key=lambda item: (-item[1].weight, item[1].best, item[0]))
    results = []
    for rank, (_, total) in enumerate(order[:top], start=1):
        found = [(lists[place][position - 1], position) for place, position in total.places]
        parts = tuple([Contribution(one.source, position, one.score) for one, position in found])
        results.append(Candidate(found[0][0].chunk, float(total), rank, source, parts))
    return results


def fuse(rankings: Sequence[Sequence[Key]], k: int, weights: Sequence[int] | None = None) -> dict[Key, Total]:
    """The total of every id in some ranking, in order of first appearance.

    A ranking counts as often as `weights` says, once when None. Raises ValueError for a negative `k`.
    """
    if k < 0:
        raise ValueError("k must not be negative")
    totals: dict[Key, Total] = {}
    for place, ranking in enumerate(rankings):
        weight = 1 if weights is None else weights[place]
        for position, key in enumerate(ranking, start=1):
            total = totals.get(key)
            if total is None:
                total = totals[key] = Total()
            total.add(place, position, k, weight)
    # Two different totals differ by at least 1 / (product of their denominators), and a denominator is a product of
    # at most `appearances` numbers up to k + longest. Scaled by that many bits, their integer parts already differ.
    longest = max(map(len, rankings), default=0)
    appearances = max((len(total.places) for total in totals.values()), default=0)
    bits = 2 * appearances * (k + longest).bit_length()
    for total in totals.values():
        total.weight = (total.numerator << bits) // total.denominator
    return totals


class Total:
    """What one id has won: `numerator / denominator` (not reduced), at `places` (list, position from 1).

    `weight` is an integer that orders the totals of one fusion exactly, the greater first; `best` the best position.
    """

    __slots__ = ("best", "denominator", "numerator", "places", "weight")

    def __init__(self) -> None:
        self.numerator = 0
        self.denominator = 1
        self.places: list[tuple[int, int]] = []
        self.best = 0
        self.weight = 0

    def add(self, place: int, position: int, k: int, weight: int) -> None:
        """Count one appearance in a ranking of this weight."""
        share = k + position
        self.numerator = self.numerator * share + self.denominator * weight
        self.denominator *= share
        self.best = min(self.best, position) if self.places else position
        self.places.append((place, position))

    def __float__(self) -> float:
        return self.numerator / self.denominator
