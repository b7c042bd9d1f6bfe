"""Differences between lists of diagnostics."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evidencedesk_server.patches import difference, patched


def place(line: int, column: int = 0) -> dict[str, Any]:
    return {"start": {"line": line, "character": column}, "end": {"line": line, "character": column + 3}}


def diagnostic(name: str, line: int, related: list[int] | None = None) -> dict[str, Any]:
    shown: dict[str, Any] = {"range": place(line), "message": name, "code": "ED201", "data": {"fingerprint": name}}
    if related is not None:
        shown["relatedInformation"] = [
            {"location": {"uri": f"file:///{name}", "range": place(other)}, "message": "there"} for other in related
        ]
    return shown


DIAGNOSTICS = st.lists(
    st.builds(
        diagnostic, st.sampled_from("abc"), st.integers(0, 3), st.none() | st.lists(st.integers(0, 2), max_size=2)
    ),
    max_size=6,
)


@given(DIAGNOSTICS, DIAGNOSTICS)
def test_a_difference_makes_the_new_list_of_the_old_one(old: list[Any], new: list[Any]) -> None:
    assert patched(old, difference(old, new)) == new


def test_what_did_not_change_costs_nothing_and_what_moved_a_few_numbers() -> None:
    old = [diagnostic("a long message " * 10 + str(number), number, [number]) for number in range(100)]
    fixed = old[:50] + old[51:]
    assert difference(old, fixed) == [[0, 50], [51, 49]]
    moved = old[:50] + [diagnostic(one["message"], number + 51, [number + 50]) for number, one in enumerate(old[50:])]
    pieces = difference(old, moved)
    assert pieces[0] == [0, 50]
    assert pieces[1] == [50, [[51, 0, 51, 3], [50, 0, 50, 3]]]
    assert len(str(pieces)) < 50 * 50
