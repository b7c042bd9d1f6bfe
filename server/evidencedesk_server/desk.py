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
from evidencedesk_server.engine_process import COMMAND, EngineProcess
from evidencedesk_server.lookups import Lookups
from evidencedesk_server.messages import (
    AcceptBaseline,
    Answers,
    CloseFolder,
    FileAnswer,
    FileChange,
    Notice,
    OpenBuffer,
    Opened,
    OpenFolder,
    Place,
    Progress,
    Reply,
    Request,
    Update,
)
from evidencedesk_server.protocol import Protocol
from evidencedesk_server.scheduler import Scheduler
from evidencedesk_server.session import ClientProfile, Folder, OpenDocument, Session

_LOG = logging.getLogger(__name__)
_PAUSE_SECONDS = 0.3
_PARENT_SECONDS = 3.0
_MAX_RESTARTS = 3
_RESTART_WINDOW_SECONDS = 300.0
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
        self._engine_command = engine_command
        self.engine = EngineProcess(self._receive, self._engine_ended, engine_command)
        self.lookups = Lookups(self._send)
        self.scheduler = Scheduler(self._evaluate, pause)
        self.on_answers: list[AnswersListener] = []
        self.on_outdated: list[Callable[[set[str]], None]] = []
        """Called with the readings whose last answers no longer hold."""
        self.on_progress: list[Callable[[Progress], None]] = []
        self.on_opened: list[Callable[[Opened], None]] = []
        self.lost = False
        """The engine cannot be started any more: nobody should wait for it."""
        self._dirty: set[Place] = set()
        self._saved = False
        self._seq = 0
        self._asked: dict[int, tuple[asyncio.Future[None], list[tuple[OpenDocument, int]]]] = {}
        self.first_folders: list[types.WorkspaceFolder] = []
        """What the client named when it initialized; indexed once it is ready to hear about it."""
        self._restarts: list[float] = []
        self._tasks: set[asyncio.Task[Any]] = set()

    # Life

    def start_engine(self) -> None:
        """Start the child process in the background."""
        self.spawn(self._start_engine())

    async def stop(self) -> None:
        """End the engine and everything that runs."""
        self._lose()
        self.scheduler.stop()
        await self.engine.stop()
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
            self._open_folder(folder)
        self.evaluate_all()

    def remove_folder(self, uri: str) -> Sequence[FileAnswer]:
        """Forget a folder; returns what was said about its files."""
        folder = self.session.remove_folder(uri)
        if folder is None:
            return ()
        self._send(CloseFolder(do="close-folder", folder=folder.uri))
        self.evaluate_all()
        return self.answers.forget_folder(folder.uri)

    def configure(self, given: Any) -> None:
        """Take over the editor's settings; the folders are indexed again when that changes something."""
        shown = self.session.shows_boundaries
        if self.session.configure(given):
            for folder in self.session.folders.values():
                self._open_folder(folder)
            self.evaluate_all()
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
        await self._ask(lambda seq: AcceptBaseline(do="accept-baseline", seq=seq, folder=folder))

    def is_evaluated(self, document: OpenDocument, version: int) -> bool:
        """Whether waiting for answers about this version is over: they are there, or will never be."""
        evaluated = document.evaluated is not None and document.evaluated >= version
        return evaluated or document.place is None or self.lost or self.session.at(document.place) is not document

    # The engine

    async def _start_engine(self) -> None:
        try:
            await self.engine.start()
        except OSError as error:
            self._lose()
            self.show("error", f"EvidenceDesk could not start its engine: {error}")

    def _open_folder(self, folder: Folder) -> None:
        profile = self.session.profile
        for place, document in self.session.placed():
            # The first answers are about the disk; what is known of a buffer stays until there are some about it.
            if place.folder == folder.uri:
                document.evaluated = None
        self.spawn(
            self._ask(
                lambda seq: OpenFolder(
                    do="open-folder",
                    seq=seq,
                    folder=folder.uri,
                    root=folder.root,
                    poll=not profile.watches,
                    style=profile.style,
                    settings=self.session.settings,
                )
            )
        )

    async def _evaluate(self) -> None:
        if not self._dirty and not self._saved:
            return
        changes = []
        for place in sorted(self._dirty):
            document = self.session.at(place)
            changes.append(
                FileChange(folder=place.folder, path=place.path, text=document.text if document is not None else None)
            )
        self._dirty.clear()
        saved, self._saved = self._saved, False
        buffers = [
            OpenBuffer(folder=place.folder, path=place.path, uri=document.spelling)
            for place, document in self.session.placed()
        ]
        await self._ask(
            lambda seq: Update(do="update", seq=seq, changes=changes, saved=saved, buffers=buffers),
            [(document, document.version) for _, document in self.session.placed()],
        )

    async def _ask(self, request: Callable[[int], Request], documents: Sequence[tuple[OpenDocument, int]] = ()) -> None:
        """Send a request and wait for its answers, or for the engine to end."""
        if self.lost:
            return
        self._seq += 1
        answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._asked[self._seq] = answered, list(documents)
        self._send(request(self._seq))
        await answered

    def _send(self, request: Request) -> None:
        self.engine.send(request)

    def _receive(self, reply: Reply) -> None:
        if reply["say"] == "answers":
            self._take(reply)
        elif reply["say"] == "looked":
            self.lookups.take(reply)
        elif reply["say"] == "progress":
            for on_progress in self.on_progress:
                on_progress(reply)
        elif reply["say"] == "opened":
            self._folder_opened(reply)
        else:
            self._notice(reply)

    def _take(self, answers: Answers) -> None:
        answered, documents = self._asked.pop(answers["seq"], (None, []))
        for document, document_version in documents:
            document.answered(document_version)
        outdated, outdated_readings = self.answers.take(answers), self.lookups.enter(answers["state"])
        for on_answers in self.on_answers:
            on_answers(answers["files"], outdated)
        if outdated_readings:
            self._tell_outdated(outdated_readings)
        if answered is not None and not answered.done():
            answered.set_result(None)
        self.answers.announce()

    def _tell_outdated(self, readings: set[str]) -> None:
        for on_outdated in self.on_outdated:
            on_outdated(readings)

    def _folder_opened(self, opened: Opened) -> None:
        self.answers.indexed.add(opened["folder"])
        for on_opened in self.on_opened:
            on_opened(opened)
        if "error" in opened:
            self.show("warning", opened["error"])
        self.answers.announce()

    def _notice(self, notice: Notice) -> None:
        self.show(notice["level"], notice["text"])

    def _engine_ended(self, code: int) -> None:
        now = asyncio.get_running_loop().time()
        self._restarts = [at for at in self._restarts if now - at < _RESTART_WINDOW_SECONDS]
        if len(self._restarts) >= _MAX_RESTARTS:
            self._lose()
            self.show(
                "error",
                f"EvidenceDesk's engine keeps ending (exit code {code}) and is no longer restarted; "
                "the problems shown are the last known ones. The log says why; restart the server to try again.",
            )
        else:
            if not self._restarts:
                self.show(
                    "error",
                    f"EvidenceDesk's engine ended unexpectedly (exit code {code}); it is being restarted. "
                    "The server's log says why.",
                )
            self._restarts.append(now)
            self.engine = EngineProcess(self._receive, self._engine_ended, self._engine_command)
            self.start_engine()
            for folder in self.session.folders.values():
                self._open_folder(folder)
            self.lookups.ask_again()
        # Whoever waited for the old process must not wait for ever; their documents are asked about again below.
        abandoned, self._asked = self._asked, {}
        for answered, _ in abandoned.values():
            if not answered.done():
                answered.set_result(None)
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
