"""Hover: what retrieval makes of the place under the pointer. Invariant: looks up what the engine made ready."""

from __future__ import annotations

from lsprotocol import types

from evidencedesk.text.spans import Span
from evidencedesk_server.desk import Desk
from evidencedesk_server.ranges import Json, range_of

_WAIT_SECONDS = 2.0
_BETWEEN = "\n\n---\n\n"


def register(desk: Desk) -> None:
    """Answer hovers."""
    desk.feature(types.TEXT_DOCUMENT_HOVER)(_hover)


async def _hover(desk: Desk, params: types.HoverParams) -> Json | None:
    document = desk.session.document(params.text_document.uri)
    if document is None or (place := document.place) is None:
        return None
    if place not in desk.answers.buffers:
        await desk.answers.until(lambda: desk.is_evaluated(document, document.version), _WAIT_SECONDS)
    answers = desk.answers.buffers.get(place)
    profile = desk.session.profile
    present = document.index.offset(params.position.line, params.position.character, profile.encoding)
    offset = document.evaluated_offset(present)
    if answers is None or offset is None:
        return None
    here = [entry for entry in answers.hovers if entry["start"] <= offset <= entry["end"]]
    if not here:
        return None
    # The place itself first, then what stands around it.
    here.sort(key=lambda entry: (entry["note"], entry["end"] - entry["start"]))
    texts = dict.fromkeys(answers.texts[entry["key"]] for entry in here)
    span = document.present_span(Span(here[0]["start"], here[0]["end"]))
    return {
        "contents": {"kind": "markdown" if profile.style["markdown"] else "plaintext", "value": _BETWEEN.join(texts)},
        "range": range_of(document.index, span, profile.encoding),
    }
