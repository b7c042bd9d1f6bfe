"""What `.gitignore` files leave out. Invariant: as git decides it, folder by folder from the root down.

pathspec turns patterns into regular expressions; which of them decides is settled here, because git asks about a folder
before it looks inside, and pathspec about whole paths only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pathspec import GitIgnoreSpec
from pathspec.pattern import RegexPattern

from evidencedesk.text.decode import decode


class _Pattern(NamedTuple):
    regex: re.Pattern[str]
    ignores: bool
    folders_only: bool

    def fits(self, path: str, is_folder: bool) -> bool:
        if self.folders_only and not is_folder:
            return False
        match = self.regex.search(path)
        # The group takes part when the pattern fits a folder above, which has been asked about already.
        return match is not None and not match.groupdict().get("ps_d")


class Patterns:
    """The patterns of one ignore file; those that cannot be read are passed over, as git does."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._patterns = [pattern for line in lines for pattern in _compile(line)]

    def ignore(self, path: str, is_folder: bool) -> bool | None:
        """Whether a path, relative to the file's folder, is ignored; None when no pattern fits. Its folders are not."""
        for pattern in reversed(self._patterns):
            if pattern.fits(path, is_folder):
                return pattern.ignores
        return None


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The `.gitignore` files that apply in a folder, outermost first, each with its folder (`""` or ending in `/`)."""

    files: tuple[tuple[str, Patterns], ...] = ()

    def inside(self, root: Path, folder: str) -> IgnoreRules:
        """These rules with those of `folder` added."""
        try:
            lines = decode((root / folder / ".gitignore").read_bytes()).text.splitlines()
        except OSError:
            return self
        return IgnoreRules((*self.files, (folder, Patterns(lines))))

    def ignore(self, path: str, is_folder: bool) -> bool:
        """Whether a path is ignored; the innermost file with an opinion decides. Its folders are not ignored."""
        for folder, patterns in reversed(self.files):
            decision = patterns.ignore(path[len(folder) :], is_folder)
            if decision is not None:
                return decision
        return False


def _compile(line: str) -> Iterable[_Pattern]:
    line = line if line.endswith("\\ ") else line.rstrip(" ")
    try:
        patterns = GitIgnoreSpec.from_lines([line.removesuffix("/")]).patterns
    except ValueError:
        return
    for pattern in patterns:
        if isinstance(pattern, RegexPattern) and pattern.regex is not None and pattern.include is not None:
            yield _Pattern(pattern.regex, pattern.include, line.endswith("/"))
