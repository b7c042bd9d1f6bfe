"""`evidencedesk check`: the problems of a workspace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evidencedesk.cli.console import notice, write
from evidencedesk.cli.fixing import apply_safe_fixes, print_diff, write_fixed
from evidencedesk.cli.opening import NoCache, Target, config_faults, find_target, open_workspace
from evidencedesk.cli.rule import suggestion
from evidencedesk.errors import UnknownNameError

if TYPE_CHECKING:
    from evidencedesk.rule import Problem
    from evidencedesk.workspace import Workspace


MANY = 50
"""More problems than an author reads one by one: the report ends with their causes."""


class Format(StrEnum):
    """How a report is written."""

    TEXT = "text"
    JSON = "json"


class FailOn(StrEnum):
    """The least severity that makes the exit code 1."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"
    NEVER = "never"


def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH",
            help="Folders or files; the workspace around them is evaluated as a whole.",
            show_default=".",
        ),
    ] = None,
    output: Annotated[Format, typer.Option("--format", help="How to write the report.")] = Format.TEXT,
    select: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODES",
            help="Only these rules: codes or their beginnings (ED2,ED301); replaces the configured choice.",
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="CODES", help="Not these rules: codes or their beginnings, besides those configured."),
    ] = None,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Add the causes, problems per rule and the worst files.")
    ] = False,
    fail_on: Annotated[FailOn, typer.Option(help="The least severity that makes the exit code 1.")] = FailOn.WARNING,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="One line per problem and nothing else.")] = False,
    fix: Annotated[
        bool, typer.Option("--fix", help="Apply the fixes that change no meaning, then report what is left.")
    ] = False,
    show_diff: Annotated[
        bool, typer.Option("--diff", help="Print what --fix would change, and write nothing; exit code 1 if anything.")
    ] = False,
    no_cache: NoCache = False,
) -> None:
    """Show the problems of a knowledge base, where they arise."""
    from evidencedesk.rule import Severity

    chosen, dropped = _codes(select), _codes(ignore)
    target = find_target(paths or [])
    workspace = open_workspace(target, no_cache)
    if fix or show_diff:
        before = apply_safe_fixes(workspace, lambda: _problems(workspace, chosen, dropped), target)
        if show_diff:
            print_diff(workspace, before, target)
            raise typer.Exit(int(bool(before)))
        write_fixed(workspace, before, target)
    problems = [problem for problem in _problems(workspace, chosen, dropped) if target.takes(problem.path)]
    if output is Format.JSON:
        _write_json(workspace, problems, target, statistics)
    else:
        _write_text(workspace, problems, target, statistics, quiet)
    faults = config_faults(workspace.snapshot, target)
    for fault in faults:
        notice(f"Configuration: {fault}")
    if faults:
        raise typer.Exit(2)
    if fail_on is not FailOn.NEVER:
        limit = Severity(fail_on.value).rank
        raise typer.Exit(int(any(problem.severity.rank <= limit for problem in problems)))


def _codes(given: Iterable[str] | None) -> tuple[str, ...]:
    """Codes or their beginnings, as given separately or with commas. Raises UnknownNameError for one without a rule."""
    from evidencedesk.rules import RULES

    codes = tuple(code.strip().upper() for text in given or () for code in text.split(",") if code.strip())
    for code in codes:
        if not any(rule.code.startswith(code) for rule in RULES):
            raise UnknownNameError(f"No rule has a code that starts with {code}.{suggestion(code)}")
    return codes


def _problems(workspace: Workspace, select: tuple[str, ...], ignore: tuple[str, ...]) -> Sequence[Problem]:
    """The problems under the configured choice of rules, or under the one made on the command line.

    Raises UnknownNameError when the choice leaves no rule.
    """
    from evidencedesk.rules import RULES
    from evidencedesk.workspace.checks import Selection, check

    snapshot = workspace.snapshot
    configured = workspace.config.selection()
    chosen = Selection(
        select=select or configured.select,
        ignore=ignore if select else (*configured.ignore, *ignore),
        severity=configured.severity,
    )
    if not any(chosen.takes(rule.code) for rule in RULES):
        raise UnknownNameError("The choice of rules (--select, --ignore and [rules] in the configuration) leaves none.")
    return snapshot.problems if chosen == configured else check(snapshot.facts, snapshot.texts, chosen)


def _write_text(workspace: Workspace, problems: Sequence[Problem], target: Target, causes: bool, quiet: bool) -> None:
    from evidencedesk.reports.statistics import statistics
    from evidencedesk.reports.summary import summarize
    from evidencedesk.reports.text import (
        Places,
        cause_lines,
        problem_lines,
        statistics_lines,
        summary_line,
        terse_lines,
    )

    snapshot = workspace.snapshot
    places = Places(snapshot.texts, target.shown)
    write(terse_lines(problems, places) if quiet else problem_lines(problems, places))
    if causes:
        write(statistics_lines(statistics(snapshot, problems, target.takes), places))
    elif not quiet and len(problems) > MANY:
        write(cause_lines(statistics(snapshot, problems, target.takes)))
    if not quiet:
        where = ", ".join(map(target.shown, target.parts))
        write([summary_line(summarize(snapshot, problems), where)])


def _write_json(workspace: Workspace, problems: Sequence[Problem], target: Target, causes: bool) -> None:
    from evidencedesk.reports.json import check_report
    from evidencedesk.reports.statistics import statistics

    snapshot = workspace.snapshot
    found = statistics(snapshot, problems, target.takes) if causes else None
    typer.echo(check_report(snapshot, problems, target.root.as_posix(), found), nl=False)
