"""What features ask the engine about an open document. Invariant: its places come out as ranges of the present text.

Requests for a whole file wait until the text that the client sees is evaluated, as far as that does not take long;
answers that cannot be had in time are refused as outdated, which clients take quietly.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from evidencedesk.text.spans import Encoding, Span
from evidencedesk_server.desk import Desk
from evidencedesk_server.messages import Question
from evidencedesk_server.ranges import range_of
from evidencedesk_server.session import OpenDocument

_EVALUATION_SECONDS = 2.0
_ANSWER_SECONDS = 10.0
_INDEXING_SECONDS = 600.0
_AT_ONCE = frozenset({"hovers", "completions"})
"""What nobody waits long for while a folder is read for the first time."""


async def look_in_file(
    desk: Desk,
    what: str,
    uri: str,
    position: types.Position | None = None,
    words: tuple[str, ...] = (),
    *,
    any_state: bool = False,
) -> list[Any]:
    """What a reading finds in an open document, or at a position in it; nothing for a document of no folder.

    With `any_state` an evaluation of an earlier text will do, so that nobody waits for one that is going on.
    Raises JsonRpcException when the engine does not answer in time.
    """
    document = desk.session.document(uri)
    if document is None or (place := document.place) is None:
        return []
    version, encoding = document.version, desk.session.profile.encoding
    if not any_state or document.evaluated is None:
        await desk.answers.until(lambda: desk.is_evaluated(document, version), _EVALUATION_SECONDS)
    while True:
        evaluated, offset = document.evaluated, 0
        if position is not None:
            present = document.index.offset(position.line, position.character, encoding)
            if (mapped := document.evaluated_offset(present)) is None:
                return []
            offset = mapped
        found = await look(desk, Question(what, place.folder, place.path, offset, words))
        # An answer about another state than the one in which the position was read means another place.
        if document.evaluated == evaluated:
            return [_in_present(one, document, encoding) for one in found]


async def look(desk: Desk, question: Question) -> list[Any]:
    """The answer to a question, once there is a state to ask about.

    Raises JsonRpcException when the engine does not give it in time.
    """
    is_first = question.folder not in desk.answers.indexed
    seconds = _EVALUATION_SECONDS if is_first and question.what in _AT_ONCE else _INDEXING_SECONDS
    if not await desk.answers.until(lambda: desk.is_readable(question.folder), seconds):
        return []
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            return await desk.lookups.find(question)
    except TimeoutError:
        code = types.LSPErrorCodes.ContentModified.value
        raise JsonRpcException("the knowledge base is still being evaluated", code=code) from None


def refresh_when_outdated(desk: Desk, what: str, method: str, refresh: Callable[[], Any]) -> None:
    """Have the client ask again whenever what it was told of a reading no longer holds, if it can be told so."""
    if method in desk.session.profile.refreshes:
        desk.on_outdated.append(lambda outdated: desk.spawn(quietly(refresh)) if what in outdated else None)


async def quietly(request: Callable[[], Any]) -> None:
    """Ask the client for something that nothing depends on: one that cannot do it after all is left alone."""
    with suppress(JsonRpcException):
        await request()


def _in_present(found: Any, document: OpenDocument, encoding: Encoding) -> Any:
    """The answer with ranges of the present text where the engine named characters of the evaluated one."""
    if isinstance(found, list):
        return [_in_present(one, document, encoding) for one in found]
    if not isinstance(found, dict):
        return found
    if (chars := found.get("chars")) is not None:
        return range_of(document.index, document.present_span(Span(*chars)), encoding)
    return {key: _in_present(value, document, encoding) for key, value in found.items()}
