"""`evidencedesk run`: ask every labelled question and record what came of it."""

from __future__ import annotations

import hashlib
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evidencedesk.cli.console import notice
from evidencedesk.cli.opening import NoCache, find_target, open_configured
from evidencedesk.errors import InputError

if TYPE_CHECKING:
    from evidencedesk.workspace import Workspace

FOLDER = "runs"
"""Where runs are kept in a workspace, unless the user says otherwise."""


def run(
    path: Annotated[Path, typer.Argument(help="The workspace, or a folder in it.", show_default=".")] = Path(),
    out: Annotated[
        Path | None,
        typer.Option(help="The file for the records; a new one in runs/ of the workspace unless given."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a file: skip what it holds already. The newest unless --out.")
    ] = False,
    no_cache: NoCache = False,
) -> None:
    """Ask every labelled question and record rankings, prompts and what they cover, one JSON line a question."""
    from evidencedesk.reports.run_text import totals
    from evidencedesk.reports.summary import number
    from evidencedesk.retrieval.label_runs import record_of, run_config
    from evidencedesk.retrieval.run_folder import RunLog

    target = find_target([path])
    workspace = open_configured(target, no_cache)
    facts = workspace.snapshot.facts
    if not facts.evaluations:
        raise InputError(f"There is no labelled question in {target.root}, so there is nothing to run.")
    file = out or (_newest(target.root) if resume else _new(target.root))
    if not resume and file.exists() and file.stat().st_size:
        raise InputError(f"{file} already holds records; --resume goes on with it, another --out starts anew.")
    log = RunLog(file)
    if log.note:
        notice(log.note)
    config = run_config(facts.contract, facts.chunking, facts.catalog.chunks)
    run_id, done = _done(list(log.rows()), workspace, config)
    versions = {
        name: hashlib.sha256(labels.text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        for name, labels in facts.label_files.items()
    }
    written = 0
    for label_id, evaluation in facts.evaluations.items():
        if label_id not in done:
            record = record_of(evaluation, config, run_id, versions[evaluation.source.path])
            log.append(record)
            written += 1
    last = {row["test_id"]: row for row in log.rows() if row.get("test_id") in facts.evaluations}
    for line in totals(list(last.values())):
        typer.echo(line)
    shown = target.shown(file.resolve().relative_to(target.root).as_posix()) if _is_below(file, target.root) else file
    skipped = f"; {len(done)} were there already" if done else ""
    notice(f"Wrote {number(written, 'record')} of run {run_id} to {shown}{skipped}.")


def _done(rows: list[dict[str, Any]], workspace: Workspace, config: dict[str, Any]) -> tuple[str, set[str]]:
    """The run to go on with, and the labels whose last record would come out the same; tells why others would not."""
    from evidencedesk.retrieval.label_runs import contract_hash, same_run

    evaluations = workspace.snapshot.evaluations
    last = {row["test_id"]: row for row in rows if row.get("test_id") in evaluations}
    other = {label_id for label_id, row in last.items() if not same_run(row, config)}
    changed = {
        label_id
        for label_id, row in last.items()
        if row.get("contract_hash") != contract_hash(evaluations[label_id].label)
    }
    if changed:
        names = ", ".join(sorted(changed)[:5]) + (f" and {len(changed) - 5} more" if len(changed) > 5 else "")
        notice(f"The contract changed since for {names}: asked again, not comparable with the older records.")
    if other:
        notice(
            f"Asked again, as a run of its own, for other settings or pages now: {len(other)} of {len(last)} records."
        )
    run_id = str(rows[-1]["run_id"]) if rows and rows[-1].get("run_id") and not other else uuid.uuid4().hex
    return run_id, set(last) - other - changed


def _new(root: Path) -> Path:
    return root / FOLDER / f"{datetime.now(UTC):%Y%m%d-%H%M%S}.runs.jsonl"


def _newest(root: Path) -> Path:
    from evidencedesk.retrieval.run_file import is_run_file

    folder = root / FOLDER
    files = [file for file in folder.iterdir() if is_run_file(file.name)] if folder.is_dir() else []
    if not files:
        raise InputError(f"There is no run in {folder} to go on with.")
    return max(files, key=lambda file: (file.stat().st_mtime_ns, file.name))


def _is_below(file: Path, root: Path) -> bool:
    return file.resolve().is_relative_to(root)
