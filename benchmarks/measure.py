"""Clocks, tables and files for the benchmarks. Invariant: a figure says whether it is CPU or wall time, in seconds."""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

Result = TypeVar("Result")


def cpu_seconds() -> float:
    """CPU time of this process, all its threads, and its children that have ended."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


@dataclass
class Clock:
    """Times of one kind of work, one entry a run."""

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def run(self, work: Callable[[], Result], *, collect: bool = True) -> Result:
        """Do the work once and note what it took; with `collect`, garbage of earlier work is not counted."""
        if collect:
            gc.collect()
        cpu, wall = cpu_seconds(), time.perf_counter()
        result = work()
        self.cpu.append(cpu_seconds() - cpu)
        self.wall.append(time.perf_counter() - wall)
        return result

    def summary(self) -> dict[str, float]:
        """Medians and 95th percentiles (the greatest of fewer than 20), and the number of runs."""
        return {
            "cpu_median": statistics.median(self.cpu),
            "cpu_p95": p95(self.cpu),
            "wall_median": statistics.median(self.wall),
            "wall_p95": p95(self.wall),
            "runs": len(self.cpu),
        }


def p95(values: Sequence[float]) -> float:
    """The 95th percentile, the greatest of fewer than 20 values."""
    return sorted(values)[min(len(values) - 1, int(0.95 * len(values)))]


@dataclass(frozen=True, slots=True)
class Target:
    """What a ratio or a time should be. `measured` in the same unit; `at_least` else at most `wanted`."""

    what: str
    wanted: float
    unit: str
    measured: float
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether the figure is on the right side."""
        return self.measured >= self.wanted if self.at_least else self.measured <= self.wanted

    def line(self) -> str:
        """The verdict in words."""
        side = "at least" if self.at_least else "at most"
        verdict = "met" if self.met else "not met"
        return f"target: {self.what} {side} {self.wanted:g} {self.unit}; measured {self.measured:.2f}; {verdict}"


@dataclass
class Outcome:
    """All that one run of a benchmark found, printed as it comes and written as JSON at its end."""

    title: str
    parts: list[dict[str, Any]] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)

    def clocks(self, facts: Mapping[str, object], clocks: Mapping[str, Clock], base: str) -> None:
        """Print a table of times, each row with its ratio of CPU time to the row named `base`."""
        summaries = {name: clock.summary() for name, clock in clocks.items() if clock.cpu}
        self.parts.append({**facts, "seconds": summaries})
        print(f"\n{self.title}: {words(facts)}")
        print(f"{'':44}{'cpu ms':>12}{'p95':>12}{'wall ms':>12}{'ratio':>10}")
        for name, summary in summaries.items():
            figures = (summary["cpu_median"], summary["cpu_p95"], summary["wall_median"])
            ratio = summary["cpu_median"] / max(summaries[base]["cpu_median"], 1e-9)
            print(f"{name:44}" + "".join(f"{figure * 1000:12,.2f}" for figure in figures) + f"{ratio:10.2f}")

    def table(self, facts: Mapping[str, object], columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Print a table of figures; the first column is a name."""
        listed = [list(row) for row in rows]
        self.parts.append({**facts, "rows": [dict(zip(columns, row, strict=True)) for row in listed]})
        print(f"\n{self.title}: {words(facts)}")
        widths = [max(12, len(column) + 2) for column in columns[1:]]
        print(
            f"{columns[0]:32}"
            + "".join(f"{column:>{width}}" for column, width in zip(columns[1:], widths, strict=True))
        )
        for name, *figures in listed:
            shown = (f"{one:,.2f}" if isinstance(one, float) else f"{one:,}" for one in figures)
            print(f"{name!s:32}" + "".join(f"{text:>{width}}" for text, width in zip(shown, widths, strict=True)))

    def target(self, target: Target) -> None:
        """Print a verdict."""
        self.targets.append(target)
        print(target.line())

    def write(self, path: Path | None) -> None:
        """Write everything to a file, where one is given."""
        if path is None:
            return
        machine = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
        targets = [{**asdict(target), "met": target.met} for target in self.targets]
        everything = {"title": self.title, **machine, "parts": self.parts, "targets": targets}
        path.write_text(json.dumps(everything, indent=1) + "\n", encoding="utf-8")


def words(facts: Mapping[str, object]) -> str:
    """Facts as a phrase: `3 documents, 90 chunks`."""
    return ", ".join(
        f"{value:,} {name}" if isinstance(value, int) else f"{value} {name}" for name, value in facts.items()
    )


def arguments(description: str) -> argparse.ArgumentParser:
    """The options that every benchmark has."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")
    return parser
