"""Who enters a pool: the best, and of those outside it is known how good they are."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.retrieval.pools import capacity_of, choose

CANDIDATES = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from([1.0, 2.0, 3.0, 4.0]), st.integers(0, 1)), max_size=150
)


@given(CANDIDATES, st.integers(1, 4), st.booleans(), st.randoms(use_true_random=False))
def test_outside_are_twins_of_many_inside_and_chunks_below_the_floor(
    candidates: list[tuple[int, float, int]], k: int, has_classes: bool, chance: object
) -> None:
    owners = np.array([owner for owner, _, _ in candidates], dtype=np.intp)
    scores = np.array([score for _, score, _ in candidates])
    order = np.array(chance.sample(range(len(candidates)), len(candidates)), dtype=np.int64)  # type: ignore[attr-defined]
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
