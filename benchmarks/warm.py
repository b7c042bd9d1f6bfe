"""Opening a folder again, from its cache on disk, beside opening it with nothing kept.

An editor shows the problems that the same texts had before the folder is evaluated again; both are timed. Invariant:
the snapshots are compared, and the benchmark fails when they differ.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from functools import partial
from pathlib import Path

from benchmarks.inputs import TODAY, demand_equal, facts_of, folder, input_arguments, sizes
from benchmarks.measure import Clock, Outcome, Target, cpu_seconds
from benchmarks.stages import Stages
from evidencedesk.workspace import Workspace

COLD = "cold, nothing kept"
FILLING = "cold, filling the cache"
WARM = "warm"
SHOWN = "warm, until problems are shown"


def main() -> None:
    """Run the benchmark."""
    parser = input_arguments(__doc__ or "", chunks="10000", questions=1000)
    parser.add_argument("--runs", type=int, default=3, help="warm starts [3]")
    parser.add_argument("--profile", action="store_true", help="also show the stages")
    options = parser.parse_args()
    outcome = Outcome("warm")
    for size in sizes(options):
        with folder(options, size) as root:
            measure(root, options, outcome)
    outcome.write(options.json)


def measure(root: Path, options: argparse.Namespace, outcome: Outcome) -> None:
    """One folder."""
    clocks = {name: Clock() for name in (COLD, FILLING, WARM, SHOWN)}
    stages = Stages()
    cold = clocks[COLD].run(partial(stages.run, COLD, partial(Workspace.open, root, today=TODAY, progress=stages)))
    expected = cold.snapshot
    del cold
    # A program that has just started has no heap for the collector to walk through.
    gc.freeze()
    watch = Watch()

    def from_cache() -> Workspace:
        watch.start()
        return Workspace.open(root, today=TODAY, progress=stages, cache=True, early=watch)

    for name in (FILLING, *[WARM] * options.runs):
        demand_equal(clocks[name].run(partial(stages.run, name, from_cache)).snapshot, expected)
        if name == WARM:
            clocks[SHOWN].cpu.append(watch.cpu)
            clocks[SHOWN].wall.append(watch.wall)
    facts = facts_of(expected)
    outcome.clocks(facts, clocks, WARM)
    if options.profile:
        outcome.table(facts, *stages.table())
    for name, what in ((WARM, "a warm start"), (SHOWN, "a warm start, until problems are shown,")):
        ratio = clocks[COLD].wall[0] / statistics.median(clocks[name].wall)
        outcome.target(Target(f"{what} against a cold one (wall time):", 10, "times faster", ratio, at_least=True))


class Watch:
    """Notes how many seconds after its start it is called."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Begin to count."""
        self._cpu, self._wall = cpu_seconds(), time.perf_counter()
        self.cpu = self.wall = float("nan")

    def __call__(self, *told: object) -> None:
        """Told problems early."""
        self.cpu, self.wall = cpu_seconds() - self._cpu, time.perf_counter() - self._wall


if __name__ == "__main__":
    main()
