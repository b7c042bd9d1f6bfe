"""`evidencedesk rule`: what a rule reports, and why."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from evidencedesk.cli.console import show
from evidencedesk.errors import UnknownNameError

if TYPE_CHECKING:
    from evidencedesk.rule import Rule


def rule(
    code: Annotated[
        str | None, typer.Argument(help="A code (ED201) or a name (answer-split); without it, all rules are listed.")
    ] = None,
) -> None:
    """Explain a rule, or list all rules."""
    from evidencedesk.rules import RULES

    if code is None:
        for each in RULES:
            typer.echo(f"{each.code} {each.name} ({each.severity.value}): {each.summary}")
        return
    found = next((each for each in RULES if code.upper() == each.code or code.lower() == each.name), None)
    if found is None:
        raise UnknownNameError(f"There is no rule {code}.{_nearest(code, RULES)} `evidencedesk rule` lists all rules.")
    page = (
        f"# {found.code} {found.name}\n\nSeverity: {found.severity.value}. Stage: {found.stage}."
        f"{' Repairs are offered in the editor.' if found.fix else ''}\n\n{found.docs}\n"
    )
    if sys.stdout.isatty():
        from rich.markdown import Markdown

        show(Markdown(page))
    else:
        typer.echo(page, nl=False)


def _nearest(given: str, rules: tuple[Rule, ...]) -> str:
    from difflib import get_close_matches

    known = {name: each for each in rules for name in (each.code, each.name)}
    near = get_close_matches(given.upper(), known, n=1) or get_close_matches(given.lower(), known, n=1)
    return f" Did you mean {known[near[0]].code} ({known[near[0]].name})?" if near else ""
