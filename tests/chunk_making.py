"""Chunks for tests that need only an id and a text."""

from __future__ import annotations

from evidencedesk.retrieval.chunk import Chunk, Location
from evidencedesk.text.spans import Span

NOWHERE = Location("", Span(0, 0), 1, 1, Span(0, 0))


def chunk(chunk_id: str, text: str, *, status: str = "current", title: str = "") -> Chunk:
    doc_id = chunk_id.rpartition(":")[0] or chunk_id
    return Chunk(chunk_id, doc_id, text, "text", NOWHERE, path=f"{doc_id}.md", status=status, title=title)


def chunks(texts: dict[str, str]) -> list[Chunk]:
    return [chunk(chunk_id, text) for chunk_id, text in texts.items()]
