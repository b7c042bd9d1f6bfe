"""`evidencedesk baseline`: keep how questions fare now, and see what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evidencedesk.cli.console import notice
from evidencedesk.cli.opening import Target, config_faults, find_target, open_configured
from evidencedesk.errors import ConfigError, InputError

if TYPE_CHECKING:
    from evidencedesk.retrieval.evaluation import Standing
    from evidencedesk.workspace import Workspace

app = typer.Typer(
    help="Keep how questions fare now, for later checks to compare.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_Path = Annotated[Path, typer.Argument(help="The workspace, or a folder in it.", show_default=".")]


@app.command()
def accept(path: _Path = Path()) -> None:
    """Make the present state the baseline; commit the file so that everyone compares with it."""
    _, workspace = _with_questions(path)
    workspace.accept_baseline(create=True)
    notice(f"The baseline now holds {len(workspace.snapshot.evaluations)} questions.")


@app.command()
def show(path: _Path = Path()) -> None:
    """List the questions that fare otherwise than in the baseline."""
    target, workspace = _with_questions(path)
    facts = workspace.snapshot.facts
    if faults := config_faults(workspace.snapshot, target):
        raise ConfigError(faults[0])
    if not facts.before:
        raise InputError("There is no baseline yet; `evidencedesk baseline accept` makes one.")
    now = {label_id: evaluation.standing for label_id, evaluation in facts.evaluations.items()}
    changes = list(_changes(facts.before, now))
    for change in changes:
        typer.echo(change)
    notice(f"{len(changes)} of {len(facts.before)} questions in {facts.before_name} fare otherwise now.")


def _with_questions(path: Path) -> tuple[Target, Workspace]:
    target = find_target([path])
    workspace = open_configured(target)
    if not workspace.snapshot.evaluations:
        raise InputError(f"There is no labelled question in {target.root}, so there is nothing to compare.")
    return target, workspace


def _changes(before: Mapping[str, Standing], now: Mapping[str, Standing]) -> Iterator[str]:
    for label_id, was in before.items():
        if label_id not in now:
            yield f"{label_id}: was {_standing(was)}; the question is gone"
        elif _standing(was) != _standing(now[label_id]):
            yield f"{label_id}: was {_standing(was)}; is {_standing(now[label_id])}"
    for label_id in now.keys() - before.keys():
        yield f"{label_id}: new; is {_standing(now[label_id])}"


def _standing(standing: Standing) -> str:
    if not standing.whole:
        return "split across chunks"
    if standing.rank is None:
        return "not found"
    return f"at rank {standing.rank}" + ("" if standing.in_context else ", dropped before the prompt")
