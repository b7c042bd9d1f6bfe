"""Where output goes. Invariant: findings on stdout, everything else on stderr, and colour only on a terminal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.segment import Segment

WIDTH_IN_FILE = 200
"""Columns of a table that goes to a file or a pipe."""

_PATIENCE = 1.0
"""Seconds before a progress bar appears."""


def notice(text: str) -> None:
    """Tell the user something that is no finding."""
    typer.echo(text, err=True)


def write(segments: Iterable[Segment]) -> None:
    """Print pieces of styled text, lines of any length unbroken."""
    console = _console()
    if not _colored(console):
        sys.stdout.writelines(segment.text for segment in segments)
        return
    from rich.segment import Segments

    console.print(Segments(segments), end="", soft_wrap=True)


def show(renderable: RenderableType) -> None:
    """Print a table or a page."""
    _console().print(renderable)


def _console() -> Console:
    from rich.console import Console

    plain = bool(os.environ.get("NO_COLOR"))
    console = Console(
        color_system=None if plain else "auto", markup=False, emoji=False, highlight=False, soft_wrap=False
    )
    if not console.is_terminal:
        console.width = WIDTH_IN_FILE
    return console


def _colored(console: Console) -> bool:
    return console.is_terminal and console.color_system is not None


@contextmanager
def progress() -> Iterator[Callable[[str, int, int], None] | None]:
    """A callback `(step, done, total)` that draws a bar once the work has taken a second; None when nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    began = time.monotonic()
    bar = Progress(console=Console(stderr=True), transient=True)
    started = False

    def report(step: str, done: int, total: int) -> None:
        nonlocal started
        if not started and time.monotonic() - began > _PATIENCE:
            started = True
            bar.start()
        task = next((task for task in bar.tasks if task.description == step), None)
        if task:
            bar.update(task.id, completed=done)
            return
        for over in bar.task_ids:
            bar.remove_task(over)
        # A step that cannot tell how far it is only shows that it goes on.
        bar.add_task(step, completed=done, total=total if total > 1 else None)

    try:
        yield report
    finally:
        bar.stop()
