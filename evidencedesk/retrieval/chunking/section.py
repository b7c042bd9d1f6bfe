"""One chunk per section."""

from __future__ import annotations

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.chunking.build import Chunker, build, source_piece


def section() -> Chunker:
    """One chunk per section that has a body; a section ends where the next heading of any level stands.

    The text is the source without the heading.
    """

    def chunk(document: Document) -> list[Chunk]:
        bodies = (source_piece(document, section.body) for section in document.sections)
        return build(document, [body for body in bodies if body])

    return chunk
