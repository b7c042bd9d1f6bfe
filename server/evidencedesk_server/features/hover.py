"""Hover: what retrieval makes of the place under the pointer. Invariant: never waits for an evaluation that goes on."""

from __future__ import annotations

from lsprotocol import types

from evidencedesk_server.desk import Desk
from evidencedesk_server.looking import look_in_file
from evidencedesk_server.ranges import Json

_BETWEEN = "\n\n---\n\n"


def register(desk: Desk) -> None:
    """Answer hovers."""
    desk.feature(types.TEXT_DOCUMENT_HOVER)(_hover)


async def _hover(desk: Desk, params: types.HoverParams) -> Json | None:
    here = await look_in_file(desk, "hovers", params.text_document.uri, params.position, any_state=True)
    if not here:
        return None
    kind = "markdown" if desk.session.profile.style["markdown"] else "plaintext"
    texts = dict.fromkeys(entry["text"] for entry in here)
    return {"contents": {"kind": kind, "value": _BETWEEN.join(texts)}, "range": here[0]["at"]}
