"""The engine process: owns the workspaces, computes, renders. Invariant: a failing request is told, never fatal."""

from __future__ import annotations

import logging
import os
import queue
import signal
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, BinaryIO

from pydantic import ValidationError

from evidencedesk.errors import EvidenceDeskError
from evidencedesk.workspace import Change, Workspace
from evidencedesk.workspace.config import Config
from evidencedesk.workspace.files import read_source
from evidencedesk_server.disk_poll import DiskPoll
from evidencedesk_server.messages import (
    LENGTH_BYTES,
    AcceptBaseline,
    Answers,
    FileAnswer,
    FileChange,
    Look,
    Looked,
    Notice,
    OpenBuffer,
    Opened,
    OpenFolder,
    Progress,
    Question,
    Reply,
    Request,
    Update,
    length_of,
    pack,
    unpack,
)
from evidencedesk_server.rendering import FolderView
from evidencedesk_server.to_lsp import uri_below
from evidencedesk_server.transport import own_stdout

_LOG = logging.getLogger(__name__)
_PROGRESS_SECONDS = 0.1
SWITCH_SECONDS = 0.0005
POLL_SECONDS = 2.0
POLL_SHARE = 20
"""A look at the disk is followed by a pause of at least so many times its own length."""

Say = Callable[[Reply], None]


class OpenedFolder:
    """A folder that was indexed."""

    def __init__(self, workspace: Workspace, view: FolderView, polls: bool) -> None:
        self.workspace = workspace
        self.view = view
        self._poll = DiskPoll(workspace) if polls else None
        self._unheard: dict[str, Change] = {}

    @property
    def polls(self) -> bool:
        """Whether its disk is to be looked at."""
        return self._poll is not None

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
                on_disk += [path] if self._differs_on_disk(path) else []
            elif self.workspace.snapshot.texts.get(path) == text:
                self._unheard[path] = Change(path, text)
            else:
                buffers.append(Change(path, text))
        if buffers:
            self.workspace.apply([*self._unheard.values(), *buffers])
            self._unheard.clear()
        if on_disk:
            self.workspace.refresh(on_disk)

    def _differs_on_disk(self, path: str) -> bool:
        evaluated = self.workspace.snapshot.texts.get(path)
        source = read_source(self.workspace.root, path)
        return evaluated is None or bool(source.error) or source.text != evaluated

    def look_at_disk(self, open_paths: set[str]) -> bool:
        """Take over what changed on disk since the last look, but for open documents; whether anything did."""
        changed = self._poll.changed() - open_paths if self._poll is not None else set()
        if changed:
            self.workspace.refresh(sorted(changed))
        return bool(changed)


