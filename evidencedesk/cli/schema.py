"""`evidencedesk schema`: JSON schemas for editors and for readers of the reports."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer


class Subject(StrEnum):
    """What a schema describes."""

    CONFIG = "config"
    CHECK = "check"
    EVAL = "eval"


def schema(
    subject: Annotated[
        Subject, typer.Argument(help="The configuration file, or the report of a command.")
    ] = Subject.CONFIG,
) -> None:
    """Print the JSON schema of the configuration or a report."""
    if subject is Subject.CONFIG:
        from evidencedesk.workspace.config import config_schema

        described = config_schema()
    else:
        from evidencedesk.reports.models import CheckReport, EvalReport

        model = CheckReport if subject is Subject.CHECK else EvalReport
        described = model.model_json_schema(mode="serialization")
    typer.echo(json.dumps(described, indent=2, ensure_ascii=False))
