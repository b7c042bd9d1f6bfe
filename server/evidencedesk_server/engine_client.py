"""The engine as the loop sees it. Invariant: after a crash the next process knows all that the last one was told.

It numbers requests, remembers which versions of which documents each was about, sends of a buffer only what changed,
and starts the process again when it ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence

from evidencedesk.text.spans import LineIndex
from evidencedesk_server.engine_process import EngineProcess
from evidencedesk_server.from_lsp import difference_of
from evidencedesk_server.messages import (
    AcceptBaseline,
    Answers,
    CloseFolder,
    FileChange,
    Look,
    OpenBuffer,
    OpenFolder,
    Place,
    Reply,
    Request,
    Stop,
    Update,
)
from evidencedesk_server.session import Folder, OpenDocument, Session

MAX_RESTARTS = 3
RESTART_WINDOW_SECONDS = 300.0


class EngineClient:
    """Asks the engine. `receive` is called with its replies, `ended` with the exit code of a process that ended by
    itself and whether another one is started: then everything has to be asked for again."""

    def __init__(
        self,
        session: Callable[[], Session],
        receive: Callable[[Reply], None],
        ended: Callable[[int, bool], None],
        command: Sequence[str],
    ) -> None:
        self._session = session
        self._receive = receive
        self._ended = ended
        self._command = command
        self._seq = 0
        self._sent: dict[Place, str] = {}
        self._asked: dict[int, list[tuple[OpenDocument, int, LineIndex]]] = {}
        self._waited_for: dict[int, asyncio.Future[None]] = {}
        self._restarts: list[float] = []
        self.process = EngineProcess(receive, self._process_ended, command)

    @property
    def restarts(self) -> int:
        """How often the process was started again lately."""
        return len(self._restarts)

    def send(self, request: Request) -> None:
        """Pass a request on."""
        self.process.send(request)

    def look(self, look: Look) -> None:
        """Ask a question."""
        self.send(look)

    def stop_work(self) -> None:
        """Have the present work given up."""
        self.send(Stop(do="stop"))

    def open_folder(self, folder: Folder, *, first: bool) -> None:
        """Have a folder indexed, with the open documents in it."""
        session = self._session()
        documents = {place: document for place, document in session.placed() if place.folder == folder.uri}
        for place in documents:
            self._sent.pop(place, None)
        self.send(
            OpenFolder(
                do="open-folder",
                seq=self._next(documents.values()),
                folder=folder.uri,
                root=folder.root,
                poll=not session.profile.watches,
                style=session.profile.style,
                settings=session.settings,
                changes=[self._change(place) for place in documents],
                buffers=self._buffers(),
                first=first,
            )
        )

    def close_folder(self, folder: str) -> None:
        """Have a folder forgotten."""
        self._sent = {place: text for place, text in self._sent.items() if place.folder != folder}
        self.send(CloseFolder(do="close-folder", folder=folder))

    def update(self, places: Iterable[Place], *, saved: bool) -> None:
        """Have the present texts of these places evaluated: the buffer's, or the disk's where none is open.

        The places are all those whose text the engine does not have yet.
        """
        changes = [self._change(place) for place in sorted(places)]
        seq = self._next(document for _, document in self._session().placed())
        self.send(Update(do="update", seq=seq, changes=changes, saved=saved, buffers=self._buffers()))

    async def accept_baseline(self, folder: str) -> None:
        """Make a folder's present state its baseline; returns when the answers that follow from it are there."""
        seq = self._next(())
        self._waited_for[seq] = asyncio.get_running_loop().create_future()
        self.send(AcceptBaseline(do="accept-baseline", seq=seq, folder=folder))
        await self._waited_for[seq]

    def settle(self, answers: Answers) -> None:
        """Take note of which texts these answers are about."""
        for seq in [seq for seq in self._asked if seq <= answers["seq"]]:
            waiting = []
            for document, version, index in self._asked.pop(seq):
                if document.place is not None and document.place.folder in answers["silent"]:
                    waiting.append((document, version, index))
                else:
                    document.answered(version, index)
            if waiting:
                self._asked[seq] = waiting

    def answered(self, seq: int) -> None:
        """Wake those who wait for requests up to this one."""
        for waited in [waited for waited in self._waited_for if waited <= seq]:
            future = self._waited_for.pop(waited)
            if not future.done():
                future.set_result(None)

    def _next(self, documents: Iterable[OpenDocument]) -> int:
        """The number of a request that is about these documents as they are now."""
        self._seq += 1
        self._asked[self._seq] = [(document, document.version, document.index) for document in documents]
        return self._seq

    def _change(self, place: Place) -> FileChange:
        document = self._session().at(place)
        if document is None:
            self._sent.pop(place, None)
            return FileChange(folder=place.folder, path=place.path, text=None, span=None)
        text, before = document.text, self._sent.get(place)
        self._sent[place] = text
        if before is None:
            return FileChange(folder=place.folder, path=place.path, text=text, span=None)
        span, new = difference_of(before, text)
        return FileChange(folder=place.folder, path=place.path, text=new, span=[span.start, span.end])

    def _buffers(self) -> list[OpenBuffer]:
        return [
            OpenBuffer(folder=place.folder, path=place.path, uri=document.spelling)
            for place, document in self._session().placed()
        ]

    def _process_ended(self, code: int) -> None:
        now = asyncio.get_running_loop().time()
        self._restarts = [at for at in self._restarts if now - at < RESTART_WINDOW_SECONDS]
        again = len(self._restarts) < MAX_RESTARTS
        if again:
            self._restarts.append(now)
            self._sent.clear()
            self._asked.clear()
            self.process = EngineProcess(self._receive, self._process_ended, self._command)
        self._ended(code, again)
        # Whoever waited for the old process must not wait for ever.
        self.answered(self._seq)