class Engine:
    """Answers requests: questions at once, from any thread; the others one after the other."""

    def __init__(self, say: Say) -> None:
        self._write = say
        self._order = threading.RLock()
        """Held while something is said: an answer that follows a new state on the wire is about that state."""
        self._state = 0
        self._folders: dict[str, OpenedFolder] = {}
        self._roots: set[str] = set()
        self._buffers: list[OpenBuffer] = []

    def handle(self, request: Request) -> None:
        """Do what the request asks and answer it, whatever happens."""
        if request["do"] == "look":
            self.look(request)
            return
        try:
            if request["do"] == "open-folder":
                self._open(request)
            elif request["do"] == "close-folder":
                self._folders.pop(request["folder"], None)
                self._roots.discard(request["folder"])
            elif request["do"] == "update":
                self._update(request)
            else:
                self._accept_baseline(request)
        except Exception as error:
            _LOG.exception("request %s failed", request["do"])
            text = f"EvidenceDesk could not evaluate this state ({error!r}). Earlier problems stay; the log says more."
            if request["do"] != "close-folder":
                self._answer(request["seq"], [])
            if request["do"] == "open-folder":
                self._say(Opened(say="opened", folder=request["folder"], error=text))
            else:
                self._say(Notice(say="notice", level="error", text=text))

    def _open(self, request: OpenFolder) -> None:
        folder = request["folder"]
        self._roots.add(folder)
        opened = Opened(say="opened", folder=folder)
        view = FolderView(folder, request["style"], lambda path: not self._is_nested(folder, path))
        files: list[FileAnswer] = []
        try:
            defaults = self._config_of(request["settings"])
            workspace = Workspace.open(
                request["root"], progress=self._progress_of(folder), defaults=defaults, cache=True
            )
        except EvidenceDeskError as error:
            opened["error"] = str(error)
        else:
            self._folders[folder] = OpenedFolder(workspace, view, request["poll"])
            files = view.answers(workspace.snapshot, {})
            for note in workspace.notes:
                self._say(Notice(say="notice", level="info", text=note))
        self._answer(request["seq"], files, whole=folder)
        self._say(opened)

    def _config_of(self, settings: dict[str, Any]) -> Config:
        """The editor's settings as a configuration; the defaults when they are no valid one, which is said."""
        try:
            return Config.model_validate(settings)
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(map(str, ("evidencedesk", *first["loc"])))
            text = f"EvidenceDesk's editor settings are not used: {name} is wrong ({first['msg']})."
            self._say(Notice(say="notice", level="warning", text=text))
            return Config()

    def _update(self, request: Update) -> None:
        self._buffers = request["buffers"]
        changes: dict[str, list[FileChange]] = defaultdict(list)
        for change in request["changes"]:
            changes[change["folder"]].append(change)
        for folder, folder_changes in changes.items():
            if (opened := self._folders.get(folder)) is not None:
                opened.apply(folder_changes)
        if request["saved"]:
            for opened in self._folders.values():
                opened.workspace.mark_saved()
        self._answer_all(request["seq"])

    def _accept_baseline(self, request: AcceptBaseline) -> None:
        opened = self._folders.get(request["folder"])
        if opened is not None:
            try:
                opened.workspace.accept_baseline()
            except EvidenceDeskError as error:
                self._say(Notice(say="notice", level="error", text=str(error)))
        self._answer_all(request["seq"])

    def look(self, request: Look) -> None:
        """Answer a question from the state of the last answers, while the next one may be in the making."""
        what, folder, path, offset, words, end = request["question"]
        question = Question(what, folder, path, offset, tuple(words), end)
        state, opened = self._state, self._folders.get(question.folder)
        try:
            found = opened.view.look(question) if opened is not None else []
        except Exception:
            _LOG.exception("question %s failed", what)
            found = []
        self._say(Looked(say="looked", seq=request["seq"], state=state, found=found))

    def look_at_disk(self) -> None:
        """Evaluate what changed on disk in folders whose client does not watch them."""
        for folder, opened in self._folders.items():
            open_paths = {buffer["path"] for buffer in self._buffers if buffer["folder"] == folder}
            if opened.look_at_disk(open_paths):
                self._answer_all(0)

    @property
    def polls(self) -> bool:
        """Whether anything is to be looked at."""
        return any(opened.polls for opened in self._folders.values())

    def _answer_all(self, seq: int) -> None:
        files: list[FileAnswer] = []
        for folder, opened in self._folders.items():
            spellings = {buffer["path"]: buffer["uri"] for buffer in self._buffers if buffer["folder"] == folder}
            files += opened.view.answers(opened.workspace.snapshot, spellings)
        self._answer(seq, files)

    def _answer(self, seq: int, files: list[FileAnswer], whole: str | None = None) -> None:
        with self._order:
            shown = [opened.view.show(opened.workspace) for opened in self._folders.values()]
            self._state += any(shown)
            self._say(Answers(say="answers", seq=seq, state=self._state, whole=whole, files=files))

    def _say(self, reply: Reply) -> None:
        with self._order:
            self._write(reply)

    def _is_nested(self, folder: str, path: str) -> bool:
        """Whether a file of a folder lies in another folder inside it, which then speaks for it."""
        uri = uri_below(folder, path)
        return any(
            other != folder and uri.startswith(f"{other}/") and len(other) > len(folder) for other in self._roots
        )

    def _progress_of(self, folder: str) -> Callable[[str, int, int], None]:
        last = -_PROGRESS_SECONDS

        def progress(step: str, done: int, total: int) -> None:
            nonlocal last
            if time.monotonic() - last >= _PROGRESS_SECONDS:
                last = time.monotonic()
                self._say(Progress(say="progress", folder=folder, step=step, done=done, total=total))

        return progress


def main() -> None:
    """Serve requests from standard input until it closes."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s: %(message)s", stream=sys.stderr)
    # Ctrl-C in a terminal reaches the whole group; the parent decides when we end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    out = own_stdout()

    def say(reply: Reply) -> None:
        out.write(pack(reply))
        out.flush()

    engine = Engine(say)
    requests: queue.SimpleQueue[Request] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, requests, engine), daemon=True).start()
    # Questions are answered by the thread that reads them while another one evaluates: it soon gets its turn.
    sys.setswitchinterval(SWITCH_SECONDS)
    pause = POLL_SECONDS
    while True:
        try:
            engine.handle(requests.get(timeout=pause if engine.polls else None))
        except queue.Empty:
            started = time.monotonic()
            engine.look_at_disk()
            pause = max(POLL_SECONDS, POLL_SHARE * (time.monotonic() - started))


def _read(stdin: BinaryIO, requests: queue.SimpleQueue[Request], engine: Engine) -> None:
    """Answer questions, queue other requests; when the parent is gone, end at once, whatever is being computed."""
    while (head := stdin.read(LENGTH_BYTES)) and len(head) == LENGTH_BYTES:
        request: Request = unpack(stdin.read(length_of(head)))
        if request["do"] == "look":
            engine.look(request)
        else:
            requests.put(request)
    os._exit(0)


if __name__ == "__main__":
    main()
