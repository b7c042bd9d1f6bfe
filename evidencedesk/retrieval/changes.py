"""What differs between two states of a mapping. Invariant: values are compared by identity, so size does not matter."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import compress
from operator import is_not
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


def changed_keys(before: Mapping[Key, Value], now: Mapping[Key, Value]) -> list[Key]:
    """Keys that came, went, or have another object as their value."""
    if before is now:
        return []
    if same_keys(before, now):
        return list(compress(now, map(is_not, before.values(), now.values())))
    missing = object()
    gone = [key for key in before if key not in now]
    return gone + [key for key, value in now.items() if before.get(key, missing) is not value]


def same_keys(before: Mapping[Key, Value], now: Mapping[Key, Value]) -> bool:
    """Whether both have the same keys in the same order."""
    return len(before) == len(now) and list(before) == list(now)
