"""Reciprocal rank fusion. Invariant: totals are compared as exact fractions, so a true tie is a tie."""

from __future__ import annotations

from collections.abc import Sequence

from evidencedesk.retrieval.candidates import Candidate, Contribution, RankedList

K = 60


def rrf(lists: Sequence[RankedList], k: int = K, top: int | None = None, source: str = "hybrid") -> RankedList:
    """Fuse ranked lists: a chunk's score is the sum of `1 / (k + position)` over its appearances.

    Positions count from 1 in each list as given; a candidate's own `rank` is not looked at, and a chunk that occurs
    twice in one list counts twice. Order: greater total, then better best position, then chunk id. Each result holds
    one part per appearance and the chunk of the first list that had it; `top` cuts the result. Raises ValueError for
    a negative `k`. Source: Cormack, Clarke and Büttcher, SIGIR 2009.
    """
    if k < 0:
        raise ValueError("k must not be negative")
    found: dict[str, _Fused] = {}
    for ranking in lists:
        for position, candidate in enumerate(ranking, start=1):
            fused = found.get(candidate.chunk.id)
            if fused is None:
                fused = found[candidate.chunk.id] = _Fused(candidate, position)
            fused.add(candidate, position, k)
    # Two different totals differ by at least 1 / (product of their denominators), and a denominator is a product of
    # at most `appearances` numbers up to k + longest. Scaled by that many bits, their integer parts already differ.
    longest = max(map(len, lists), default=0)
    appearances = max((len(fused.parts) for fused in found.values()), default=0)
    bits = 2 * appearances * (k + longest).bit_length()
    order = sorted(
        found.items(),
        key=lambda item: (-((item[1].numerator << bits) // item[1].denominator), item[1].best, item[0]),
    )
    return [
        Candidate(fused.first.chunk, fused.numerator / fused.denominator, rank, source, tuple(fused.parts))
        for rank, (_, fused) in enumerate(order[:top], start=1)
    ]


class _Fused:
    """The running total of one chunk as numerator and denominator, not reduced."""

    __slots__ = ("best", "denominator", "first", "numerator", "parts")

    def __init__(self, first: Candidate, position: int) -> None:
        self.first = first
        self.best = position
        self.numerator = 0
        self.denominator = 1
        self.parts: list[Contribution] = []

    def add(self, candidate: Candidate, position: int, k: int) -> None:
        share = k + position
        self.numerator = self.numerator * share + self.denominator
        self.denominator *= share
        self.best = min(self.best, position)
        self.parts.append(Contribution(candidate.source, position, candidate.score))
