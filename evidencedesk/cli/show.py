"""`evidencedesk show`: read run records as a person would."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evidencedesk.cli.opening import find_target, open_workspace
from evidencedesk.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from evidencedesk.retrieval.run_file import RunFile, RunLine


def show(
    file: Annotated[Path, typer.Argument(help="A run file.")],
    name: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", help="A label's id, or the id of a record; all in short unless given."),
    ] = None,
    path: Annotated[
        Path | None, typer.Option(help="The workspace to replay the question in; that of the file unless given.")
    ] = None,
) -> None:
    """Show the records of a run, or one of them: question, ranking, filter, prompt, configuration, contract.

    One record is also replayed: whether its question still has the same ranking, and still expects the same.
    """
    from evidencedesk.reports.run_text import overview_lines, record_lines
    from evidencedesk.retrieval.run_file import parse_run_file
    from evidencedesk.text.decode import decode
    from evidencedesk.text.spans import LineIndex

    try:
        text = decode(file.read_bytes()).text
    except OSError as error:
        raise InputError(f"{file} cannot be read ({error.strerror}).") from error
    runs = parse_run_file(file.name, text)
    lines = LineIndex(text)
    for defect in runs.defects:
        typer.echo(f"{file}:{lines.line_of(defect.span.start) + 1}: {defect.message}", err=True)
    if not runs.lines:
        raise InputError(f"{file} holds no run record.")
    if name is None:
        shown = overview_lines([line.record for line in runs.lines])
    else:
        line = _find(runs, name)
        shown = record_lines(line.record, _since(line, path or file))
    for each in shown:
        typer.echo(each)


def _find(runs: RunFile, name: str) -> RunLine:
    """The record with this id, else the last of this label."""
    found = [line for line in runs.lines if name in (line.record.get("result_id"), line.test_id)]
    if not found:
        from evidencedesk.text.nearest import Names

        near = Names(tuple({line.test_id: None for line in runs.lines})).nearest(name)
        raise UnknownNameError(
            f"There is no record of {name} in the file." + (f" Did you mean {near}?" if near else "")
        )
    return found[-1]


def _since(line: RunLine, place: Path) -> Iterator[str]:
    """What became of the question since."""
    from evidencedesk.retrieval.label_runs import MODE, contract_hash, difference

    yield ""
    try:
        facts = open_workspace(find_target([place])).snapshot.facts
    except InputError as error:
        yield f"Not replayed: {error}"
        return
    evaluation = facts.evaluations.get(line.test_id)
    if evaluation is None:
        yield f"Not replayed: no label there has the id {line.test_id}."
        return
    if line.record.get("mode") == MODE:
        same = line.record.get("contract_hash") == contract_hash(evaluation.label)
        yield "Contract now: " + ("unchanged" if same else "changed; the figures above are of another question")
    settings = facts.contract.settings_text(facts.chunking)
    if (line.record.get("config") or {}).get("settings") not in (None, settings):
        yield f"Settings now: {settings}"
    yield f"Replayed now: {difference(line.record, evaluation) or 'the same ranking'}"
