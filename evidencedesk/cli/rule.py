"""`evidencedesk rule`: what a rule reports, and why."""

from __future__ import annotations

import sys
from operator import eq
from typing import Annotated

import typer

from evidencedesk.cli.console import show
from evidencedesk.errors import UnknownNameError

_ALIKE = 0.6


def rule(
    code: Annotated[
        str | None, typer.Argument(help="A code (ED201) or a name (answer-split); without it, all rules are listed.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="The pages of all rules as one document.")] = False,
    as_html: Annotated[bool, typer.Option("--html", help="Print a page as one HTML file.")] = False,
) -> None:
    """Explain a rule, or list all rules."""
    from evidencedesk.reports.rule_pages import html, page, reference, title
    from evidencedesk.rules import RULES

    if everything or (as_html and code is None):
        text = reference(RULES)
        typer.echo(html(text, "Rules of EvidenceDesk") if as_html else text, nl=False)
        return
    if code is None:
        for each in RULES:
            typer.echo(f"{each.code} {each.name} ({each.severity.value}): {each.summary}")
        return
    found = next((each for each in RULES if code.upper() == each.code or code.lower() == each.name), None)
    if found is None:
        raise UnknownNameError(f"There is no rule {code}.{suggestion(code)}")
    if as_html:
        typer.echo(html(page(found), title(found)), nl=False)
    elif sys.stdout.isatty():
        from rich.markdown import Markdown

        show(Markdown(page(found)))
    else:
        typer.echo(page(found), nl=False)


def suggestion(given: str) -> str:
    """What to say after an unknown code or name: the rule that it resembles most, and where all are listed."""
    from difflib import SequenceMatcher

    from evidencedesk.rules import RULES

    def likeness(name: str) -> tuple[float, int]:
        wanted = given.upper() if name.isupper() else given.lower()
        return SequenceMatcher(None, wanted, name).ratio(), sum(map(eq, wanted, name))

    known = {name: each for each in RULES for name in (each.code, each.name)}
    nearest = max(known, key=likeness)
    hint = f" Did you mean {known[nearest].code} ({known[nearest].name})?" if likeness(nearest)[0] >= _ALIKE else ""
    return f"{hint} `evidencedesk rule` lists all rules."
