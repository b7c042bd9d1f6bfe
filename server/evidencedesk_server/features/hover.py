"""Hover: what retrieval makes of the place under the pointer. Invariant: never waits for an evaluation that goes on."""

from __future__ import annotations

from lsprotocol import types

from evidencedesk_server.desk import Desk
from evidencedesk_server.looking import look_in_file
from evidencedesk_server.pointing import chunk_id_at, look_everywhere, query_at
from evidencedesk_server.ranges import Json, range_of

_BETWEEN = "\n\n---\n\n"


def register(desk: Desk) -> None:
    """Answer hovers."""
    desk.feature(types.TEXT_DOCUMENT_HOVER)(_hover)


async def _hover(desk: Desk, params: types.HoverParams) -> Json | None:
    here = await look_in_file(desk, "hovers", params.text_document.uri, params.position, any_state=True)
    here = here or await _pointed(desk, params)
    if not here:
        return None
    kind = "markdown" if desk.session.profile.style["markdown"] else "plaintext"
    texts = dict.fromkeys(entry["text"] for entry in here)
    return {"contents": {"kind": kind, "value": _BETWEEN.join(texts)}, "range": here[0]["at"]}


async def _pointed(desk: Desk, params: types.HoverParams) -> list[Json]:
    """What is found for a question of a scratch file, and what a chunk is that a report names."""
    document, encoding = desk.session.document(params.text_document.uri), desk.session.profile.encoding
    if document is None:
        return []
    for what, find in (("search-in-brief", query_at), ("chunk-texts", chunk_id_at)):
        if (pointed := find(document, params.position, encoding)) is not None:
            at = range_of(document.index, pointed.span, encoding)
            found = await look_everywhere(desk, what, document, pointed.words)
            return [{"at": at, "text": text} for text in found]
    return []
