"""A folder that the client has open: not read yet, or evaluated. Invariant: what it says is about its newest buffers.

Before its workspace is there (it is being read, its reading was stopped, or there is no folder at all around an unsaved
document) it says what it had when it was evaluated last, if all of its texts are the same, and of open documents that
differ, or else of all, what they have by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path

from evidencedesk.rule import Problem
from evidencedesk.workspace import Change, Workspace
from evidencedesk.workspace.alone import config_of, problems_alone
from evidencedesk.workspace.config import Config
from evidencedesk.workspace.files import Source, check_root, kind_of, read_source
from evidencedesk_server.disk_poll import DiskPoll
from evidencedesk_server.messages import FileChange, FilePatch, Style
from evidencedesk_server.rendering import FolderView


class KnownFolder:
    """One folder. `behind`: an evaluation was given up or failed: the snapshot is not about the newest texts."""

    def __init__(self, folder: str, style: Style, takes: Callable[[str], bool]) -> None:
        self.folder = folder
        self.view = FolderView(folder, style, takes)
        self.workspace: Workspace | None = None
        self.behind = False
        self.was_told = False
        """Whether anything was ever said of it."""
        self._root: Path | None = None
        self._config = Config()
        self._tells_alone = False
        self._is_dead = False
        self._buffers: dict[str, str] = {}
        self._alone: dict[str, tuple[str, Sequence[Problem]]] = {}
        self._unheard: dict[str, Change] = {}
        self._recalled: tuple[Sequence[Problem], Mapping[str, str]] | None = None
        self._poll: DiskPoll | None = None

    @property
    def is_silent(self) -> bool:
        """Whether there is nothing to say of it yet; what the client knows from before stays."""
        return self.workspace is None and not self._tells_alone and not self._is_dead and self._recalled is None

    @property
    def polls(self) -> bool:
        """Whether its disk is to be looked at."""
        return self._poll is not None

    def begin(self, root: str, defaults: Config, changes: Iterable[FileChange], *, tells_alone: bool) -> None:
        """Get ready to be read; without a `root` it never is. Raises InputError for a root that may not be a workspace.

        With `tells_alone` it says at once what the open documents have by themselves.
        """
        self._is_dead = False
        self._buffers.update((change["path"], change["text"]) for change in changes if change["text"] is not None)
        self._root = check_root(Path(root)) if root else None
        self._config = config_of(self._root, defaults) if self._root else defaults
        self._tells_alone = tells_alone

    def recall(self, problems: Sequence[Problem], texts: Mapping[str, str]) -> None:
        """Say meanwhile what it had when it was evaluated last: `problems` in path order, which stand in `texts`."""
        self._recalled = problems, texts

    def opened(self, workspace: Workspace, *, polls: bool) -> None:
        """Take over its workspace, with the texts of open documents that differ from the disk's."""
        self.workspace, self._recalled = workspace, None
        self._poll = DiskPoll(workspace) if polls else None
        self.apply(FileChange(folder=self.folder, path=path, text=text, span=None) for path, text in self._held())

    def failed(self) -> None:
        """It cannot be read: it has no problems, whatever was said before."""
        self.workspace, self._poll, self._recalled, self._is_dead = None, None, None, True

    def apply(self, changes: Iterable[FileChange]) -> None:
        """Take over buffers, and read again from disk what has no buffer (any more).

        Nothing is evaluated for a text that is evaluated already: opening and closing files is free. The workspace
        hears of such a buffer with the next real change.
        """
        buffers: list[Change] = []
        on_disk: list[str] = []
        for change in changes:
            path, text = change["path"], change["text"]
            self._unheard.pop(path, None)
            if text is None:
                self._buffers.pop(path, None)
                on_disk += [path] if self._differs_on_disk(path) else []
            else:
                self._buffers[path] = text
                if not self.behind and self.workspace and self.workspace.snapshot.texts.get(path) == text:
                    self._unheard[path] = Change(path, text)
                else:
                    buffers.append(Change(path, text))
        if self.workspace is not None and (buffers or on_disk or self.behind):
            self.behind = True
            if buffers or not on_disk:
                self.workspace.apply([*self._unheard.values(), *buffers])
                self._unheard.clear()
            if on_disk:
                self.workspace.refresh(on_disk)
            self.behind = False

    def look_at_disk(self) -> bool:
        """Take over what changed on disk since the last look, but for open documents; whether anything did."""
        changed = self._poll.changed() - self._buffers.keys() if self._poll is not None else set()
        if changed and self.workspace is not None:
            self.behind = True
            self.workspace.refresh(sorted(changed))
            self.behind = False
        return bool(changed)

    def answers(self, spellings: Mapping[str, str]) -> list[FilePatch]:
        """What differs from what was said last; `spellings` are the client's URIs of open documents, by path."""
        if self.is_silent:
            return []
        self.was_told = True
        if self.workspace is not None:
            return self.view.answers(self.workspace.snapshot.problems, self.workspace.snapshot.texts, spellings)
        problems, texts = self._recalled or ((), {})
        buffers = {} if self._is_dead else {path: text for path, text in self._held() if texts.get(path) != text}
        said = [one for one in problems if buffers.keys().isdisjoint({one.path, *(at.path for at in one.related)})]
        said += [problem for path in buffers for problem in self._problems_alone(path)]
        return self.view.answers(sorted(said, key=_path), {**texts, **buffers}, spellings)

    def _held(self) -> list[tuple[str, str]]:
        return sorted(self._buffers.items())

    def _problems_alone(self, path: str) -> Sequence[Problem]:
        text = self._buffers[path]
        known = self._alone.get(path)
        if known is None or known[0] != text:
            kind = kind_of(self._root, self._config, path, text) if self._root else "document"
            found: Sequence[Problem] = ()
            if kind == "document" or kind == "labels" or kind == "runs":
                found = problems_alone(Source(path, text), kind, self._config, date.today())
            known = self._alone[path] = text, found
        return known[1]

    def _differs_on_disk(self, path: str) -> bool:
        if self.workspace is None:
            return False
        evaluated = self.workspace.snapshot.texts.get(path)
        source = read_source(self.workspace.root, path)
        return self.behind or evaluated is None or bool(source.error) or source.text != evaluated


def _path(problem: Problem) -> str:
    return problem.path
