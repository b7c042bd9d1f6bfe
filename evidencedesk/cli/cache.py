"""`evidencedesk cache`: what is kept on disk between runs, and how to be rid of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evidencedesk.cli.console import notice
from evidencedesk.cli.opening import find_target

app = typer.Typer(
    help="See or remove what is kept between runs so that large folders open at once.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_Path = Annotated[Path, typer.Argument(metavar="DIR", help="The workspace, or a folder in it.", show_default=".")]


@app.command()
def info(path: _Path = Path()) -> None:
    """Show where the cache of a workspace is and how large it is."""
    from evidencedesk.workspace.cache import usage

    root = find_target([path]).root.resolve()
    held = usage(root)
    for one in held:
        others = f", of which {one.others} of other versions" if one.others else ""
        typer.echo(f"{one.folder}: {_size(one.size)} in {_files(one.packs + one.others)}{others}")
    if not held:
        notice(f"There is no cache of {root}.")


@app.command()
def clear(path: _Path = Path()) -> None:
    """Remove the cache of a workspace; it is made anew when it is needed."""
    from evidencedesk.workspace.cache import clear

    root = find_target([path]).root.resolve()
    held = clear(root)
    for one in held:
        notice(f"Removed {one.folder} ({_size(one.size)}).")
    if not held:
        notice(f"There is no cache of {root}.")


def _size(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _files(count: int) -> str:
    return f"{count} file" if count == 1 else f"{count} files"
