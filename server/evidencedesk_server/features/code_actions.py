"""Repairs and suppressions. Invariant: an edit is offered only for the very text it was made for."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from evidencedesk_server.desk import Desk
from evidencedesk_server.from_lsp import span_of
from evidencedesk_server.looking import look
from evidencedesk_server.messages import ActionEntry, Question, text_hash

_WAIT_SECONDS = 1.0


def register(desk: Desk) -> None:
    """Offer code actions."""
    kinds = [types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorExtract]
    desk.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=kinds))(_code_actions)


async def _code_actions(desk: Desk, params: types.CodeActionParams) -> list[dict[str, Any]]:
    document = desk.session.document(params.text_document.uri)
    only = params.context.only
    if document is None or (place := document.place) is None:
        return []
    await desk.answers.until(lambda: desk.is_evaluated(document, document.version), _WAIT_SECONDS)
    version = document.version
    if document.evaluated != version:
        return []
    wanted = span_of(document.index, params.range, desk.session.profile.encoding)
    found = await look(desk, Question("actions", place.folder, place.path, wanted.start, end=wanted.end))
    if document.version != version:
        return []
    wanted_kinds = [str(getattr(kind, "value", kind)) for kind in only] if only is not None else [""]
    return [
        _with_versions(desk, entry["action"])
        for entry in found
        if _still_holds(desk, entry) and _is_of(entry["action"]["kind"], wanted_kinds)
    ]


def _is_of(kind: str, wanted: list[str]) -> bool:
    """Whether a kind is one of those wanted, or below one of them, as `refactor.extract` is below `refactor`."""
    return any(one == "" or kind == one or kind.startswith(f"{one}.") for one in wanted)


def _still_holds(desk: Desk, entry: ActionEntry) -> bool:
    for uri, needed in entry["needs"].items():
        document = desk.session.document(uri)
        if document is not None and text_hash(document.text) != needed:
            return False
    return True


def _with_versions(desk: Desk, action: dict[str, Any]) -> dict[str, Any]:
    """Fill in the versions of open documents, which only the session knows."""
    changes = action.get("edit", {}).get("documentChanges")
    if not changes:
        return action
    versioned = []
    for change in changes:
        document = desk.session.document(change["textDocument"]["uri"])
        identifier = {**change["textDocument"], "version": document.version if document is not None else None}
        versioned.append({**change, "textDocument": identifier})
    return {**action, "edit": {**action["edit"], "documentChanges": versioned}}
