"""Requests that wait for the engine, seen by two threads. Invariant: no change is lost, whatever overtakes what.

One thread puts requests in as they arrive; the other takes them and, in the midst of its work, asks whether something
newer makes that work pointless.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass

from evidencedesk_server.messages import FileChange, Place, Request, Update

PATIENCE_SECONDS = 2.0
"""An update that has waited for so long is no longer overtaken: who never stops typing gets answers all the same."""


@dataclass(frozen=True, slots=True)
class Work:
    """A request, and when it or the oldest of those merged into it arrived (seconds of `time.monotonic`)."""

    request: Request
    since: float


class Inbox:
    """A queue of requests. `news` is set whenever something arrives: it is cheap to look at in the midst of work."""

    def __init__(self) -> None:
        self.news = False
        self._changed = threading.Condition()
        self._waiting: deque[Work] = deque()
        self._texts: dict[Place, str] = {}
        self._stops = 0

    def put(self, request: Request) -> None:
        """Add a request; texts that were sent as differences are completed, so that only whole ones wait."""
        with self._changed:
            if request["do"] == "stop":
                self._stops += 1
            else:
                if request["do"] == "close-folder":
                    folder = request["folder"]
                    self._texts = {place: text for place, text in self._texts.items() if place.folder != folder}
                if request["do"] == "open-folder" or request["do"] == "update":
                    request["changes"] = [self._completed(change) for change in request["changes"]]
                self._waiting.append(Work(request, time.monotonic()))
            self.news = True
            self._changed.notify()

    def wait(self, seconds: float | None) -> bool:
        """Whether a request is there; waits for one so long, or for ever."""
        with self._changed:
            return self._changed.wait_for(lambda: bool(self._waiting), seconds)

    def take(self) -> Work | None:
        """The next request; updates that follow each other are one, up to the last that was saved."""
        with self._changed:
            return self._take() if self._waiting else None

    def take_update(self) -> Work | None:
        """The next request if it is an update."""
        with self._changed:
            return self._take() if self._waiting and self._waiting[0].request["do"] == "update" else None

    def put_back(self, work: Work) -> None:
        """Let a request that was given up be the next one again."""
        with self._changed:
            self._waiting.appendleft(work)

    def overtakes(self, work: Work) -> bool:
        """Whether what waits makes this work pointless: a newer update, or another opening or the closing of a folder.

        What is saved is not overtaken: later states are compared with it.
        """
        with self._changed:
            waiting = [one.request for one in self._waiting]
        request = work.request
        if request["do"] == "update":
            patient = time.monotonic() - work.since < PATIENCE_SECONDS
            return patient and not request["saved"] and any(other["do"] == "update" for other in waiting)
        if request["do"] == "open-folder":
            return any(
                (other["do"] == "open-folder" or other["do"] == "close-folder") and other["folder"] == request["folder"]
                for other in waiting
            )
        return False

    def is_stopped(self) -> bool:
        """Whether the client wants to have the present work given up; asked once per wish."""
        with self._changed:
            stopped, self._stops = self._stops > 0, 0
            return stopped

    def _take(self) -> Work:
        first = self._waiting.popleft()
        merged = first.request
        if merged["do"] == "update":
            following = []
            for work in self._waiting:
                if work.request["do"] != "update":
                    break
                following.append(work.request)
            saves = [number for number, update in enumerate([merged, *following]) if update["saved"]]
            for update in following[: saves[-1] if saves else len(following)]:
                merged = _merged(merged, update)
                self._waiting.popleft()
        self.news = bool(self._waiting)
        return Work(merged, first.since)

    def _completed(self, change: FileChange) -> FileChange:
        place, text = Place(change["folder"], change["path"]), change["text"]
        if text is None:
            self._texts.pop(place, None)
            return change
        if change["span"] is not None:
            start, end = change["span"]
            before = self._texts[place]
            text = before[:start] + text + before[end:]
        self._texts[place] = text
        return FileChange(folder=place.folder, path=place.path, text=text, span=None)


def _merged(first: Update, then: Update) -> Update:
    changes = {Place(change["folder"], change["path"]): change for change in (*first["changes"], *then["changes"])}
    saved = first["saved"] or then["saved"]
    return Update(do="update", seq=then["seq"], changes=list(changes.values()), saved=saved, buffers=then["buffers"])
