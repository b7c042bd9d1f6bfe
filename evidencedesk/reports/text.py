"""Problems and their summary for a terminal. Invariant: text from files reaches the terminal only through `visible`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby

from rich.segment import Segment
from rich.style import Style

from evidencedesk.reports.excerpt import excerpt, visible
from evidencedesk.reports.statistics import Statistics
from evidencedesk.reports.summary import Summary, number
from evidencedesk.rule import Problem, Severity
from evidencedesk.text.spans import LineIndex

FILES_SHOWN = 10
"""Worst files named per cause, and in all."""

_PLAIN = Style()
_DIM = Style(dim=True)
_BOLD = Style(bold=True)
_COLORS = {
    Severity.ERROR: Style(color="red", bold=True),
    Severity.WARNING: Style(color="yellow"),
    Severity.INFORMATION: Style(color="blue"),
    Severity.HINT: Style(color="cyan"),
}
_CLEAN = Style(color="green", bold=True)


class Places:
    """Names places as the user can open them: `shown` turns a path of the workspace into one for the terminal."""

    def __init__(self, texts: Mapping[str, str], shown: Callable[[str], str]) -> None:
        self._texts = texts
        self.shown = shown
        self._lines: dict[str, LineIndex] = {}

    def lines(self, path: str) -> LineIndex:
        """The line index of a file (of an empty text when the file is unknown)."""
        if path not in self._lines:
            self._lines[path] = LineIndex(self._texts.get(path, ""))
        return self._lines[path]

    def at(self, path: str, offset: int) -> str:
        """Such as `12:5`, both from 1, the column in characters."""
        place = self.lines(path).position(offset)
        return f"{place.line + 1}:{place.column + 1}"


def problem_lines(problems: Iterable[Problem], places: Places) -> Iterator[Segment]:
    """Problems under their files, each with its source line, the marked place, related places and repairs."""
    for path, group in groupby(problems, key=lambda problem: problem.path):
        yield Segment(visible(places.shown(path)) + "\n", _BOLD)
        for problem in group:
            yield from _problem(problem, places)
            yield Segment("\n")


def terse_lines(problems: Iterable[Problem], places: Places) -> Iterator[Segment]:
    """One line per problem: `path:line:column: severity CODE message`."""
    for problem in problems:
        where = f"{visible(places.shown(problem.path))}:{places.at(problem.path, problem.span.start)}: "
        yield Segment(where, _BOLD)
        yield Segment(problem.severity.value, _COLORS[problem.severity])
        yield Segment(f" {problem.code} {visible(problem.message)}\n")


def summary_line(summary: Summary, where: str = "") -> Segment:
    """The totals as the last line of the report; `where` names the part of the workspace it is about."""
    worst = _COLORS[summary.by_severity[0][0]] if summary.by_severity else _CLEAN
    return Segment(f"{visible(summary.sentence(where))}\n", worst)


def cause_lines(statistics: Statistics) -> Iterator[Segment]:
    """The causes alone, a line each: what to look at first where problems are many."""
    if statistics.causes:
        yield Segment("Causes (--statistics shows their files)\n", _BOLD)
    for cause in statistics.causes:
        yield Segment(f"  {cause.sentence}\n")


def statistics_lines(statistics: Statistics, places: Places) -> Iterator[Segment]:
    """Causes with their worst files and one cut of each, problems per rule, files with most problems."""
    if statistics.causes:
        yield Segment("Causes\n", _BOLD)
    for cause in statistics.causes:
        yield Segment(f"  {cause.sentence}\n")
        shown = cause.files[:FILES_SHOWN]
        for path, count in shown:
            yield Segment(f"    {count:>5,}  {visible(places.shown(path))}")
            boundary = cause.boundary_in(path)
            yield Segment(f"  {visible(boundary)}\n" if boundary else "\n", _DIM)
        yield from _rest(len(cause.files) - len(shown))
    if statistics.rules:
        yield Segment("Problems per rule\n", _BOLD)
        for rule in statistics.rules:
            yield Segment(f"    {rule.count:>5,}  {rule.code} {rule.name}\n")
        yield Segment("Files with most problems\n", _BOLD)
        for path, count in statistics.files[:FILES_SHOWN]:
            yield Segment(f"    {count:>5,}  {visible(places.shown(path))}\n")
        yield from _rest(len(statistics.files) - FILES_SHOWN)


def _problem(problem: Problem, places: Places) -> Iterator[Segment]:
    color = _COLORS[problem.severity]
    yield Segment(f"  {places.at(problem.path, problem.span.start)} ")
    yield Segment(problem.severity.value, color)
    yield Segment(f" {problem.code} {problem.name}: ", _BOLD)
    yield Segment(f"{visible(problem.message)}\n")
    source = excerpt(places.lines(problem.path), problem.span)
    gutter = " " * len(str(source.line))
    if source.text.strip():
        yield Segment(f"    {source.line} | ", _DIM)
        yield Segment(f"{source.text}\n")
        yield Segment(f"    {gutter} | ", _DIM)
        on = f" to line {source.last_line}" if source.last_line > source.line else ""
        yield Segment(f"{source.marks}{on}\n", color)
    for related in problem.related:
        where = f"{visible(places.shown(related.path))}:{places.at(related.path, related.span.start)}"
        yield Segment(f"    {gutter} = ", _DIM)
        yield Segment(f"{where}: {visible(related.message)}\n")
    for fix in problem.fixes:
        yield Segment(f"    {gutter} = ", _DIM)
        yield Segment(f"fix: {visible(fix.title)}\n")


def _rest(more: int) -> Iterator[Segment]:
    if more > 0:
        yield Segment(f"           and {number(more, 'more file')}\n", _DIM)
