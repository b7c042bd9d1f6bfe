"""Who enters a pool: the best, and of those outside it is known how good they are."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.retrieval.pools import capacity_of, choose


@given(st.integers(0, 10**9), st.integers(0, 150), st.integers(1, 4), st.booleans())
def test_outside_are_twins_of_many_inside_and_chunks_below_the_floor(
    seed: int, size: int, k: int, has_classes: bool
) -> None:
    chance = random.Random(seed)
    kinds = chance.randint(1, 30)
    candidates = [(chance.randrange(3), 1.0 + chance.randrange(kinds), chance.randrange(2)) for _ in range(size)]
    owners = np.array([owner for owner, _, _ in candidates], dtype=np.intp)
    scores = np.array([score for _, score, _ in candidates])
    order = np.array(chance.sample(range(size), size), dtype=np.int64)
    classes = np.array([[kind] for _, _, kind in candidates], dtype=np.int64).reshape(-1, 1) if has_classes else None
    bound = np.array([0.0, 1.5, 0.0])
    chosen = choose(k, owners, scores, order, classes, bound)

    def kind(place: int) -> tuple[float, int]:
        return float(scores[place]), candidates[place][2] if has_classes else 0

    for owner in range(3):
        inside = chosen.places[chosen.owners == owner].tolist()
        ranked = sorted(np.flatnonzero(owners == owner).tolist(), key=lambda place: (-scores[place], order[place]))
        assert inside[:k] == ranked[:k]
        assert inside == [place for place in ranked if place in set(inside)]
        assert len(inside) <= capacity_of(k)
        assert chosen.floor[owner] >= bound[owner]
        for place in set(ranked) - set(inside):
            twins = [one for one in inside if kind(one) == kind(place)]
            assert scores[place] <= chosen.floor[owner] or len(twins) >= k + chosen.spare[owner] >= k
