"""`check --fix` and `--diff`. Invariant: a file is written as it was encoded, and only if it is as it was read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import unified_diff
from typing import TYPE_CHECKING

import typer

from evidencedesk.cli.console import notice
from evidencedesk.errors import InputError

if TYPE_CHECKING:
    from evidencedesk.cli.opening import Target
    from evidencedesk.rule import Problem
    from evidencedesk.workspace import Workspace

_ROUNDS = 10
"""A fix may make another one possible; nothing sensible takes longer."""


def apply_safe_fixes(workspace: Workspace, problems: Callable[[], Sequence[Problem]], target: Target) -> dict[str, str]:
    """Apply safe fixes to the state of the workspace, not to the disk; returns the texts that changed, as they were."""
    from evidencedesk.refactoring.fixing import edits_of, safe_fixes
    from evidencedesk.text.spans import apply_edits
    from evidencedesk.workspace import Change

    before = dict(workspace.snapshot.texts)
    for _ in range(_ROUNDS):
        fixes = safe_fixes((one for one in problems() if target.takes(one.path)), target.takes)
        if not fixes:
            break
        texts = workspace.snapshot.texts
        edits = edits_of(fixes)
        workspace.apply([Change(path, apply_edits(texts.get(path, ""), found)) for path, found in edits.items()])
    after = workspace.snapshot.texts
    return {path: text for path, text in before.items() if path in after and after[path] != text}


def diff(workspace: Workspace, before: Mapping[str, str], target: Target) -> Iterator[str]:
    """What fixing changes, as a unified diff."""
    for path, text in sorted(before.items()):
        old, new = (one.splitlines(keepends=True) for one in (text, workspace.snapshot.texts[path]))
        for line in unified_diff(old, new, target.shown(path), target.shown(path)):
            yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def write_fixed(workspace: Workspace, before: Mapping[str, str], target: Target) -> None:
    """Write the changed texts to their files, which are read again to see that nobody changed them meanwhile.

    Raises InputError when a file cannot be written; those before it are.
    """
    from evidencedesk.text.decode import decode, encode_like

    written = 0
    for path, text in sorted(before.items()):
        file = workspace.root / path
        try:
            data = file.read_bytes()
            encoded = encode_like(data, workspace.snapshot.texts[path])
            if encoded is None or decode(data).text != text:
                why = "it holds bytes that are no text" if encoded is None else "it has changed meanwhile"
                notice(f"{target.shown(path)} was not fixed: {why}.")
                continue
            file.write_bytes(encoded)
            written += 1
        except OSError as error:
            raise InputError(f"{target.shown(path)} could not be written ({error.strerror}).") from error
    notice(f"Fixed {written} {'file' if written == 1 else 'files'}." if before else "There was nothing to fix safely.")


def print_diff(workspace: Workspace, before: Mapping[str, str], target: Target) -> None:
    """Print what fixing would change."""
    for line in diff(workspace, before, target):
        typer.echo(line, nl=False)
    count = len(before)
    notice(f"{count} {'file' if count == 1 else 'files'} would be fixed." if before else "Nothing to fix safely.")
