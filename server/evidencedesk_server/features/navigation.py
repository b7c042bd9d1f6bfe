"""Definition, references, highlights, links. Invariant: a place that the engine does not know leads nowhere."""

from __future__ import annotations

from lsprotocol import types

from evidencedesk_server.desk import Desk
from evidencedesk_server.looking import look_in_file
from evidencedesk_server.ranges import Json


def register(desk: Desk) -> None:
    """Lead from labels to evidence and back."""
    desk.feature(types.TEXT_DOCUMENT_DEFINITION)(_definition)
    desk.feature(types.TEXT_DOCUMENT_REFERENCES)(_references)
    desk.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)(_highlights)
    desk.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK, types.DocumentLinkOptions(resolve_provider=False))(_links)


async def _definition(desk: Desk, params: types.DefinitionParams) -> list[Json]:
    found: list[Json] = await look_in_file(desk, "definitions", params.text_document.uri, params.position)
    if desk.session.profile.links:
        return found
    return [{"uri": link["targetUri"], "range": link["targetSelectionRange"]} for link in found]


async def _references(desk: Desk, params: types.ReferenceParams) -> list[Json]:
    words = ("declared",) if params.context.include_declaration else ()
    return await look_in_file(desk, "references", params.text_document.uri, params.position, words)


async def _highlights(desk: Desk, params: types.DocumentHighlightParams) -> list[Json]:
    return await look_in_file(desk, "highlights", params.text_document.uri, params.position)


async def _links(desk: Desk, params: types.DocumentLinkParams) -> list[Json]:
    found: list[Json] = await look_in_file(desk, "links", params.text_document.uri)
    if desk.session.profile.tips:
        return found
    return [{"range": link["range"], "target": link["target"]} for link in found]
