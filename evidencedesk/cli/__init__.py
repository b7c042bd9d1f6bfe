"""The command line, one command per file. Invariant: a run that could not do its work never ends with exit code 0.

Exit codes: 0 clean, 1 problems at or above `--fail-on`, 2 could not run.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from evidencedesk.cli import baseline, cache, check, evaluate, init, rule, run, schema, search, show
from evidencedesk.errors import EvidenceDeskError

COULD_NOT_RUN = 2

app = typer.Typer(
    name="evidencedesk",
    help="Shows, at the sentence that causes it, why retrieval will not find an answer in a knowledge base.",
    epilog="Exit codes: 0 clean, 1 problems found, 2 could not run.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("check")(check.check)
app.command("search")(search.search)
app.command("eval")(evaluate.evaluate)
app.command("run")(run.run)
app.command("show")(show.show)
app.command("rule")(rule.rule)
app.command("init")(init.init)
app.add_typer(baseline.app, name="baseline")
app.add_typer(cache.app, name="cache")
app.command("schema")(schema.schema)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"evidencedesk {version('evidencedesk')}")
        except PackageNotFoundError:
            typer.echo("evidencedesk (running from its source, not installed)")
        raise typer.Exit


@app.callback()
def _options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the full trace of an internal error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (`sys.argv` unless given) and return its exit code; the one place that handles errors."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    _never_fail_on_encoding()
    try:
        code = _run(given)
        sys.stdout.flush()
        return code
    except EvidenceDeskError as error:
        return _could_not_run(f"evidencedesk: {error}")
    except BrokenPipeError:
        # Whoever read the output has left; without this the interpreter complains when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if "--debug" in given:
            traceback.print_exc()
        return _could_not_run(
            f"evidencedesk: internal error ({type(error).__name__}: {error}). The fault is in EvidenceDesk, not "
            "in your files. Please report it with the output of `evidencedesk --debug …` and the same arguments."
        )


def _run(arguments: list[str]) -> int:
    try:
        app(arguments, prog_name="evidencedesk")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else COULD_NOT_RUN
    return 0


def _never_fail_on_encoding() -> None:
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="backslashreplace")


def _could_not_run(message: str) -> int:
    typer.echo(message, err=True)
    return COULD_NOT_RUN
