"""Repairs, suppressions and what else can be done. Invariant: an edit is given only for the very text it was made for.

Clients that ask for an edit when its action is chosen get none before that.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from lsprotocol import types

from evidencedesk_server.desk import Desk
from evidencedesk_server.from_lsp import span_of
from evidencedesk_server.guarding import guarded, moved_on, refusal, with_versions
from evidencedesk_server.looking import look
from evidencedesk_server.messages import ActionEntry, Question
from evidencedesk_server.ranges import Json
from evidencedesk_server.session import OpenDocument

_WAIT_SECONDS = 1.0
_KINDS = ("quickfix", "refactor.extract", "refactor.rewrite", "source.fixAll.evidencedesk")
_CHANGED = "The text has changed since this was offered. Ask for the actions again."


def register(desk: Desk) -> None:
    """Offer code actions."""
    resolves = desk.session.profile.resolves_edits
    options = types.CodeActionOptions(code_action_kinds=list(_KINDS), resolve_provider=resolves)
    desk.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(_code_actions)
    if resolves:
        desk.feature(types.CODE_ACTION_RESOLVE)(_resolve)


async def _code_actions(desk: Desk, params: types.CodeActionParams) -> list[Json]:
    document = desk.session.document(params.text_document.uri)
    only = [str(getattr(kind, "value", kind)) for kind in params.context.only or [""]]
    if document is None or document.place is None or not any(_is_of(kind, only) for kind in _KINDS):
        return []
    version = document.version
    await desk.answers.until(lambda: desk.is_evaluated(document, document.version), _WAIT_SECONDS)
    if document.evaluated != document.version:
        return []
    span = span_of(document.index, params.range, desk.session.profile.encoding)
    question = _question(desk, document, span.start, span.end)
    found: list[ActionEntry] = await look(desk, question)
    if document.version != version:
        return []
    found = [entry for entry in found if _is_of(entry["action"]["kind"], only)]
    if desk.session.profile.resolves_edits:
        about = [document.spelling, version, span.start, span.end]
        return [_unresolved(entry, about) for entry in found]
    return [
        {**action, "edit": with_versions(desk, action["edit"])} if "edit" in (action := entry["action"]) else action
        for entry in found
        if await moved_on(desk, entry["needs"]) is None
    ]


async def _resolve(desk: Desk, action: types.CodeAction) -> Json:
    match action.data:
        case [str() as uri, int() as version, int() as start, int() as end]:
            document = desk.session.document(uri)
        case _:
            raise refusal("This action was not offered here.")
    if document is None or document.version != version or document.evaluated != version:
        raise refusal(_CHANGED)
    found: list[ActionEntry] = await look(desk, _question(desk, document, start, end))
    wanted = [str(one.code) + one.message for one in action.diagnostics or ()]
    for entry in found:
        offered = entry["action"]
        about = [one["code"] + one["message"] for one in offered.get("diagnostics", ())]
        if offered["title"] == action.title and about == wanted and "edit" in offered:
            edit = await guarded(desk, {"edit": offered["edit"], "needs": entry["needs"]})
            return {**offered, "edit": edit}
    raise refusal(_CHANGED)


def _question(desk: Desk, document: OpenDocument, start: int, end: int) -> Question:
    profile = desk.session.profile
    words = ["refusals"] if profile.shows_refusals else []
    # A new configuration file would put the editor's settings out of force.
    if profile.creates_files and not desk.session.settings:
        words.append("creates")
    folder, path = document.place or ("", "")
    return Question("actions", folder, path, start, tuple(words), end)


def _unresolved(entry: ActionEntry, data: list[Any]) -> Json:
    action = dict(entry["action"])
    if action.pop("edit", None) is not None:
        action["data"] = data
    return action


def _is_of(kind: str, wanted: Collection[str]) -> bool:
    """Whether a kind is one of those wanted, or below one of them, as `refactor.extract` is below `refactor`."""
    return any(one == "" or kind == one or kind.startswith(f"{one}.") for one in wanted)
