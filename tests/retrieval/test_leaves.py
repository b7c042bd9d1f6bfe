"""A sequence in leaves is the list it stands for, in every state."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.retrieval.leaves import Leaves

CHANGES = st.lists(st.tuples(st.sets(st.integers(0, 2000), max_size=4), st.integers(0, 700)), max_size=5)


@given(st.integers(0, 800), CHANGES)
def test_every_state_is_the_list_it_stands_for(length: int, changes: list[tuple[set[int], int]]) -> None:
    wanted = [f"0:{place}" for place in range(length)]
    states = [(Leaves(wanted), wanted)]
    for number, (places, more) in enumerate(changes, start=1):
        leaves, before = states[-1]
        replaced = {place: f"{number}:{place}" for place in places if place < len(before)}
        added = [f"{number}:{place}" for place in range(len(before), len(before) + more)]
        wanted = [replaced.get(place, item) for place, item in enumerate(before)] + added
        states.append((leaves.after(replaced, added), wanted))
    for leaves, wanted in states:
        assert len(leaves) == len(wanted)
        assert list(leaves) == wanted
        assert leaves[5:900:7] == wanted[5:900:7]


@pytest.mark.parametrize("place", [-1, 3])
def test_places_that_are_none_are_refused(place: int) -> None:
    with pytest.raises(IndexError):
        Leaves("abc")[place]
