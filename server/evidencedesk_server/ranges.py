"""Spans in the client's units. Invariant: imports nothing that computes, since the loop uses it."""

from __future__ import annotations

from typing import Any

from evidencedesk.text.spans import Encoding, LineIndex, Position, Span

Json = dict[str, Any]


def range_of(index: LineIndex, span: Span, encoding: Encoding) -> Json:
    """Lines and columns of a span."""
    start, end = index.position(span.start, encoding), index.position(span.end, encoding)
    return {"start": _position(start), "end": _position(end)}


def _position(position: Position) -> Json:
    return {"line": position.line, "character": position.column}
