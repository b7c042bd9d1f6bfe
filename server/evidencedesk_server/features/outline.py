"""Symbols and folding. Invariant: clients that cannot nest symbols get the same ones flat."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from lsprotocol import types

from evidencedesk_server.desk import Desk
from evidencedesk_server.looking import look, look_in_file, refresh_when_outdated
from evidencedesk_server.messages import Question
from evidencedesk_server.ranges import Json


def register(desk: Desk) -> None:
    """Show how files are built."""
    desk.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(_document_symbols)
    desk.feature(types.WORKSPACE_SYMBOL)(_workspace_symbols)
    desk.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)(_folds)
    refresh_when_outdated(
        desk,
        "folds",
        types.WORKSPACE_FOLDING_RANGE_REFRESH,
        lambda: desk.workspace_folding_range_refresh_async(None),
    )


async def _document_symbols(desk: Desk, params: types.DocumentSymbolParams) -> list[Json]:
    uri = params.text_document.uri
    symbols: list[Json] = await look_in_file(desk, "symbols", uri)
    return symbols if desk.session.profile.nests else list(_flat(symbols, uri, ""))


def _flat(symbols: list[Json], uri: str, container: str) -> Iterator[Json]:
    for symbol in symbols:
        name, location = symbol["name"], {"uri": uri, "range": symbol["range"]}
        yield {"name": name, "kind": symbol["kind"], "location": location, "containerName": container}
        yield from _flat(symbol.get("children", []), uri, name)


async def _workspace_symbols(desk: Desk, params: types.WorkspaceSymbolParams) -> list[Json]:
    questions = [Question("workspace-symbols", folder, "", words=(params.query,)) for folder in desk.session.folders]
    found = await asyncio.gather(*(look(desk, question) for question in questions))
    return [symbol for symbols in found for symbol in symbols]


async def _folds(desk: Desk, params: types.FoldingRangeParams) -> list[Json]:
    ranges = [fold["range"] for fold in await look_in_file(desk, "folds", params.text_document.uri)]
    lines = dict.fromkeys((place["start"]["line"], place["end"]["line"]) for place in ranges)
    return [{"startLine": first, "endLine": last} for first, last in lines if last > first]
