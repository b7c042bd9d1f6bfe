"""Memory of an opened folder, at its peak and afterwards, and what it is made of.

Each folder is opened in a process of its own. Invariant: shared objects are counted once.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np

from benchmarks.inputs import TODAY, facts_of, folder, input_arguments, sizes
from benchmarks.measure import Outcome, Target
from benchmarks.processes import memory_mb
from evidencedesk.workspace import Change, Workspace

LISTED = 14


def main() -> None:
    """Run the benchmark."""
    parser = input_arguments(__doc__ or "", chunks="1000,10000", questions=1000)
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one)))
        return
    outcome = Outcome("memory")
    for size in sizes(options):
        with folder(options, size) as root:
            command = (sys.executable, "-m", "benchmarks.memory", "--one", str(root))
            found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        outcome.table(found["facts"], ["megabytes", "figure"], list(found["megabytes"].items()))
        outcome.target(Target("memory of the opened folder:", 600, "MB", found["megabytes"]["opened"]))
    outcome.write(options.json)


def measure(root: Path) -> dict[str, dict[str, float]]:
    """Open a folder in this process, and change a page once."""
    bare, _ = memory_mb()
    workspace = Workspace.open(root, today=TODAY)
    gc.collect()
    opened, peak = memory_mb()
    document = workspace.snapshot.documents[0]
    workspace.apply([Change(document.path, f"{document.text}\n\nOne more sentence.\n")])
    gc.collect()
    figures = {
        "program": bare,
        "opened, at its peak": peak,
        "opened": opened,
        "after a change": memory_mb()[0],
    }
    parts = {f"  {name}": size / 1e6 for name, size in sizes_by_type(workspace).most_common(LISTED)}
    return {"facts": dict(facts_of(workspace.snapshot)), "megabytes": {**figures, **parts}}


def sizes_by_type(root: object) -> Counter[str]:
    """Bytes of everything that can be reached, by type; the program itself left out."""
    totals: Counter[str] = Counter()
    seen = {id(root)}
    waiting = [root]
    while waiting:
        one = waiting.pop()
        name = type(one).__name__
        if isinstance(one, np.ndarray):
            name = f"{one.dtype.name} array"
        totals[name] += sys.getsizeof(one)
        bases = [] if not isinstance(one, np.ndarray) or one.base is None else [one.base]
        for inner in [*gc.get_referents(one), *bases]:
            if id(inner) not in seen and not isinstance(inner, type | ModuleType | FunctionType):
                seen.add(id(inner))
                waiting.append(inner)
    return totals


if __name__ == "__main__":
    main()
