"""Problems in the editor: pulled where the client can pull, else pushed. Invariant: exactly one of the two per client.

Old diagnostics stay until new ones exist: nothing is ever cleared because something is being computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from evidencedesk_server.desk import Desk
from evidencedesk_server.messages import FileAnswer, Place
from evidencedesk_server.session import OpenDocument

_WAIT_SECONDS = 10.0
_WAIT_WORKSPACE_SECONDS = 60.0
_NOTHING: dict[str, Any] = {"kind": "full", "resultId": "none", "items": []}


def register(desk: Desk) -> None:
    """Pull or push, by what the client can do."""
    if not desk.session.profile.pulls:
        desk.on_answers.append(Pusher(desk).answers_changed)
        return
    puller = Puller(desk)
    options = types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=True, identifier="evidencedesk"
    )

    # pygls marks its handlers with attributes, which methods cannot take.
    @desk.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def document(params: types.DocumentDiagnosticParams) -> dict[str, Any]:
        return await puller.document(params)

    @desk.feature(types.WORKSPACE_DIAGNOSTIC)
    async def workspace(params: types.WorkspaceDiagnosticParams) -> dict[str, Any]:
        return await puller.workspace(params)

    desk.on_answers.append(puller.answers_changed)


class Pusher:
    """Publishes what changed, with versions; never for a version that the client has already left behind."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._published: dict[Place, FileAnswer] = {}
        self._shown_in: dict[Place, OpenDocument] = {}
        self._late: set[Place] = set()

    def answers_changed(self, files: Sequence[FileAnswer], outdated: Sequence[FileAnswer]) -> None:
        """Publish the differences to what the client has."""
        late, self._late = self._late, set()
        changed = (Place(answer["folder"], answer["path"]) for answer in (*outdated, *files))
        placed = dict(self._desk.session.placed())
        # Some clients forget what was published for a file that they had not opened yet.
        opened = [place for place, document in placed.items() if self._shown_in.get(place) is not document]
        for place in dict.fromkeys([*sorted(late), *opened, *changed]):
            document = placed.get(place)
            if document is not None and document.evaluated != document.version:
                self._late.add(place)
            else:
                self._bring_up_to_date(place, document.version if document is not None else None, place in opened)
        self._shown_in = {place: document for place, document in placed.items() if place not in self._late}

    def _bring_up_to_date(self, place: Place, version: int | None, opened: bool) -> None:
        last, latest = self._published.pop(place, None), self._desk.answers.files.get(place)
        if last is not None and (latest is None or latest["uri"] != last["uri"]):
            self._publish(last["uri"], [], version)
        if latest is not None:
            self._published[place] = latest
            if opened or last is None or (last["uri"], last["id"]) != (latest["uri"], latest["id"]):
                self._publish(latest["uri"], latest["diagnostics"], version)

    def _publish(self, uri: str, diagnostics: list[dict[str, Any]], version: int | None) -> None:
        params: dict[str, Any] = {"uri": uri, "diagnostics": diagnostics}
        if version is not None:
            params["version"] = version
        self._desk.protocol.notify_json(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)


