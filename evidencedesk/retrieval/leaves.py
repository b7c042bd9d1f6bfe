"""A long sequence of which the next state shares most. Invariant: immutable; a change costs what it changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Generic, TypeVar, overload

Item = TypeVar("Item")

_BITS = 8
_SIZE = 1 << _BITS
_REST = _SIZE - 1


class Leaves(Sequence[Item], Generic[Item]):
    """Items in leaves of 256 each, of which copies made by `after` share those that are the same."""

    def __init__(self, items: Iterable[Item]) -> None:
        every = list(items)
        self._length = len(every)
        self._leaves = [every[start : start + _SIZE] for start in range(0, len(every), _SIZE)]

    def after(self, replaced: Mapping[int, Item], added: Sequence[Item]) -> Leaves[Item]:
        """The sequence with other items in some places, and some more behind."""
        after = Leaves[Item](())
        leaves = self._leaves.copy()
        for number in {place >> _BITS for place in replaced}:
            leaves[number] = leaves[number].copy()
        for place, item in replaced.items():
            leaves[place >> _BITS][place & _REST] = item
        behind = [*(leaves.pop() if self._length & _REST else ()), *added]
        leaves += [behind[start : start + _SIZE] for start in range(0, len(behind), _SIZE)]
        after._length, after._leaves = self._length + len(added), leaves
        return after

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | list[Item]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(self._length))]
        if not 0 <= place < self._length:
            raise IndexError(place)
        return self._leaves[place >> _BITS][place & _REST]
