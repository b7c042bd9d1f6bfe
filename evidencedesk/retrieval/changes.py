"""What differs between two states of a mapping. Invariant: values are compared by identity, so size does not matter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import compress
from operator import is_not
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")
Made = TypeVar("Made")


def changed_keys(before: Mapping[Key, Value], now: Mapping[Key, Value]) -> list[Key]:
    """Keys that came, went, or have another object as their value."""
    return difference(before, now)[0]


def difference(before: Mapping[Key, Value], now: Mapping[Key, Value]) -> tuple[list[Key], bool]:
    """Keys that came, went, or have another object as their value; and whether no key came, went or moved."""
    if before is now:
        return [], True
    if same_keys(before, now):
        return list(compress(now, map(is_not, before.values(), now.values()))), True
    missing = object()
    gone = [key for key in before if key not in now]
    return gone + [key for key, value in now.items() if before.get(key, missing) is not value], False


def same_keys(before: Mapping[Key, Value], now: Mapping[Key, Value]) -> bool:
    """Whether both have the same keys in the same order."""
    return before is now or (len(before) == len(now) and list(before) == list(now))


@dataclass(frozen=True, slots=True)
class Mapped(Generic[Key, Value, Made]):
    """What a function makes of each value of a mapping, by its keys and in their order."""

    source: Mapping[Key, Value]
    made: Mapping[Key, Made]


def mapped(
    before: Mapped[Key, Value, Made] | None, source: Mapping[Key, Value], make: Callable[[Value], Made]
) -> Mapped[Key, Value, Made]:
    """`make` of each value; what `before` has of the very same values is taken over, all of it as one object."""
    if before is None:
        return Mapped(source, {key: make(value) for key, value in source.items()})
    changed, is_alike = difference(before.source, source)
    if is_alike and not changed:
        return before
    new = {key: make(source[key]) for key in changed if key in source}
    if is_alike:
        return Mapped(source, {**before.made, **new})
    return Mapped(source, {key: new[key] if key in new else before.made[key] for key in source})
