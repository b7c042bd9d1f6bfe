"""Progress while a folder is indexed. Invariant: every progress that begins also ends."""

from __future__ import annotations

import asyncio
import uuid

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from evidencedesk_server.desk import Desk
from evidencedesk_server.messages import Opened, Progress

_REPORT_SECONDS = 0.1


def register(desk: Desk) -> None:
    """Show progress, if the client can."""
    if desk.session.profile.shows_progress:
        shower = ProgressShower(desk)
        desk.on_progress.append(shower.progress)
        desk.on_opened.append(shower.opened)


class ProgressShower:
    """One work-done progress per folder that is being indexed."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._latest: dict[str, Progress | None] = {}

    def progress(self, progress: Progress) -> None:
        """Remember how far it is; the first report for a folder begins its progress."""
        folder = progress["folder"]
        if folder in self._desk.answers.indexed:
            return
        is_new = folder not in self._latest
        self._latest[folder] = progress
        if is_new:
            self._desk.spawn(self._show(folder))

    def opened(self, opened: Opened) -> None:
        """The folder is indexed."""
        if opened["folder"] in self._latest:
            self._latest[opened["folder"]] = None

    async def _show(self, folder: str) -> None:
        token = str(uuid.uuid4())
        try:
            await self._desk.window_work_done_progress_create_async(types.WorkDoneProgressCreateParams(token))
        except JsonRpcException:
            return
        self._report(token, types.WorkDoneProgressBegin(title="Reading the knowledge base", percentage=0))
        shown: Progress | None = None
        while (latest := self._latest.get(folder)) is not None and not self._desk.lost:
            if latest is not shown:
                shown = latest
                percentage = 100 * latest["done"] // latest["total"] if latest["total"] else None
                self._report(token, types.WorkDoneProgressReport(message=latest["step"], percentage=percentage))
            await asyncio.sleep(_REPORT_SECONDS)
        self._latest.pop(folder, None)
        self._report(token, types.WorkDoneProgressEnd())

    def _report(self, token: str, value: object) -> None:
        value = self._desk.protocol._converter.unstructure(value)
        self._desk.protocol.notify_json(types.PROGRESS, {"token": token, "value": value})
