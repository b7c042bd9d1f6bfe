"""What changed on disk, for clients that do not watch. Invariant: looks only where the workspace itself looks."""

from __future__ import annotations

from pathlib import Path

from evidencedesk.workspace import Workspace
from evidencedesk.workspace.baseline import BASELINE_PATH
from evidencedesk.workspace.config import CONFIG_NAMES
from evidencedesk.workspace.files import discover

_Stamp = tuple[int, int]


class DiskPoll:
    """Compares modification times and sizes of a workspace's files with those of the last look."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._stamps = self._look()

    def changed(self) -> set[str]:
        """Paths that appeared, changed or are gone since the last look."""
        before, self._stamps = self._stamps, self._look()
        return {path for path, _ in before.items() ^ self._stamps.items()}

    def _look(self) -> dict[str, _Stamp]:
        root = self._workspace.root
        found = discover(root, self._workspace.config)
        paths = (*found.documents, *found.label_files, *found.run_files, *CONFIG_NAMES, BASELINE_PATH)
        return {path: stamp for path in paths if (stamp := _stamp(root / path)) is not None}


def _stamp(path: Path) -> _Stamp | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
