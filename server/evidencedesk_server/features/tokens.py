"""Semantic tokens: gold evidence in Markdown. Invariant: tokens are in order and none crosses a line.

Standard names are used, since every theme colours them: evidence is a `string`, in a page that is not current it is
`deprecated`.
"""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from evidencedesk.text.spans import LineIndex, Span
from evidencedesk_server.desk import Desk
from evidencedesk_server.from_lsp import span_of
from evidencedesk_server.looking import look_in_file, refresh_when_outdated
from evidencedesk_server.ranges import Json

_LEGEND = types.SemanticTokensLegend(
    token_types=[types.SemanticTokenTypes.String.value],
    token_modifiers=[types.SemanticTokenModifiers.Deprecated.value],
)
_STRING, _DEPRECATED = 0, 1


def register(desk: Desk) -> None:
    """Mark the evidence that labels rest on."""
    desk.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, _LEGEND)(_tokens)
    refresh_when_outdated(
        desk,
        "evidence",
        types.WORKSPACE_SEMANTIC_TOKENS_REFRESH,
        lambda: desk.workspace_semantic_tokens_refresh_async(None),
    )


async def _tokens(desk: Desk, params: types.SemanticTokensParams) -> Json:
    found: list[Json] = await look_in_file(desk, "evidence", params.text_document.uri)
    document = desk.session.document(params.text_document.uri)
    if document is None:
        return {"data": []}
    encoding = desk.session.profile.encoding
    data: list[int] = []
    line, column = 0, 0
    for one in found:
        for piece in _lines(document.index, span_of(document.index, _range(one["range"]), encoding)):
            start, end = document.index.position(piece.start, encoding), document.index.position(piece.end, encoding)
            # Each token is told relative to the one before.
            ahead = start.column - column if start.line == line else start.column
            data += [start.line - line, ahead, end.column - start.column, _STRING, _DEPRECATED if one["stale"] else 0]
            line, column = start.line, start.column
    return {"data": data}


def _range(place: Json) -> types.Range:
    return types.Range(types.Position(**place["start"]), types.Position(**place["end"]))


def _lines(index: LineIndex, span: Span) -> Iterator[Span]:
    """The parts of a span on each of its lines, without empty ones."""
    for line in range(index.line_of(span.start), index.line_of(span.end) + 1):
        whole = index.line_span(line)
        part = Span(max(span.start, whole.start), min(span.end, whole.end))
        if part.start < part.end:
            yield part
