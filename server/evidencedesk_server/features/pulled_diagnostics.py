"""Problems for clients that pull and can be told to pull again. Invariant: none of them is ever pushed to.

Old diagnostics stay until new ones exist: nothing is ever cleared because something is being computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from evidencedesk_server.desk import Desk
from evidencedesk_server.looking import quietly
from evidencedesk_server.messages import FileAnswer, Place
from evidencedesk_server.placing import in_present
from evidencedesk_server.ranges import Json
from evidencedesk_server.session import OpenDocument

_INDEXING_SECONDS = 1.0
"""So long a pull waits for the folder; then it gets what the page has by itself, and is asked to come again."""
_WAIT_SECONDS = 10.0
_WAIT_WORKSPACE_SECONDS = 60.0
_BATCH = 50
"""Files in one partial result."""
_NO_ID = "none"
_NOTHING: Json = {"kind": "full", "resultId": _NO_ID, "items": []}


def register(desk: Desk) -> None:
    """Let the client pull, if that is its way."""
    if not desk.session.profile.pulls:
        return
    puller = Puller(desk)
    options = types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=True, identifier="evidencedesk"
    )

    # pygls marks its handlers with attributes, which methods cannot take.
    @desk.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def document(params: types.DocumentDiagnosticParams) -> Json:
        return await puller.document(params)

    @desk.feature(types.WORKSPACE_DIAGNOSTIC)
    async def workspace(params: types.WorkspaceDiagnosticParams) -> Json:
        return await puller.workspace(params)

    desk.on_answers.append(puller.answers_changed)


class Puller:
    """Answers pulls with the newest state, as `unchanged` where the client has it; makes it pull again where not."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._told: dict[str, str] = {}
        """What each pulled document's client side shows, by URI."""
        self._waiting: set[str] = set()
        self._news: set[str] = set()
        """Files that an edit changed since the client was last told of them."""
        self._pulls_workspace = False

    # One document

    async def document(self, params: types.DocumentDiagnosticParams) -> Json:
        """Wait for the answers about the present text, then give them."""
        uri = params.text_document.uri
        self._waiting.add(uri)
        try:
            return await self._document(uri, params.previous_result_id)
        finally:
            self._waiting.discard(uri)

    async def _document(self, uri: str, previous: str | None) -> Json:
        answers, document = self._desk.answers, self._desk.session.document(uri)
        place = document.place if document is not None else self._desk.session.place_of(uri)
        if place is not None:
            is_indexed = await answers.until(lambda: self._is_indexed(place), _INDEXING_SECONDS)
            if document is None and not is_indexed:
                raise _try_again()
        if document is not None and not self._has_stale_news(uri, document):
            version = document.version
            if not await answers.until(lambda: self._desk.is_evaluated(document, version), _WAIT_SECONDS):
                raise _try_again()
        answer = answers.files.get(place) if place is not None else None
        report = self._full(answer, document)
        self._told[uri] = report["resultId"]
        self._news.discard(uri)
        if previous == report["resultId"]:
            report = {"kind": "unchanged", "resultId": previous}
        related = self._related(uri) if self._desk.session.profile.relates else {}
        return {**report, "relatedDocuments": related} if related else report

    def _has_stale_news(self, uri: str, document: OpenDocument) -> bool:
        """Whether an evaluation of an earlier text found something that the client was not told: it types on and on."""
        place = document.place
        answer = self._desk.answers.files.get(place) if place is not None else None
        shown, latest = self._told.get(uri), answer["id"] if answer is not None else _NO_ID
        return shown is not None and document.splices != [] and shown.partition("~")[0] != latest

    def _related(self, own: str) -> dict[str, Json]:
        """What else changed meanwhile; unopened files only when the client does not pull the workspace."""
        by_uri = {answer["uri"]: answer for answer in self._desk.answers.files.values()}
        found = {}
        for uri in sorted(self._news - {own}):
            document = self._desk.session.document(uri)
            if document is None and self._pulls_workspace:
                continue
            found[uri] = self._full(by_uri.get(uri), document)
            self._told[uri] = found[uri]["resultId"]
        self._news.clear()
        return found

    # All files

    async def workspace(self, params: types.WorkspaceDiagnosticParams) -> Json:
        """All files with problems, and those that had some before.

        A client that takes partial results asks again and again: its request is kept until there is news, which it
        gets in batches.
        """
        self._pulls_workspace = True
        known = {entry.uri: entry.value for entry in params.previous_result_ids}
        if not await self._desk.answers.until(self._all_indexed, _WAIT_WORKSPACE_SECONDS):
            raise _try_again()
        if (token := params.partial_result_token) is None:
            return {"items": list(self._reports(known))}
        await self._desk.answers.until(lambda: self._has_news(known), _WAIT_WORKSPACE_SECONDS)
        news = [report for report in self._reports(known) if report["kind"] == "full"]
        for first in range(0, len(news), _BATCH):
            value = {"items": news[first : first + _BATCH]}
            self._desk.protocol.notify_json(types.PROGRESS, {"token": token, "value": value})
        return {"items": []}

    def _reports(self, known: dict[str, str]) -> Iterator[Json]:
        listed = [answer for _, answer in sorted(self._desk.answers.files.items())]
        for answer in listed:
            document = self._desk.session.at(Place(answer["folder"], answer["path"]))
            report = self._full(answer, document)
            if known.get(answer["uri"]) == report["resultId"]:
                report = {"kind": "unchanged", "resultId": report["resultId"]}
            yield {**report, "uri": answer["uri"], "version": document.version if document is not None else None}
        for uri in known.keys() - {answer["uri"] for answer in listed}:
            cleared = known[uri] == _NO_ID
            report = {"kind": "unchanged", "resultId": _NO_ID} if cleared else _NOTHING
            yield {**report, "uri": uri, "version": None}

    # News

    def answers_changed(self, files: Sequence[FileAnswer], outdated: Sequence[FileAnswer]) -> None:
        """Ask the client to pull again, if it shows something else and would not ask by itself."""
        ids = {answer["uri"]: answer["id"] for answer in (*outdated, *files)}
        ids |= {answer["uri"]: _NO_ID for answer in outdated}
        ids |= {answer["uri"]: answer["id"] for answer in files if answer["diagnostics"]}
        self._news |= {answer["uri"] for answer in (*outdated, *files) if self._was_indexed(answer)}
        if any(self._shows_other(uri, result_id) for uri, result_id in ids.items()):
            self._desk.spawn(quietly(lambda: self._desk.workspace_diagnostic_refresh_async(None)))

    def _shows_other(self, uri: str, result_id: str) -> bool:
        document = self._desk.session.document(uri)
        if document is None:
            return self._pulls_workspace
        # The client pulls a document it has just changed by itself; often its request waits for these very answers.
        awaited = uri in self._waiting or document.evaluated != document.version
        comes_along = bool(self._waiting) and self._desk.session.profile.relates and uri in self._news
        return uri in self._told and self._told[uri] != result_id and not awaited and not comes_along

    def _full(self, answer: FileAnswer | None, document: OpenDocument | None) -> Json:
        """A whole report; with an id of its own where problems had to be moved to where the text is now."""
        moved = f"~{document.version}" if document is not None and document.splices else ""
        if answer is None:
            return _NOTHING
        items = in_present(answer, document, self._desk.session.profile.encoding)
        return {"kind": "full", "resultId": answer["id"] + moved, "items": items}

    def _has_news(self, known: dict[str, str]) -> bool:
        shown = {uri: result_id for uri, result_id in known.items() if result_id != _NO_ID}
        return self._desk.lost or shown != {answer["uri"]: answer["id"] for answer in self._desk.answers.files.values()}

    def _was_indexed(self, answer: FileAnswer) -> bool:
        """Whether news of this file are news: all that is found when its folder is read for the first time is not."""
        return answer["folder"] in self._desk.answers.readable

    def _is_indexed(self, place: Place) -> bool:
        return self._desk.lost or place.folder in self._desk.answers.indexed

    def _all_indexed(self) -> bool:
        return self._desk.lost or self._desk.session.folders.keys() <= self._desk.answers.indexed


def _try_again() -> JsonRpcException:
    return JsonRpcException(
        "still being evaluated",
        code=types.LSPErrorCodes.ServerCancelled.value,
        data={"retriggerRequest": True},
    )
