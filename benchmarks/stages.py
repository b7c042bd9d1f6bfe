"""Where a snapshot's time goes, told by its own progress steps. Invariant: the stages add up to the whole."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import TypeVar

from benchmarks.measure import Clock, cpu_seconds

Result = TypeVar("Result")

BEFORE = "Taking files"


class Stages:
    """A progress callback that gives the CPU time between two steps to the first of them, by kind of work.

    What comes before the first step (reading what was saved) is a stage of its own.
    """

    def __init__(self) -> None:
        self.of_kind: dict[str, dict[str, Clock]] = {}
        self._step = BEFORE
        self._since = 0.0
        self._run: dict[str, float] = {}

    def __call__(self, step: str, done: int, total: int) -> None:
        """See Progress."""
        if step != self._step:
            self._end_step(step)

    def run(self, kind: str, work: Callable[[], Result]) -> Result:
        """Do work that reports its progress here, and note one time for each stage."""
        self._step, self._since, self._run = BEFORE, cpu_seconds(), {}
        result = work()
        self._end_step(BEFORE)
        clocks = self.of_kind.setdefault(kind, {})
        for step, seconds in self._run.items():
            clock = clocks.setdefault(step, Clock())
            clock.cpu.append(seconds)
        return result

    def table(self) -> tuple[list[str], list[list[object]]]:
        """Columns and rows: the median of each stage in each kind of work, CPU time in milliseconds."""
        steps = dict.fromkeys(step for clocks in self.of_kind.values() for step in clocks)
        rows: list[list[object]] = [[step, *(self._median_ms(kind, step) for kind in self.of_kind)] for step in steps]
        return ["cpu ms by stage", *self.of_kind], rows

    def _median_ms(self, kind: str, step: str) -> float:
        clock = self.of_kind[kind].get(step)
        return statistics.median(clock.cpu) * 1000 if clock else 0.0

    def _end_step(self, step: str) -> None:
        now = cpu_seconds()
        self._run[self._step] = self._run.get(self._step, 0.0) + now - self._since
        self._step, self._since = step, now
