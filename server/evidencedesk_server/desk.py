"""The server: client session, engine process and ready-made answers in one place. Invariant: nothing here computes.

Edits flow client → session → scheduler → engine; answers flow back into the store and on to the features that asked for
them with `on_answers`, `on_progress` and `on_opened`.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from evidencedesk_server.answers import AnswerStore
from evidencedesk_server.engine_client import EngineClient
from evidencedesk_server.engine_process import COMMAND
from evidencedesk_server.lookups import Lookups
from evidencedesk_server.messages import Answers, FileAnswer, Idle, Opened, Place, Progress, Reply
from evidencedesk_server.protocol import Protocol
from evidencedesk_server.scheduler import Scheduler
from evidencedesk_server.session import LOOSE, ClientProfile, Folder, OpenDocument, Session

_LOG = logging.getLogger(__name__)
_PAUSE_SECONDS = 0.25
_LONGEST_SECONDS = 1.0
_PARENT_SECONDS = 3.0
_LEVELS = {"warning": types.MessageType.Warning, "error": types.MessageType.Error}

AnswersListener = Callable[[Sequence[FileAnswer], Sequence[FileAnswer]], None]
"""Called with the files that an evaluation changed, and with earlier answers that no longer hold."""


class Desk(LanguageServer):
    """What the features work with."""

    protocol: Protocol

    def __init__(self, engine_command: Sequence[str] = COMMAND, pause: float = _PAUSE_SECONDS) -> None:
        super().__init__("evidencedesk", _own_version(), protocol_cls=Protocol, converter_factory=default_converter)
        self.session = Session(ClientProfile.of(types.ClientCapabilities()))
        self.answers = AnswerStore()
        self.engine = EngineClient(lambda: self.session, self._receive, self._engine_ended, engine_command)
        self.lookups = Lookups(self.engine.look)
        self.scheduler = Scheduler(self._evaluate, pause, _LONGEST_SECONDS)
        self.on_answers: list[AnswersListener] = []
        self.on_outdated: list[Callable[[set[str]], None]] = []
        """Called with the readings whose last answers no longer hold."""
        self.on_progress: list[Callable[[Progress | Idle], None]] = []
        self.on_opened: list[Callable[[Opened], None]] = []
        self.lost = False
        """The engine cannot be started any more: nobody should wait for it."""
        self._dirty: set[Place] = set()
        self._saved = False
        self._has_loose = False
        self.first_folders: list[types.WorkspaceFolder] = []
        """What the client named when it initialized; indexed once it is ready to hear about it."""
        self._tasks: set[asyncio.Task[Any]] = set()

    # Life

    def start_engine(self) -> None:
        """Start the child process in the background."""
        self.spawn(self._start_engine())

    async def stop(self) -> None:
        """End the engine and everything that runs."""
        self._lose()
        self.scheduler.stop()
        await self.engine.process.stop()
        for task in self._tasks:
            task.cancel()

    def _lose(self) -> None:
        self.lost = True
        self.lookups.close()
        self.answers.announce()

    def spawn(self, work: Any) -> None:
        """Run a coroutine beside the handlers; a failure in it is logged."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._spawned_ended)

    async def parent_gone(self) -> None:
        """Return when the process that the client named as its own has died; never, when it cannot be watched.

        Only on POSIX, and only for a process that is there to begin with: a client in another container names a
        process that we cannot see. A closed input ends the server in any case.
        """
        if os.name == "posix":
            seen = False
            while True:
                await asyncio.sleep(_PARENT_SECONDS)
                alive = self.process_id is not None and _is_alive(self.process_id)
                if seen and not alive:
                    return
                seen = alive
        await asyncio.Event().wait()

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log instead of a popup: a request gets its error as the answer, and nobody can act on the rest."""
        _LOG.error("%s: %s", getattr(source, "__name__", source), error)

    def show(self, level: str, text: str) -> None:
        """Show a sentence to the user; information only goes to the log."""
        if level == "info":
            self.window_log_message(types.LogMessageParams(types.MessageType.Info, text))
        else:
            self.window_show_message(types.ShowMessageParams(_LEVELS[level], text))

    # What changed

    def add_folders(self, folders: Iterable[types.WorkspaceFolder]) -> None:
        """Index these folders."""
        for folder in self.session.add_folders(folders):
            self.open_folder(folder)
        self.evaluate_all()

    def remove_folder(self, uri: str) -> Sequence[FileAnswer]:
        """Forget a folder; returns what was said about its files."""
        folder = self.session.remove_folder(uri)
        if folder is None:
            return ()
        self.engine.close_folder(folder.uri)
        self.evaluate_all()
        return self.answers.forget_folder(folder.uri)

    def configure(self, given: Any) -> None:
        """Take over the editor's settings; the folders are indexed again when that changes something."""
        shown = self.session.shows_boundaries
        if self.session.configure(given):
            self._open_folders()
        if self.session.shows_boundaries != shown:
            self._tell_outdated({"boundaries"})

    def changed(self, document: OpenDocument) -> None:
        """A buffer has new text: evaluate after the pause."""
        if document.place is not None:
            self._dirty.add(document.place)
            self.scheduler.soon()

    def opened_or_closed(self, place: Place | None) -> None:
        """A document was opened or closed: evaluate at once."""
        if place is not None:
            if place.folder == LOOSE.uri and not self._has_loose:
                self._has_loose = True
                self.open_folder(LOOSE)
            self._dirty.add(place)
            self.scheduler.now()

    def saved(self) -> None:
        """The client has written a buffer to disk: evaluate at once."""
        self._saved = True
        self.scheduler.now()

    def changed_on_disk(self, places: Iterable[Place]) -> None:
        """Files changed outside the editor: evaluate after the pause, since they come in bursts.

        An open buffer wins over the disk, so what happens to its file does not matter before it is closed.
        """
        unopened = [place for place in places if self.session.at(place) is None]
        if unopened:
            self._dirty.update(unopened)
            self.scheduler.soon()

    def evaluate_all(self) -> None:
        """Evaluate every open document."""
        places = [place for place, _ in self.session.placed()]
        if places:
            self._dirty.update(places)
            self.scheduler.now()

    async def accept_baseline(self, folder: str) -> None:
        """Make the folder's present state its baseline; returns when the answers that follow from it are there."""
        if not self.lost:
            await self.engine.accept_baseline(folder)

    def is_evaluated(self, document: OpenDocument, version: int) -> bool:
        """Whether waiting for answers about this version is over: they are there, or will never be."""
        evaluated = document.evaluated is not None and document.evaluated >= version
        return evaluated or document.place is None or self.lost or self.session.at(document.place) is not document

    def is_readable(self, folder: str) -> bool:
        """Whether questions about a folder can be answered, or will never be."""
        return folder in self.answers.readable or self.lost or not self._knows(folder)

    # The engine

    def _knows(self, folder: str) -> bool:
        return folder in self.session.folders or folder == LOOSE.uri

    async def _start_engine(self) -> None:
        try:
            await self.engine.process.start()
        except OSError as error:
            self._lose()
            self.show("error", f"EvidenceDesk could not start its engine: {error}")

    def open_folder(self, folder: Folder) -> None:
        """Have a folder indexed, for the first time or again; what is known of it stays until there is news."""
        self.engine.open_folder(folder, first=folder.uri not in self.answers.indexed)

    def _open_folders(self) -> None:
        for folder in (*self.session.folders.values(), *([LOOSE] if self._has_loose else [])):
            self.open_folder(folder)

    def _evaluate(self) -> None:
        if (self._dirty or self._saved) and not self.lost:
            self.engine.update(self._dirty, saved=self._saved)
            self._dirty, self._saved = set(), False

    def _receive(self, reply: Reply) -> None:
        if reply["say"] == "answers":
            self._take(reply)
        elif reply["say"] == "looked":
            self.lookups.take(reply)
        elif reply["say"] == "progress" or reply["say"] == "idle":
            for on_progress in self.on_progress:
                on_progress(reply)
        elif reply["say"] == "opened":
            self._folder_opened(reply)
        else:
            self.show(reply["level"], reply["text"])

    def _take(self, answers: Answers) -> None:
        self.engine.settle(answers)
        changed, outdated = self.answers.take(answers)
        outdated_readings = self.lookups.enter(answers["state"])
        for on_answers in self.on_answers:
            on_answers(changed, outdated)
        if outdated_readings:
            self._tell_outdated(outdated_readings)
        self.engine.answered(answers["seq"])
        self.answers.announce()

    def _tell_outdated(self, readings: set[str]) -> None:
        for on_outdated in self.on_outdated:
            on_outdated(readings)

    def _folder_opened(self, opened: Opened) -> None:
        self.answers.indexed.add(opened["folder"])
        self.answers.readable.add(opened["folder"])
        for on_opened in self.on_opened:
            on_opened(opened)
        if "error" in opened:
            self.show("warning", opened["error"])
        self.answers.announce()

    def _engine_ended(self, code: int, starts_again: bool) -> None:
        if not starts_again:
            self._lose()
            self.show(
                "error",
                f"EvidenceDesk's engine keeps ending (exit code {code}) and is no longer restarted; "
                "the problems shown are the last known ones. The log says why; restart the server to try again.",
            )
        else:
            if self.engine.restarts == 1:
                self.show(
                    "error",
                    f"EvidenceDesk's engine ended unexpectedly (exit code {code}); it is being restarted. "
                    "The server's log says why.",
                )
            self.answers.readable.clear()
            self.start_engine()
            self._open_folders()
            self.lookups.ask_again()
            self._receive(Idle(say="idle"))
        self.evaluate_all()
        self.answers.announce()

    def _spawned_ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _LOG.error("background work failed", exc_info=error)


def _is_alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _own_version() -> str:
    with suppress(PackageNotFoundError):
        return version("evidencedesk")
    return "unknown"
