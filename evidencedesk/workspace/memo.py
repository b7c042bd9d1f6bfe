"""A memo for pure functions. Invariant: a result is reused only for the very same input objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")


class Memo:
    """Remembers the results that the last run asked for.

    Inputs are compared by identity (and kept alive, so that an identity stays theirs): looking one up costs nothing
    however large it is, and an equal but new object is computed again. Functions must be module-level and pure.
    """

    def __init__(self) -> None:
        self._last: dict[tuple[object, ...], tuple[tuple[object, ...], Any]] = {}
        self._current: dict[tuple[object, ...], tuple[tuple[object, ...], Any]] = {}
        self._newest: dict[Callable[..., Any], Any] = {}

    def __call__(self, function: Callable[..., Result], *inputs: object) -> Result:
        """`function(*inputs)`, computed at most once for these objects."""
        key = (function, *map(id, inputs))
        entry = self._current.get(key) or self._last.get(key)
        if entry is None:
            entry = (inputs, function(*inputs))
        self._current[key] = entry
        result: Result = entry[1]
        return result

    def renew(self, function: Callable[..., Result], *inputs: object) -> Result:
        """`function(before, *inputs)`, where `before` is the last result of the function, None at first.

        It may start from `before` to save work, but not change it: its result does not depend on it, and a run that is
        given up leaves it for the next.
        """
        key = (function, *map(id, inputs))
        entry = self._current.get(key) or self._last.get(key)
        if entry is None:
            entry = (inputs, function(self._newest.get(function), *inputs))
            self._newest[function] = entry[1]
        self._current[key] = entry
        result: Result = entry[1]
        return result

    def replace(self, function: Callable[..., Result], change: Callable[[Result], Result]) -> None:
        """Let another result of equal meaning stand for the last one of a function that is renewed."""
        last = self._newest.get(function)
        if last is not None:
            changed = self._newest[function] = change(last)
            for entries in (self._last, self._current):
                for key, (inputs, result) in entries.items():
                    if result is last:
                        entries[key] = inputs, changed

    def seed(self, function: Callable[..., Result], before: Result, *inputs: object) -> None:
        """Let `renew` give this to the function as its last result; it is the one of `inputs`, if there are any."""
        self._newest[function] = before
        if inputs:
            self._current[function, *map(id, inputs)] = inputs, before

    def end_run(self) -> None:
        """Forget what this run did not ask for."""
        self._last, self._current = self._current, {}
