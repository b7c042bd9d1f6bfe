"""The chunks of a knowledge base and who may see them. Invariant: a Catalog's chunks keep their document order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evidencedesk.retrieval.chunk import Chunk, Location

__all__ = ["Catalog", "Chunk", "Location", "Scope"]


@dataclass(frozen=True, slots=True)
class Scope:
    """Which documents a search may return: by status, audience and language (None: any language)."""

    statuses: frozenset[str] = frozenset({"current"})
    audiences: frozenset[str] = frozenset({"public"})
    langs: frozenset[str] | None = None


class Catalog:
    """Chunks with the audience of their documents, looked up by id."""

    def __init__(self, chunks: list[Chunk], audience: Mapping[str, str]) -> None:
        """`audience` maps document ids, so that a copied chunk with a new id keeps its document's audience."""
        self.chunks = chunks
        self.audience = audience
        self.by_id = {chunk.id: chunk for chunk in chunks}

    def allowed(self, scope: Scope) -> set[str]:
        """Ids of the chunks inside the scope."""
        return {
            chunk.id
            for chunk in self.chunks
            if chunk.status in scope.statuses
            and self.audience.get(chunk.doc_id, chunk.audience) in scope.audiences
            and (scope.langs is None or chunk.lang in scope.langs)
        }
