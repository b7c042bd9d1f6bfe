"""When to ask for an evaluation: after a pause in typing. Invariant: the last change is followed by a request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Scheduler:
    """Calls `work` after changes: `soon` once nothing has changed for `pause` seconds, `now` in the loop's next turn.

    Who never pauses is not forgotten: `work` is called at the latest `longest` seconds after the first change that it
    has not seen.
    """

    def __init__(self, work: Callable[[], None], pause: float, longest: float) -> None:
        self._work = work
        self._pause = pause
        self._longest = longest
        self._timer: asyncio.Handle | None = None
        self._deadline: float | None = None

    def soon(self) -> None:
        """Call after the pause; every change starts it anew."""
        loop = asyncio.get_running_loop()
        if self._deadline is None:
            self._deadline = loop.time() + self._longest
        self._set(loop.call_at(min(loop.time() + self._pause, self._deadline), self._call))

    def now(self) -> None:
        """Call as soon as what has arrived with this change is taken in."""
        loop = asyncio.get_running_loop()
        self._deadline = loop.time()
        self._set(loop.call_soon(self._call))

    def stop(self) -> None:
        """Call no more for what has changed so far."""
        self._set(None)
        self._deadline = None

    def _set(self, timer: asyncio.Handle | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = timer

    def _call(self) -> None:
        self._timer, self._deadline = None, None
        self._work()
