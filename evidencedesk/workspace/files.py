"""The files of a workspace on disk. Invariant: nothing outside the root is read, and nothing in ignored folders.

Documents are Markdown files; label files are JSON files whose content is a label list; run files are known by their
name. None are those that a `.gitignore` of any folder excludes, that lie in hidden folders or `node_modules`, or that
are symbolic links: what a link inside the root points to is read in its own place.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pathspec import GitIgnoreSpec

from evidencedesk.errors import InputError
from evidencedesk.retrieval.label_file import looks_like_labels
from evidencedesk.retrieval.run_file import is_run_file
from evidencedesk.text.decode import decode
from evidencedesk.text.spans import Span
from evidencedesk.workspace.baseline import BASELINE_PATH
from evidencedesk.workspace.config import CONFIG_NAMES, Config, holds_config
from evidencedesk.workspace.ignore import IgnoreRules, Patterns

MAX_BYTES = 20_000_000
"""A larger file is no page and no label list; it is not read, and that is said."""

Kind = Literal["document", "labels", "runs", "config", "baseline", "ignore"]

_DOCUMENT_ENDINGS = (".md", ".markdown", ".mdx")
_LABEL_ENDINGS = (".json", ".jsonl")
_HEAD_BYTES = 8192


@dataclass(frozen=True, slots=True)
class Source:
    """A file as read: its text, the spans of undecodable bytes in it, and why it could not be read ("" when it was)."""

    path: str
    text: str
    bad: tuple[Span, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """What a workspace consists of, in path order; `notes` are sentences about what could not be looked at."""

    documents: tuple[str, ...]
    label_files: tuple[str, ...]
    run_files: tuple[str, ...]
    notes: tuple[str, ...]


def check_root(root: Path) -> Path:
    """The real path of a folder that may be a workspace. Raises InputError, also for a home directory or a drive."""
    if not root.exists():
        raise InputError(f"{root} does not exist.")
    if not root.is_dir():
        raise InputError(f"{root} is not a folder.")
    real = root.resolve()
    try:
        home = Path.home().resolve()
    except (OSError, RuntimeError):
        home = real / "?"
    if real == real.parent or home.is_relative_to(real):
        raise InputError(f"{real} holds much more than a knowledge base. Open the folder of the documents instead.")
    return real


def discover(root: Path, config: Config) -> Found:
    """All documents, label files and run files under `root`."""
    choice = _Choice(config)
    documents: list[str] = []
    label_files: list[str] = []
    run_files: list[str] = []
    notes: list[str] = []
    for path in _walk(root, choice, notes):
        if choice.is_document(path):
            documents.append(path)
        elif is_run_file(path):
            run_files.append(path)
        elif choice.may_hold_labels(path) and (choice.label_patterns or looks_like_labels(path, _head(root, path))):
            label_files.append(path)
    return Found(tuple(sorted(documents)), tuple(sorted(label_files)), tuple(sorted(run_files)), tuple(sorted(notes)))


def kind_of(root: Path, config: Config, path: str, text: str) -> Kind | None:
    """What a single file with this text is to the workspace; None: nothing. It need not be on disk.

    "ignore" is a `.gitignore`: it may change what everything else is.
    """
    if path in CONFIG_NAMES:
        return "config"
    if path == BASELINE_PATH:
        return "baseline"
    *folders, name = path.split("/")
    choice = _Choice(config)
    kind: Kind
    if name == ".gitignore":
        kind = "ignore"
    elif choice.is_document(path):
        kind = "document"
    elif is_run_file(path):
        kind = "runs"
    elif choice.may_hold_labels(path) and (choice.label_patterns or looks_like_labels(path, text[:_HEAD_BYTES])):
        kind = "labels"
    else:
        return None
    rules = IgnoreRules()
    folder = ""
    for part in folders:
        rules = rules.inside(root, folder)
        inner = folder + part
        if _is_skipped(part, is_folder=True) or _is_link(root / inner) or choice.excludes(inner, True, rules):
            return None
        folder = f"{inner}/"
    if kind == "ignore":
        return kind
    rules = rules.inside(root, folder)
    if _is_skipped(name, is_folder=False) or _is_link(root / path) or choice.excludes(path, False, rules):
        return None
    return kind


def read_source(root: Path, path: str) -> Source:
    """The text of a file under `root`; one that cannot be read has no text, and an error that says why.

    `root` is a real path, as `check_root` returns it.
    """
    full = root / path
    try:
        if not full.resolve().is_relative_to(root):
            return Source(path, "", error="the file lies outside the workspace")
        status = full.stat()
        if not stat.S_ISREG(status.st_mode):
            return Source(path, "", error="this is not a regular file")
        if status.st_size > MAX_BYTES:
            size, limit = round(status.st_size / 1e6), MAX_BYTES // 1_000_000
            return Source(path, "", error=f"the file has {size} MB; files over {limit} MB are not read")
        decoded = decode(full.read_bytes())
    except FileNotFoundError:
        return Source(path, "", error="the file is no longer there")
    except PermissionError:
        return Source(path, "", error="there is no permission to read the file")
    except (OSError, ValueError) as error:
        return Source(path, "", error=f"the file could not be read ({getattr(error, 'strerror', None) or error})")
    return Source(path, decoded.text, decoded.bad)


def find_config(root: Path) -> Source | None:
    """The file that configures the workspace, if there is one; it may be unreadable."""
    for name in CONFIG_NAMES:
        if (root / name).is_file():
            source = read_source(root, name)
            if holds_config(name, source.text):
                return source
    return None


class _Choice:
    """What the configuration says about paths."""

    def __init__(self, config: Config) -> None:
        self.included = GitIgnoreSpec.from_lines(config.documents.include)
        self.excluded = Patterns(config.documents.exclude)
        self.label_patterns = config.labels.include
        self.labels = GitIgnoreSpec.from_lines(config.labels.include)
        self.takes_all = not config.documents.include

    def is_document(self, path: str) -> bool:
        return path.lower().endswith(_DOCUMENT_ENDINGS) and (self.takes_all or self.included.match_file(path))

    def may_hold_labels(self, path: str) -> bool:
        return path.lower().endswith(_LABEL_ENDINGS) and (not self.label_patterns or self.labels.match_file(path))

    def excludes(self, path: str, is_folder: bool, rules: IgnoreRules) -> bool:
        return rules.ignore(path, is_folder) or self.excluded.ignore(path, is_folder) is True


def _walk(root: Path, choice: _Choice, notes: list[str]) -> Iterator[str]:
    """Paths of the files that nothing excludes."""
    work: list[tuple[str, IgnoreRules]] = [("", IgnoreRules())]
    while work:
        folder, rules = work.pop()
        try:
            with os.scandir(root / folder) as listing:
                entries = list(listing)
        except OSError as error:
            notes.append(f"The folder {folder or root} could not be read ({error.strerror}).")
            continue
        if any(entry.name == ".gitignore" for entry in entries):
            rules = rules.inside(root, folder)
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if _is_skipped(entry.name, is_folder=is_folder):
                continue
            path = folder + entry.name
            if not is_folder and not (
                path.lower().endswith(_DOCUMENT_ENDINGS + _LABEL_ENDINGS) and entry.is_file(follow_symlinks=False)
            ):
                continue
            if choice.excludes(path, is_folder, rules):
                continue
            if not _is_text(entry.name):
                shown = os.fsencode(path).decode("utf-8", "replace")
                notes.append(f"{shown} was passed over: its name is not valid UTF-8.")
            elif is_folder:
                work.append((f"{path}/", rules))
            else:
                yield path


def _is_skipped(name: str, *, is_folder: bool) -> bool:
    # Hidden files are left-overs of editors and systems, such as `.#page.md` and `._page.md`.
    return name.startswith(".") or (is_folder and name == "node_modules")


def _is_link(path: Path) -> bool:
    try:
        return stat.S_ISLNK(path.lstat().st_mode)
    except (OSError, ValueError):
        return False


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _head(root: Path, path: str) -> str:
    try:
        with (root / path).open("rb") as file:
            return decode(file.read(_HEAD_BYTES)).text
    except OSError:
        return ""
