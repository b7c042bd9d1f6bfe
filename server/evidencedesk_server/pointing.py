"""Questions in scratch files and chunk ids in reports. Invariant: found in the present text, where they stand."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from lsprotocol import types

from evidencedesk.text.spans import Encoding, Span
from evidencedesk_server.desk import Desk
from evidencedesk_server.looking import look
from evidencedesk_server.messages import Question
from evidencedesk_server.session import OpenDocument

SCRATCH_ENDING, SCRATCH_LANGUAGE = ".queries.txt", "evidencedesk-queries"
"""Files with a question a line: what `#` begins is a comment, and a bullet before a question is none of it."""

_QUERY = re.compile(r"[ \t]*(?:[-*+][ \t]+)?(?P<query>[^#\s].*?)?[ \t]*")
_CHUNK_ID = re.compile(r"""(?:[^\s"'“”‘’`()<>|,;\[\]\\]|\\[^\sA-Za-z0-9])+:c[0-9]+(?!\w)""")
_ESCAPE = re.compile(r"\\([^\sA-Za-z0-9])")


class Pointed(NamedTuple):
    """Words, and where they stand in the present text."""

    words: str
    span: Span


def query_at(document: OpenDocument, position: types.Position, encoding: Encoding) -> Pointed | None:
    """The question on a line of a scratch file; None in other files, on blank lines and comments."""
    if document.language != SCRATCH_LANGUAGE and not document.spelling.lower().endswith(SCRATCH_ENDING):
        return None
    line = document.index.line_span(document.index.line_of(_offset(document, position, encoding)))
    match = _QUERY.fullmatch(line.of(document.text))
    if match is None or match["query"] is None:
        return None
    start, end = match.span("query")
    return Pointed(match["query"], Span(line.start + start, line.start + end))


def chunk_id_at(document: OpenDocument, position: types.Position, encoding: Encoding) -> Pointed | None:
    """The chunk id under the pointer, without the backslashes that Markdown needs before some letters."""
    offset = _offset(document, position, encoding)
    line = document.index.line_span(document.index.line_of(offset))
    for match in _CHUNK_ID.finditer(document.text, line.start, line.end):
        if match.start() <= offset <= match.end():
            return Pointed(_ESCAPE.sub(r"\1", match[0]), Span(*match.span()))
    return None


async def look_everywhere(desk: Desk, what: str, document: OpenDocument, words: str) -> list[Any]:
    """What a reading finds for some words: in the folder of the document, else in the first open folder that knows."""
    own = [document.place.folder] if document.place is not None else []
    for folder in dict.fromkeys([*own, *desk.session.folders]):
        if found := await look(desk, Question(what, folder, "", words=(words,))):
            return found
    return []


def _offset(document: OpenDocument, position: types.Position, encoding: Encoding) -> int:
    return document.index.offset(position.line, position.character, encoding)
