"""Clocks, tables and files for the benchmarks. Invariant: a figure says whether it is CPU or wall time, in seconds."""

from __future__ import annotations

import argparse
import gc
import json
import platform
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

Result = TypeVar("Result")


@dataclass
class Clock:
    """Times of one kind of work, one entry a run."""

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def run(self, work: Callable[[], Result]) -> Result:
        """Do the work once and note what it took; garbage of earlier work is not counted."""
        gc.collect()
        cpu, wall = time.process_time(), time.perf_counter()
        result = work()
        self.cpu.append(time.process_time() - cpu)
        self.wall.append(time.perf_counter() - wall)
        return result

    def summary(self) -> dict[str, float]:
        """Medians and 95th percentiles (the greatest of fewer than 20), and the number of runs."""
        return {
            "cpu_median": statistics.median(self.cpu),
            "cpu_p95": _p95(self.cpu),
            "wall_median": statistics.median(self.wall),
            "wall_p95": _p95(self.wall),
            "runs": len(self.cpu),
        }


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(0.95 * len(values)))]


def arguments(description: str) -> argparse.ArgumentParser:
    """The options that every benchmark has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--docs", type=Path, required=True, help="a folder of Markdown documents; it is only read")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    return parser


def report(title: str, facts: dict[str, Any], clocks: dict[str, Clock], ours: str, path: Path | None) -> None:
    """Print a table, each row with its ratio to ours, and write the same as JSON."""
    summaries = {name: clock.summary() for name, clock in clocks.items()}
    facts = {**facts, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}
    print(f"{title}: " + ", ".join(f"{value} {name}" for name, value in facts.items()))
    print(f"{'':44}{'cpu s':>10}{'p95':>10}{'wall s':>10}{'ratio':>8}")
    for name, summary in summaries.items():
        ratio = summary["cpu_median"] / summaries[ours]["cpu_median"]
        figures = (summary["cpu_median"], summary["cpu_p95"], summary["wall_median"])
        print(f"{name:44}" + "".join(f"{figure:10.3f}" for figure in figures) + f"{ratio:8.2f}")
    if path is not None:
        machine = {"python": platform.python_version(), "machine": platform.machine()}
        path.write_text(json.dumps({"title": title, **machine, **facts, "seconds": summaries}, indent=1) + "\n")
