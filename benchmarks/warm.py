"""Opening a folder again, from its cache on disk, beside opening it with nothing kept.

Invariant: the snapshots are compared, and the benchmark fails when they differ.
"""

from __future__ import annotations

import argparse
import statistics
from functools import partial
from pathlib import Path

from benchmarks.inputs import TODAY, demand_equal, facts_of, folder, input_arguments, sizes
from benchmarks.measure import Clock, Outcome, Target
from benchmarks.stages import Stages
from evidencedesk.workspace import Workspace

COLD = "cold, nothing kept"
FILLING = "cold, filling the cache"
WARM = "warm"


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
    clocks = {name: Clock() for name in (COLD, FILLING, WARM)}
    stages = Stages()
    cold = clocks[COLD].run(partial(stages.run, COLD, partial(Workspace.open, root, today=TODAY, progress=stages)))
    expected = cold.snapshot
    del cold
    from_cache = partial(Workspace.open, root, today=TODAY, progress=stages, cache=True)
    for name in (FILLING, *[WARM] * options.runs):
        demand_equal(clocks[name].run(partial(stages.run, name, from_cache)).snapshot, expected)
    facts = facts_of(expected)
    outcome.clocks(facts, clocks, WARM)
    if options.profile:
        outcome.table(facts, *stages.table())
    ratio = clocks[COLD].wall[0] / statistics.median(clocks[WARM].wall)
    outcome.target(Target("a warm start against a cold one (wall time):", 10, "times faster", ratio, at_least=True))


if __name__ == "__main__":
    main()
