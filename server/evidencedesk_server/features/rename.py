"""Renaming headings, documents and labels. Invariant: a client hears why not, in a sentence, or gets a guarded edit."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from evidencedesk_server.desk import Desk
from evidencedesk_server.guarding import evaluated, guarded, refusal
from evidencedesk_server.looking import look_in_file
from evidencedesk_server.ranges import Json


def register(desk: Desk) -> None:
    """Offer renaming; asking beforehand only to clients that do."""
    if desk.session.profile.prepares_renames:
        desk.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)(_prepare)
        desk.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))(_rename)
    else:
        desk.feature(types.TEXT_DOCUMENT_RENAME)(_rename)


async def _prepare(desk: Desk, params: types.PrepareRenameParams) -> Json:
    return await _look(desk, "rename-place", params.text_document.uri, params.position)


async def _rename(desk: Desk, params: types.RenameParams) -> Json:
    found = await _look(desk, "rename-edits", params.text_document.uri, params.position, (params.new_name,))
    return await guarded(desk, found)


async def _look(
    desk: Desk, what: str, uri: str, position: types.Position, words: tuple[str, ...] = ()
) -> dict[str, Any]:
    document = desk.session.document(uri)
    if document is None or document.place is None:
        raise refusal("This file belongs to no open folder, so nothing is known about its names.")
    await evaluated(desk, document)
    found = await look_in_file(desk, what, uri, position, words)
    if not found or "refused" in found[0]:
        raise refusal(found[0]["refused"] if found else "The knowledge base is still being evaluated. Try again.")
    answer: dict[str, Any] = found[0]
    return answer
