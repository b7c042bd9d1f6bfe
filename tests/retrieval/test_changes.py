"""What is made of a mapping's values is made again where they changed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.retrieval.changes import Mapped, mapped

VALUES = [(0,), (1,), (2,)]
STATES = st.lists(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(VALUES))).map(dict))


@given(states=STATES)
def test_what_is_made_of_values_is_made_again_only_of_new_ones(states: list[dict[str, tuple[int]]]) -> None:
    before: Mapped[str, tuple[int], list[int]] | None = None
    for state in states:
        after = mapped(before, state, list)
        assert list(after.made.items()) == [(key, list(value)) for key, value in state.items()]
        if before is not None:
            kept = [key for key, value in state.items() if before.source.get(key) is value]
            assert all(after.made[key] is before.made[key] for key in kept)
            assert (after.made is before.made) == (list(state.items()) == list(before.source.items()))
        before = after
