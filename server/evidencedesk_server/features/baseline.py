"""Accepting the present state as the one to compare with. Invariant: the file is written by the engine, never here."""

from __future__ import annotations

from pygls.exceptions import JsonRpcInvalidParams

from evidencedesk_server.desk import Desk
from evidencedesk_server.to_lsp import ACCEPT_BASELINE


def register(desk: Desk) -> None:
    """Offer the command."""

    async def accept(uri: object = None) -> None:
        for folder in _folders(desk, uri):
            await desk.accept_baseline(folder)

    desk.command(ACCEPT_BASELINE)(accept)


def _folders(desk: Desk, uri: object) -> list[str]:
    if uri is None:
        return list(desk.session.folders)
    if isinstance(uri, str):
        if uri.rstrip("/") in desk.session.folders:
            return [uri.rstrip("/")]
        if place := desk.session.place_of(uri):
            return [place.folder]
    raise JsonRpcInvalidParams(f"no open folder holds {uri!r}")
