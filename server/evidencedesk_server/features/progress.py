"""Progress of work that takes long, and its end on the user's wish. Invariant: every progress that begins also ends."""

from __future__ import annotations

import asyncio
import uuid

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from evidencedesk_server.desk import Desk
from evidencedesk_server.messages import INDEX, Idle, Opened, Progress

_REPORT_SECONDS = 0.1
_RESUME = "Index now"


def register(desk: Desk) -> None:
    """Show progress, if the client can; let indexing be stopped and taken up again."""
    if desk.session.profile.shows_progress:
        shower = ProgressShower(desk)
        desk.on_progress.append(shower.take)

        # pygls marks its handlers with attributes, which methods cannot take.
        @desk.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
        def cancelled(params: types.WorkDoneProgressCancelParams) -> None:
            shower.cancelled(params)

    desk.on_opened.append(lambda opened: desk.spawn(_offer_to_resume(desk, opened)) if "stopped" in opened else None)

    async def index() -> None:
        _index(desk)

    desk.command(INDEX)(index)


class ProgressShower:
    """One work-done progress at a time: the engine does one thing after the other."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._latest: Progress | None = None
        self._token: str | None = None

    def take(self, progress: Progress | Idle) -> None:
        """Remember how far it is; the first report of a piece of work begins its progress."""
        self._latest = progress if progress["say"] == "progress" else None
        if self._latest is not None and self._token is None:
            self._token = str(uuid.uuid4())
            self._desk.spawn(self._show(self._token))

    def cancelled(self, params: types.WorkDoneProgressCancelParams) -> None:
        """The user does not want to wait any longer."""
        if params.token == self._token:
            self._desk.engine.stop_work()

    async def _show(self, token: str) -> None:
        try:
            await self._desk.window_work_done_progress_create_async(types.WorkDoneProgressCreateParams(token))
        except JsonRpcException:
            return
        begin = types.WorkDoneProgressBegin(title="Evaluating the knowledge base", cancellable=True, percentage=0)
        self._report(token, begin)
        shown: Progress | None = None
        while (latest := self._latest) is not None and not self._desk.lost:
            if latest is not shown:
                shown = latest
                percentage = 100 * latest["done"] // latest["total"] if latest["total"] else None
                self._report(token, types.WorkDoneProgressReport(message=latest["step"], percentage=percentage))
            await asyncio.sleep(_REPORT_SECONDS)
        self._token = None
        self._report(token, types.WorkDoneProgressEnd())

    def _report(self, token: str, value: object) -> None:
        value = self._desk.protocol._converter.unstructure(value)
        self._desk.protocol.notify_json(types.PROGRESS, {"token": token, "value": value})


async def _offer_to_resume(desk: Desk, opened: Opened) -> None:
    text = (
        f"EvidenceDesk stopped indexing {opened['folder']}. Open pages show only the problems that they have by "
        f"themselves; “{_RESUME}”, the command {INDEX} or opening the folder again evaluates it all."
    )
    request = types.ShowMessageRequestParams(
        types.MessageType.Warning, text, actions=[types.MessageActionItem(title=_RESUME)]
    )
    try:
        chosen = await desk.window_show_message_request_async(request)
    except JsonRpcException:
        return
    if chosen is not None:
        _index(desk)


def _index(desk: Desk) -> None:
    """Index the folders again."""
    for folder in desk.session.folders.values():
        desk.open_folder(folder)
