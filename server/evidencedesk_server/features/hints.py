"""Inlay hints at chunk boundaries. Invariant: without the setting there are none."""

from __future__ import annotations

from lsprotocol import types

from evidencedesk_server.desk import Desk
from evidencedesk_server.looking import look_in_file, refresh_when_outdated
from evidencedesk_server.ranges import Json


def register(desk: Desk) -> None:
    """Show where chunks begin, to those who want to see it."""
    desk.feature(types.TEXT_DOCUMENT_INLAY_HINT, types.InlayHintOptions(resolve_provider=False))(_hints)
    refresh_when_outdated(
        desk, "boundaries", types.WORKSPACE_INLAY_HINT_REFRESH, lambda: desk.workspace_inlay_hint_refresh_async(None)
    )


async def _hints(desk: Desk, params: types.InlayHintParams) -> list[Json]:
    if not desk.session.shows_boundaries:
        return []
    first, last = params.range.start.line, params.range.end.line
    return [
        {
            "position": boundary["at"]["start"],
            "label": boundary["label"],
            "tooltip": boundary["tooltip"],
            "paddingRight": True,
        }
        for boundary in await look_in_file(desk, "boundaries", params.text_document.uri)
        if first <= boundary["at"]["start"]["line"] <= last
    ]
