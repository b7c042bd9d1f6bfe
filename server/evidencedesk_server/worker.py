"""The engine process: owns the workspaces, computes, renders. Invariant: a failing request is told, never fatal.

Two threads: one reads requests and answers questions from the state that was told last; the other does the rest, one
request after the other, and looks up from its work whenever that reports progress: a newer request may make it
pointless, and while a folder is being read, changes to others are evaluated in between.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, NoReturn

from pydantic import ValidationError

from evidencedesk.errors import Cancelled, EvidenceDeskError
from evidencedesk.rule import Problem
from evidencedesk.workspace import Workspace
from evidencedesk.workspace.config import Config
from evidencedesk_server.inbox import Inbox, Work
from evidencedesk_server.known_folder import KnownFolder
from evidencedesk_server.messages import (
    LENGTH_BYTES,
    AcceptBaseline,
    Answers,
    FileChange,
    FilePatch,
    Idle,
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
from evidencedesk_server.to_lsp import uri_below
from evidencedesk_server.transport import own_stdout

_LOG = logging.getLogger(__name__)
_LONG_SECONDS = 0.5
"""Progress is told of work that takes longer."""
_PROGRESS_SECONDS = 0.1
SWITCH_SECONDS = 0.0002
"""For so long at most the thread that reads requests waits for one that computes, as far as that runs Python."""
ANSWER_SECONDS = 0.02
"""For so long it is then left alone: an answer takes its time once, not twice by turns with an evaluation."""
GC_THRESHOLDS = (50_000, 20, 1000)
"""Garbage in cycles waits for `tidy`: looking for it in the midst of saves took a third of their time."""
TIDY_SECONDS = 10.0
"""After so long without a request there is time for what no answer needs, half a second of it in a large folder."""
POLL_SECONDS = 2.0
POLL_SHARE = 20
"""A look at the disk is followed by a pause of at least so many times its own length."""

Say = Callable[[Reply], None]


class _Overtaken(Cancelled):
    """Something newer waits."""


class _Stopped(Cancelled):
    """The client does not want to wait any longer."""


@dataclass(frozen=True, slots=True)
class _Doing:
    """What is being done, and since when."""

    work: Work
    started: float


class Engine:
    """Answers requests: questions at once, from any thread; the others one after the other."""

    def __init__(self, say: Say) -> None:
        self.inbox = Inbox()
        self._write = say
        self._order = threading.RLock()
        """Held while something is said: an answer that follows a new state on the wire is about that state."""
        self._state = 0
        self._seq = 0
        self._folders: dict[str, KnownFolder] = {}
        self._buffers: list[OpenBuffer] = []
        self._doing: _Doing | None = None
        self._told_progress = 0.0

    # Requests

    def receive(self, request: Request) -> None:
        """Answer a question; let anything else wait for `work`."""
        if request["do"] == "look":
            self.look(request)
        else:
            self.inbox.put(request)

    def look(self, request: Look) -> None:
        """Answer a question from the state of the last answers, while the next one may be in the making."""
        what, folder, path, offset, words, end = request["question"]
        question = Question(what, folder, path, offset, tuple(words), end)
        state, known = self._state, self._folders.get(question.folder)
        try:
            found = known.view.look(question) if known is not None else []
        except Exception:
            _LOG.exception("question %s failed", what)
            found = []
        self._say(Looked(say="looked", seq=request["seq"], state=state, found=found))

    def work(self) -> None:
        """Do what waits, until nothing does."""
        while (work := self.inbox.take()) is not None:
            self._do(work)
        if self._told_progress:
            self._told_progress = 0.0
            self._say(Idle(say="idle"))

    def handle(self, request: Request) -> None:
        """Do a request at once."""
        self.receive(request)
        self.work()

    def look_at_disk(self) -> None:
        """Evaluate what changed on disk in folders whose client does not watch them."""
        update = Update(do="update", seq=self._seq, changes=[], saved=False, buffers=self._buffers)
        self._do(Work(update, time.monotonic()), polls=True)

    def tidy(self) -> None:
        """Do what later evaluations are quicker for; no answer depends on it."""
        for known in self._folders.values():
            if known.workspace is not None and not self.inbox.news:
                known.workspace.tidy()
        if not self.inbox.news:
            gc.collect()

    @property
    def polls(self) -> bool:
        """Whether anything is to be looked at."""
        return any(known.polls for known in self._folders.values())

    def _do(self, work: Work, *, polls: bool = False) -> None:
        """Do what a request asks and answer it, whatever happens; what is overtaken waits for what overtook it."""
        outer, self._doing = self._doing, _Doing(work, time.monotonic())
        if outer is None:
            self.inbox.is_stopped()
        request = work.request
        try:
            if request["do"] == "open-folder":
                self._open(request)
            elif request["do"] == "close-folder":
                self._folders.pop(request["folder"], None)
            elif request["do"] == "accept-baseline":
                self._accept_baseline(request)
            elif polls:
                self._poll()
            elif request["do"] == "update":
                self._update(request)
        except _Overtaken:
            if request["do"] == "update" and not polls:
                self.inbox.put_back(work)
        except _Stopped:
            text = "EvidenceDesk stopped evaluating; the problems shown are those from before. The next change resumes."
            self._say(Notice(say="notice", level="warning", text=text))
            self._answer_still(request)
            if outer is not None:
                raise
        except Exception as error:
            _LOG.exception("request %s failed", request["do"])
            text = f"EvidenceDesk could not evaluate this state ({error!r}). Earlier problems stay; the log says more."
            self._answer_still(request)
            if request["do"] == "open-folder":
                self._say(Opened(say="opened", folder=request["folder"], error=text))
            else:
                self._say(Notice(say="notice", level="error", text=text))
        finally:
            self._doing = outer

    # Folders

    def _open(self, request: OpenFolder) -> None:
        folder = request["folder"]
        known = self._folders.get(folder)
        if known is None:
            known = KnownFolder(folder, request["style"], lambda path: not self._is_nested(folder, path))
            self._folders[folder] = known
        self._buffers = request["buffers"]
        defaults = self._config_of(request["settings"])
        opened = Opened(say="opened", folder=folder)
        try:
            alone = request["first"] or not request["root"]
            known.begin(request["root"], defaults, request["changes"], tells_alone=alone)
            if not known.is_silent:
                self._answer(request["seq"])
            if not request["root"]:
                self._say(opened)
                return

            def recall(problems: Sequence[Problem], texts: Mapping[str, str]) -> None:
                known.recall(problems, texts)
                self._answer(request["seq"])

            workspace = Workspace.open(
                request["root"],
                progress=lambda *steps: self._progress(folder, *steps),
                defaults=defaults,
                cache=True,
                early=recall,
            )
            known.opened(workspace, polls=request["poll"])
            for note in workspace.notes:
                self._say(Notice(say="notice", level="info", text=note))
        except _Overtaken:
            return
        except _Stopped:
            opened["stopped"] = True
        except EvidenceDeskError as error:
            known.failed()
            opened["error"] = str(error)
        self._answer(request["seq"])
        self._say(opened)
        # What was read stays: the collector need not walk through it again and again.
        gc.freeze()

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

    def _is_nested(self, folder: str, path: str) -> bool:
        """Whether a file of a folder lies in another folder inside it, which then speaks for it."""
        uri = uri_below(folder, path)
        return any(
            other != folder and uri.startswith(f"{other}/") and len(other) > len(folder) for other in [*self._folders]
        )

    # Changes

    def _update(self, request: Update) -> None:
        self._buffers = request["buffers"]
        changes: dict[str, list[FileChange]] = defaultdict(list)
        for change in request["changes"]:
            changes[change["folder"]].append(change)
        for folder, known in self._folders.items():
            if folder in changes or known.behind:
                known.apply(changes[folder])
        if request["saved"]:
            for known in self._folders.values():
                if known.workspace is not None:
                    known.workspace.mark_saved()
        self._answer(request["seq"])

    def _poll(self) -> None:
        changed = [known.look_at_disk() for known in self._folders.values()]
        if any(changed):
            self._answer(0)

    def _accept_baseline(self, request: AcceptBaseline) -> None:
        known = self._folders.get(request["folder"])
        if known is not None and known.workspace is not None:
            try:
                known.workspace.accept_baseline()
            except EvidenceDeskError as error:
                self._say(Notice(say="notice", level="error", text=str(error)))
        self._answer(request["seq"])

    # Looking up from work

    def _progress(self, folder: str, step: str, done: int, total: int) -> None:
        """Called from within long work, often."""
        doing = self._doing
        if doing is None:
            return
        if self.inbox.news:
            self._heed(doing.work)
        now = time.monotonic()
        if now - doing.started >= _LONG_SECONDS and now - self._told_progress >= _PROGRESS_SECONDS:
            self._told_progress = now
            self._say(Progress(say="progress", folder=folder, step=step, done=done, total=total))

    def _heed(self, work: Work) -> None:
        """See to what has arrived. Raises Cancelled when it makes the present work pointless."""
        self.inbox.news = False
        if self.inbox.is_stopped():
            raise _Stopped
        if self.inbox.overtakes(work):
            raise _Overtaken
        if work.request["do"] == "open-folder":
            while (update := self.inbox.take_update()) is not None:
                self._do(update)

    # Answers

    def _answer(self, seq: int) -> None:
        """Say what changed, about all texts that are known; the state that is told is then what questions are about."""
        self._seq = max(self._seq, seq)
        files: list[FilePatch] = []
        whole: list[str] = []
        for folder, known in self._folders.items():
            spellings = {buffer["path"]: buffer["uri"] for buffer in self._buffers if buffer["folder"] == folder}
            whole += [folder] if not (known.is_silent or known.was_told) else []
            files += known.answers(spellings)
        silent = [folder for folder, known in self._folders.items() if known.is_silent]
        with self._order:
            shown = [known.view.show(known.workspace) for known in self._folders.values() if known.workspace]
            self._state += any(shown)
            self._say(Answers(say="answers", seq=self._seq, state=self._state, whole=whole, silent=silent, files=files))

    def _answer_still(self, request: Request) -> None:
        """Answer a request that came to nothing: nobody waits for it any more."""
        if request["do"] != "close-folder" and request["do"] != "look" and request["do"] != "stop":
            self._seq = max(self._seq, request["seq"])
            self._say(Answers(say="answers", seq=self._seq, state=self._state, whole=[], silent=[], files=[]))

    def _say(self, reply: Reply) -> None:
        with self._order:
            self._write(reply)


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
    threading.Thread(target=_read, args=(sys.stdin.buffer, engine), daemon=True).start()
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.set_threshold(*GC_THRESHOLDS)
    _serve(engine)


def _serve(engine: Engine) -> NoReturn:
    """Work when there is work; else tidy up once, and look at the disk from time to time."""
    is_tidy, worked, pause = True, time.monotonic(), POLL_SECONDS
    while True:
        if engine.inbox.wait(pause if engine.polls else None if is_tidy else TIDY_SECONDS):
            engine.work()
            is_tidy, worked = False, time.monotonic()
            continue
        if not is_tidy and time.monotonic() - worked >= TIDY_SECONDS:
            engine.tidy()
            is_tidy = True
        if engine.polls:
            started = time.monotonic()
            engine.look_at_disk()
            pause = max(POLL_SECONDS, POLL_SHARE * (time.monotonic() - started))


def _read(stdin: BinaryIO, engine: Engine) -> None:
    """Take requests; when the parent is gone, end at once, whatever is being computed."""
    while (head := stdin.read(LENGTH_BYTES)) and len(head) == LENGTH_BYTES:
        sys.setswitchinterval(ANSWER_SECONDS)
        engine.receive(unpack(stdin.read(length_of(head))))
        sys.setswitchinterval(SWITCH_SECONDS)
    os._exit(0)


if __name__ == "__main__":
    main()
