"""When to evaluate: after a pause, one run at a time. Invariant: the last change is always followed by a whole run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


class Scheduler:
    """Runs `work` after changes: `soon` waits for a pause of `pause` seconds, `now` does not.

    Changes during a run lead to one more run after it, however many they are. An exception in `work` ends that run
    only; it reaches the loop's exception handler.
    """

    def __init__(self, work: Callable[[], Awaitable[None]], pause: float) -> None:
        self._work = work
        self._pause = pause
        self._timer: asyncio.TimerHandle | None = None
        self._run: asyncio.Task[None] | None = None
        self._again = False

    def soon(self) -> None:
        """Run once nothing has changed for the pause; every call starts the pause anew."""
        self._cancel_timer()
        self._timer = asyncio.get_running_loop().call_later(self._pause, self.now)

    def now(self) -> None:
        """Run at once, or right after the run that is going on."""
        self._cancel_timer()
        if self._run is not None:
            self._again = True
            return
        self._run = asyncio.ensure_future(self._work_once())
        self._run.add_done_callback(self._ended)

    def stop(self) -> None:
        """Cancel what runs and what waits."""
        self._cancel_timer()
        self._again = False
        if self._run is not None:
            self._run.cancel()

    async def _work_once(self) -> None:
        await self._work()

    def _ended(self, run: asyncio.Task[None]) -> None:
        self._run = None
        if not run.cancelled() and (error := run.exception()) is not None:
            run.get_loop().call_exception_handler({"message": "evaluation failed", "exception": error, "task": run})
        if self._again:
            self._again = False
            # A pause that began meanwhile covers this run too.
            if self._timer is None:
                self.now()

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