class Puller:
    """Answers pulls with the newest state, as `unchanged` where the client has it; makes it pull again where not."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._told: dict[str, str] = {}
        """What each pulled document's client side shows, by URI."""
        self._waiting: set[str] = set()
        self._pulls_workspace = False

    async def document(self, params: types.DocumentDiagnosticParams) -> dict[str, Any]:
        """Wait for the answers about the present text, then give them."""
        uri = params.text_document.uri
        self._waiting.add(uri)
        try:
            return await self._document(uri, params.previous_result_id)
        finally:
            self._waiting.discard(uri)

    async def _document(self, uri: str, previous: str | None) -> dict[str, Any]:
        document = self._desk.session.document(uri)
        place = document.place if document is not None else self._desk.session.place_of(uri)
        if document is not None:
            version = document.version
            if not await self._desk.answers.until(lambda: self._desk.is_evaluated(document, version), _WAIT_SECONDS):
                raise _try_again()
        elif place is not None and not await self._desk.answers.until(lambda: self._is_indexed(place), _WAIT_SECONDS):
            raise _try_again()
        answer = self._desk.answers.files.get(place) if place is not None else None
        result_id = answer["id"] if answer is not None else _NOTHING["resultId"]
        self._told[uri] = result_id
        if previous == result_id:
            return {"kind": "unchanged", "resultId": result_id}
        return _full(answer)

    async def workspace(self, params: types.WorkspaceDiagnosticParams) -> dict[str, Any]:
        """All files with problems, and those that had some before.

        A client that accepts partial results asks again and again: its request is kept until there is news.
        """
        self._pulls_workspace = True
        known = {entry.uri: entry.value for entry in params.previous_result_ids}
        if not await self._desk.answers.until(self._all_indexed, _WAIT_WORKSPACE_SECONDS):
            raise _try_again()
        if params.partial_result_token is not None:
            await self._desk.answers.until(lambda: self._has_news(known), _WAIT_WORKSPACE_SECONDS)
        reports = [self._report(answer, known) for answer in self._listed()]
        current = {answer["uri"] for answer in self._listed()}
        for uri, result_id in known.items():
            if uri not in current:
                cleared = result_id == _NOTHING["resultId"]
                reports.append(
                    {"kind": "unchanged", "resultId": result_id, "uri": uri, "version": None}
                    if cleared
                    else {**_NOTHING, "uri": uri, "version": None}
                )
        return {"items": reports}

    def answers_changed(self, files: Sequence[FileAnswer], outdated: Sequence[FileAnswer]) -> None:
        """Ask the client to pull again, if it shows something else and would not ask by itself."""
        if types.WORKSPACE_DIAGNOSTIC_REFRESH not in self._desk.session.profile.refreshes:
            return
        ids = {answer["uri"]: answer["id"] for answer in (*outdated, *files)}
        ids |= {answer["uri"]: _NOTHING["resultId"] for answer in outdated}
        ids |= {answer["uri"]: answer["id"] for answer in files if answer["diagnostics"]}
        if any(self._shows_other(uri, result_id) for uri, result_id in ids.items()):
            self._desk.spawn(self._refresh())

    def _shows_other(self, uri: str, result_id: str) -> bool:
        document = self._desk.session.document(uri)
        if document is None:
            return self._pulls_workspace
        # The client pulls a document it has just changed by itself; often its request waits for these very answers.
        awaited = uri in self._waiting or document.evaluated != document.version
        return uri in self._told and self._told[uri] != result_id and not awaited

    async def _refresh(self) -> None:
        await self._desk.workspace_diagnostic_refresh_async(None)

    def _listed(self) -> list[FileAnswer]:
        return [answer for _, answer in sorted(self._desk.answers.files.items())]

    def _report(self, answer: FileAnswer, known: dict[str, str]) -> dict[str, Any]:
        document = self._desk.session.at(Place(answer["folder"], answer["path"]))
        place = {"uri": answer["uri"], "version": document.evaluated if document is not None else None}
        if known.get(answer["uri"]) == answer["id"]:
            return {"kind": "unchanged", "resultId": answer["id"], **place}
        return {**_full(answer), **place}

    def _has_news(self, known: dict[str, str]) -> bool:
        shown = {uri: result_id for uri, result_id in known.items() if result_id != _NOTHING["resultId"]}
        return self._desk.lost or shown != {answer["uri"]: answer["id"] for answer in self._listed()}

    def _is_indexed(self, place: Place) -> bool:
        return self._desk.lost or place.folder in self._desk.answers.indexed

    def _all_indexed(self) -> bool:
        return self._desk.lost or self._desk.session.folders.keys() <= self._desk.answers.indexed


def _full(answer: FileAnswer | None) -> dict[str, Any]:
    if answer is None:
        return _NOTHING
    return {"kind": "full", "resultId": answer["id"], "items": answer["diagnostics"]}


def _try_again() -> JsonRpcException:
    return JsonRpcException(
        "still being evaluated",
        code=types.LSPErrorCodes.ServerCancelled.value,
        data={"retriggerRequest": True},
    )
