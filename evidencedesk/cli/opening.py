"""From the paths a user names to an open workspace. Invariant: a path that leads to nothing is an error."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evidencedesk.cli.console import notice, progress
from evidencedesk.errors import ConfigError, InputError

if TYPE_CHECKING:
    from evidencedesk.workspace import Workspace
    from evidencedesk.workspace.snapshot import Snapshot

NO_CACHE = "EVIDENCEDESK_NO_CACHE"
"""The environment variable that switches the cache off for every command."""


@dataclass(frozen=True, slots=True)
class Target:
    """A workspace and the parts of it to report on: paths relative to `root`, none for all of it."""

    root: Path
    parts: tuple[str, ...] = ()

    def takes(self, path: str) -> bool:
        """Whether a path of the workspace lies in the parts."""
        return not self.parts or any(path == part or path.startswith(f"{part}/") for part in self.parts)

    def shown(self, path: str) -> str:
        """A path of the workspace as it can be opened from here: relative below the current folder, else absolute."""
        full = self.root / path
        here = Path.cwd()
        return str(full.relative_to(here) if full.is_relative_to(here) else full)


def find_target(paths: Sequence[Path]) -> Target:
    """The workspace that the paths lie in: the nearest folder upwards with a configuration or a `.git`, else the
    folder itself. Raises InputError for a missing path and for paths of different workspaces."""
    full = [Path(os.path.abspath(path)) for path in paths or [Path()]]  # noqa: PTH100 (keeps links as the user wrote them)
    for path, given in zip(full, paths, strict=False):
        if not path.exists():
            raise InputError(f"{given} does not exist.")
    roots = {path: _root_of(path) for path in full}
    if len(set(roots.values())) > 1:
        named = " and ".join(str(root) for root in dict.fromkeys(roots.values()))
        raise InputError(f"The paths belong to different workspaces ({named}). Check one workspace at a time.")
    root = roots[full[0]]
    if root in full:
        return Target(root)
    notice(f"Workspace: {root}")
    return Target(root, tuple(path.relative_to(root).as_posix() for path in full))


NoCache = Annotated[
    bool,
    typer.Option("--no-cache", help=f"Compute everything anew and keep nothing on disk, as {NO_CACHE}=1 does."),
]


def open_workspace(target: Target, no_cache: bool = False) -> Workspace:
    """The workspace of a target, evaluated. Raises InputError when it, or a part asked for, holds nothing to check."""
    from evidencedesk.workspace import Workspace

    with progress() as report:
        cache = not (no_cache or os.environ.get(NO_CACHE))
        workspace = Workspace.open(target.root, progress=report, cache=cache)
    for note in workspace.notes:
        notice(note)
    snapshot = workspace.snapshot
    facts = snapshot.facts
    if not facts.documents and not facts.label_files and not facts.config_defects:
        raise InputError(
            f"Nothing to check in {target.root}: no Markdown document (.md, .markdown, .mdx) and no label file there "
            "that is not ignored. Run `evidencedesk init --sample DIR` to see an example."
        )
    for part in target.parts:
        only = Target(target.root, (part,))
        if not any(map(only.takes, snapshot.texts)):
            raise InputError(
                f"Nothing to check in {target.root / part}: no document or label file of the workspace {target.root}. "
                "Is it ignored or excluded?"
            )
    return workspace


def open_configured(target: Target, no_cache: bool = False) -> Workspace:
    """Like `open_workspace`. Raises ConfigError when the configuration has a fault, since figures would mislead.

    A damaged baseline is no reason: no figure depends on it.
    """
    from evidencedesk.workspace.baseline import BASELINE_PATH

    workspace = open_workspace(target, no_cache)
    if faults := config_faults(workspace.snapshot, target, but_not=BASELINE_PATH):
        raise ConfigError(faults[0])
    return workspace


def config_faults(snapshot: Snapshot, target: Target, but_not: str = "") -> list[str]:
    """What is wrong with the configuration and the baseline, a sentence with its place each; not in file `but_not`."""
    from evidencedesk.text.spans import LineIndex

    faults = []
    for defect in snapshot.facts.config_defects:
        if defect.path == but_not:
            continue
        place = LineIndex(snapshot.texts.get(defect.path, "")).position(defect.span.start)
        faults.append(f"{target.shown(defect.path)}:{place.line + 1}:{place.column + 1}: {defect.message}")
    return faults


def _root_of(path: Path) -> Path:
    from evidencedesk.workspace.files import find_config

    start = path if path.is_dir() else path.parent
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 (never fails, even without a home)
    for folder in (start, *start.parents):
        if folder != start and folder == home:
            break
        if find_config(folder) or (folder / ".git").exists():
            return folder
    return start
