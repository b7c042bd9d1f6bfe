"""The chunks of a knowledge base and who may see them. Invariant: a Catalog's chunks keep their document order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evidencedesk.documents.markdown import parse_document
from evidencedesk.retrieval.chunk import Chunk, Location
from evidencedesk.retrieval.chunking import make_chunker
from evidencedesk.samples import kestrel_documents

__all__ = ["Catalog", "Chunk", "Location", "Scope", "load_catalog"]


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


def load_catalog(name: str, **opts: Any) -> Catalog:
    """The sample knowledge base cut by the chunking strategy `name` with its options, such as `size` and `overlap`.

    Raises ValueError for an unknown strategy, an unknown option, or a value that the strategy cannot use.
    """
    chunker = make_chunker(name, **opts)
    documents = [parse_document(path, text) for path, text in kestrel_documents()]
    return Catalog(
        [chunk for document in documents for chunk in chunker(document)],
        {document.doc_id: document.audience for document in documents},
    )
