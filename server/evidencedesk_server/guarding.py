"""Edits meet the texts they were made for. Invariant: no edit reaches a client whose text, or disk, has moved on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from evidencedesk.text.decode import decode
from evidencedesk_server.desk import Desk
from evidencedesk_server.from_lsp import path_of
from evidencedesk_server.messages import text_hash
from evidencedesk_server.ranges import Json
from evidencedesk_server.session import OpenDocument

_EVALUATION_SECONDS = 5.0


def refusal(reason: str) -> JsonRpcException:
    """What a request is answered with that cannot be done; clients show the reason."""
    return JsonRpcException(reason, code=types.LSPErrorCodes.RequestFailed.value)


async def evaluated(desk: Desk, document: OpenDocument) -> None:
    """Wait until the present text of a document is evaluated, and soon those of all others, which edits may reach.

    Raises a refusal when the document takes too long.
    """
    versions = [(one, one.version) for _, one in desk.session.placed()]
    await desk.answers.until(lambda: all(desk.is_evaluated(*one) for one in versions), _EVALUATION_SECONDS)
    if document.evaluated != document.version:
        raise refusal("The latest changes are still being evaluated. Try again in a moment.")


async def guarded(desk: Desk, found: Mapping[str, Any]) -> Json:
    """The `edit` of what was found, with versions. Raises a refusal when a text that it `needs` has moved on."""
    if (uri := await moved_on(desk, found["needs"])) is not None:
        name = (path_of(uri) or uri).rpartition("/")[2]
        raise refusal(f"{name} has changed since it was evaluated, so nothing was done. Try again in a moment.")
    edit: Json = with_versions(desk, found["edit"])
    return edit


async def moved_on(desk: Desk, needs: Mapping[str, str]) -> str | None:
    """The first of these files whose text, in the editor or else on disk, has another hash than is needed."""
    closed = {}
    for uri, needed in needs.items():
        document = desk.session.document(uri)
        if document is None:
            closed[uri] = needed
        elif text_hash(document.text) != needed:
            return uri
    return await asyncio.to_thread(_first_changed, closed) if closed else None


def with_versions(desk: Desk, edit: Json) -> Json:
    """Fill in the versions of open documents, which only the session knows."""
    if "documentChanges" not in edit:
        return edit
    return {**edit, "documentChanges": [_versioned(desk, change) for change in edit["documentChanges"]]}


def _versioned(desk: Desk, change: Json) -> Json:
    if "textDocument" not in change:
        return change
    document = desk.session.document(change["textDocument"]["uri"])
    identifier = {**change["textDocument"], "version": document.version if document is not None else None}
    return {**change, "textDocument": identifier}


def _first_changed(needs: Mapping[str, str]) -> str | None:
    for uri, needed in needs.items():
        try:
            text = decode(Path(path_of(uri) or "").read_bytes()).text
        except OSError:
            text = ""
        if text_hash(text) != needed:
            return uri
    return None
