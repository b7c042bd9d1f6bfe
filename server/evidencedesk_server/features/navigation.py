"""Definition, references, highlights, links. Invariant: a place that the engine does not know leads nowhere."""

from __future__ import annotations

from lsprotocol import types

from evidencedesk_server.desk import Desk
from evidencedesk_server.looking import look_in_file
from evidencedesk_server.pointing import chunk_id_at, look_everywhere, query_at
from evidencedesk_server.ranges import Json, range_of


def register(desk: Desk) -> None:
    """Lead from labels to evidence and back."""
    desk.feature(types.TEXT_DOCUMENT_DEFINITION)(_definition)
    desk.feature(types.TEXT_DOCUMENT_REFERENCES)(_references)
    desk.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)(_highlights)
    desk.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK, types.DocumentLinkOptions(resolve_provider=False))(_links)


async def _definition(desk: Desk, params: types.DefinitionParams) -> list[Json]:
    found: list[Json] = await look_in_file(desk, "definitions", params.text_document.uri, params.position)
    found = found or await _pointed(desk, params)
    if desk.session.profile.links:
        return found
    return [{"uri": link["targetUri"], "range": link["targetSelectionRange"]} for link in found]


async def _pointed(desk: Desk, params: types.DefinitionParams) -> list[Json]:
    """From a question of a scratch file to the chunks that it finds, from a chunk's id in a report to its text."""
    document, encoding = desk.session.document(params.text_document.uri), desk.session.profile.encoding
    if document is None:
        return []
    for what, find in (("found-places", query_at), ("chunk-places", chunk_id_at)):
        if (pointed := find(document, params.position, encoding)) is not None:
            origin = range_of(document.index, pointed.span, encoding)
            places = await look_everywhere(desk, what, document, pointed.words)
            return [{"originSelectionRange": origin, **place} for place in places]
    return []


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
