from __future__ import annotations

from evidencedesk.workspace.memo import Memo


def test_a_result_is_kept_as_long_as_each_run_asks_for_it() -> None:
    computed: list[object] = []

    def double(items: list[int]) -> list[int]:
        computed.append(items)
        return items * 2

    memo, one, two = Memo(), [1], [2]
    assert memo(double, one) == memo(double, one) == [1, 1]
    memo.end_run()
    memo(double, one)
    memo(double, two)
    memo.end_run()
    memo(double, two)
    assert computed == [one, two]
    memo.end_run()
    memo(double, one)
    assert computed == [one, two, one]


def test_an_equal_but_new_input_is_computed_again() -> None:
    computed: list[object] = []
    memo = Memo()
    for items in ([1], [1]):
        memo(computed.append, items)
    assert computed == [[1], [1]]


def test_what_is_renewed_is_given_its_last_result_when_an_input_is_new() -> None:
    given: list[int | None] = []

    def total(before: int | None, *items: list[int]) -> int:
        given.append(before)
        return sum(map(sum, items))

    memo, one, two = Memo(), [1], [2]
    assert memo.renew(total, one) == 1
    memo.end_run()
    assert memo.renew(total, one, two) == 3
    assert memo.renew(total, one, two) == 3
    memo.end_run()
    assert memo.renew(total, two) == 2
    assert given == [None, 1, 3]
