"""Accepting the present state as the one to compare with. Invariant: the file is written by the engine, never here."""

from __future__ import annotations

from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from evidencedesk_server.desk import Desk
from evidencedesk_server.messages import ACCEPT_BASELINE


def register(desk: Desk) -> None:
    """Offer the command."""

    async def accept(*uris: Any) -> None:
        named = [_folder_of(desk, uri) for uri in uris if uri is not None]
        for folder in named or list(desk.session.folders):
            await desk.accept_baseline(folder)

    desk.command(ACCEPT_BASELINE)(accept)


def _folder_of(desk: Desk, uri: Any) -> str:
    """The folder with this URI, or that holds the file with this URI. Raises JsonRpcInvalidParams for another."""
    if isinstance(uri, str):
        if (folder := uri.rstrip("/")) in desk.session.folders:
            return folder
        if place := desk.session.place_of(uri):
            return place.folder
    raise JsonRpcInvalidParams(f"no open folder holds {uri!r}")
