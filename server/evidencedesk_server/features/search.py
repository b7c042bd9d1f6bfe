"""Ad hoc search: a question that is in no label. Invariant: it changes nothing, not even a cache."""

from __future__ import annotations

from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from evidencedesk_server.desk import Desk
from evidencedesk_server.looking import look
from evidencedesk_server.messages import SEARCH, Question
from evidencedesk_server.page import OwnPage

_BETWEEN = "\n\n---\n\n"


def register(desk: Desk) -> None:
    """Offer the command."""
    page = OwnPage(desk, "search.md")

    async def search(*arguments: Any) -> str:
        query, uri = (*arguments, None, None)[:2]
        text = await _found(desk, query, uri)
        page.show(text)
        return text

    desk.command(SEARCH)(search)


async def _found(desk: Desk, query: Any, uri: Any) -> str:
    """What each searcher finds, as Markdown. Raises JsonRpcInvalidParams for no question, and where no folder is."""
    words = " ".join(query.split()) if isinstance(query, str) else ""
    if not words:
        raise JsonRpcInvalidParams(f"{SEARCH} takes a question, and optionally the URI of a folder or of a file in it")
    pages = []
    for folder in _folders(desk, uri):
        pages += await look(desk, Question("search", folder, "", words=(words,)))
    if not pages:
        raise JsonRpcInvalidParams("no open folder is indexed yet: there is nothing to search")
    return _BETWEEN.join(pages)


def _folders(desk: Desk, uri: Any) -> list[str]:
    """The folder that is meant by a URI; every open one where that is in none, as a scratch file is."""
    if isinstance(uri, str):
        if (folder := uri.rstrip("/")) in desk.session.folders:
            return [folder]
        if (place := desk.session.place_of(uri)) is not None:
            return [place.folder]
    return list(desk.session.folders)
