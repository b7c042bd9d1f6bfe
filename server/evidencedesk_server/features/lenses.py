"""Lenses over labels and headings, and what a click on one shows. Invariant: rankings are rendered by the engine."""

from __future__ import annotations

from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from evidencedesk_server.desk import Desk
from evidencedesk_server.looking import look, look_in_file, refresh_when_outdated
from evidencedesk_server.messages import SHOW_RANKING, Question
from evidencedesk_server.page import OwnPage
from evidencedesk_server.ranges import Json

_BETWEEN = "\n\n---\n\n"


def register(desk: Desk) -> None:
    """Offer lenses, and the command that they run."""
    desk.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))(_lenses)
    refresh_when_outdated(
        desk, "lenses", types.WORKSPACE_CODE_LENS_REFRESH, lambda: desk.workspace_code_lens_refresh_async(None)
    )
    page = OwnPage(desk, "ranking.md")

    async def show(uri: Any = None, labels: Any = None) -> str:
        text = await _rankings(desk, uri, labels)
        page.show(text)
        return text

    desk.command(SHOW_RANKING)(show)


async def _lenses(desk: Desk, params: types.CodeLensParams) -> list[Json]:
    return await look_in_file(desk, "lenses", params.text_document.uri)


async def _rankings(desk: Desk, uri: Any, labels: Any) -> str:
    """The rankings of these labels as Markdown. Raises JsonRpcInvalidParams for arguments that name none."""
    place = desk.session.place_of(uri) if isinstance(uri, str) else None
    if place is None or not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise JsonRpcInvalidParams(f"{SHOW_RANKING} takes the URI of a file in an open folder, and a list of label ids")
    found = await look(desk, Question("rankings", place.folder, "", words=tuple(labels)))
    if not found:
        raise JsonRpcInvalidParams(f"no label has the id {', '.join(labels) or '“”'}")
    return _BETWEEN.join(found)
