"""`evidencedesk eval`: how well the labelled questions are answered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evidencedesk.cli.check import Format
from evidencedesk.cli.console import notice, show
from evidencedesk.cli.opening import NoCache, find_target, open_configured
from evidencedesk.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from evidencedesk.workspace import Workspace


def evaluate(
    path: Annotated[Path, typer.Argument(help="The workspace, or a folder in it.", show_default=".")] = Path(),
    output: Annotated[Format, typer.Option("--format", help="How to write the report.")] = Format.TEXT,
    searchers: Annotated[
        str | None,
        typer.Option(
            help="Compare these searchers, separated by commas, in one table: "
            "sparse, dense, hybrid, two_stage, lexical, corrective."
        ),
    ] = None,
    no_cache: NoCache = False,
) -> None:
    """Show how well the labelled questions are answered.

    Hits at rank 1, 3 and 5 by tag and searcher, where answers are lost, and how unanswerable questions fare.
    """
    target = find_target([path])
    workspace = open_configured(target, no_cache)
    if not workspace.snapshot.evaluations:
        raise InputError(
            f"Nothing to evaluate in {target.root}: no labelled question there. `evidencedesk init` writes a first one."
        )
    if target.parts:
        notice("The figures are those of the whole workspace.")
    if searchers is not None:
        _compare(workspace, [name.strip() for name in searchers.split(",") if name.strip()], output)
    elif output is Format.JSON:
        from evidencedesk.reports.json import eval_report

        typer.echo(eval_report(workspace.snapshot, target.root.as_posix()), nl=False)
    else:
        from evidencedesk.reports.figures import figures
        from evidencedesk.reports.figures_text import figures_page

        facts = workspace.snapshot.facts
        show(figures_page(figures(facts.evaluations.values(), facts.contract, facts.chunking)))


def _compare(workspace: Workspace, names: list[str], output: Format) -> None:
    from evidencedesk.reports.comparison import compare, comparison_json, comparison_page

    known = workspace.searchers
    for name in names:
        if name not in known:
            raise UnknownNameError(f"There is no searcher {name}; there are {', '.join(known)}.")
    facts = workspace.snapshot.facts
    evaluations = facts.evaluations.values()
    compared = compare(evaluations, known, names or list(known), facts.catalog, facts.contract, facts.chunking)
    if output is Format.JSON:
        typer.echo(comparison_json(compared), nl=False)
    else:
        show(comparison_page(compared))
