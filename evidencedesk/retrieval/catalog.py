"""The chunks of a knowledge base and who may see them. Invariant: a Catalog's chunks keep their document order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Any

from evidencedesk.documents.markdown import parse_document
from evidencedesk.retrieval.chunk import Chunk, Location, number_in
from evidencedesk.retrieval.chunking import make_chunker
from evidencedesk.retrieval.corpus import Corpus, Cut, InScope
from evidencedesk.retrieval.scope import Scope
from evidencedesk.samples import kestrel_documents

__all__ = ["Catalog", "Chunk", "Location", "Scope", "load_catalog"]


class Catalog:
    """Chunks with the audience of their documents, looked up by id."""

    def __init__(self, chunks: list[Chunk], audience: Mapping[str, str]) -> None:
        """`audience` maps document ids, so that a copied chunk with a new id keeps its document's audience."""
        self._corpus: Corpus | None = None
        self._pages: Mapping[str, Cut] | None = None
        self._list: Callable[[], list[Chunk]] = lambda: chunks
        self._audience: Callable[[], Mapping[str, str]] = lambda: audience

    @classmethod
    def of(cls, corpus: Corpus, pages: Mapping[str, Cut] | None = None) -> Catalog:
        """The catalog of a corpus; nothing is listed before it is asked for.

        `pages` are its documents as they stand now, by id, where some have moved since the corpus was made.
        """
        made = cls.__new__(cls)
        made._corpus = corpus
        made._pages = pages
        made._list = (
            corpus.all_chunks if pages is None else lambda: [one for cut in pages.values() for one in cut.chunks]
        )
        made._audience = lambda: {name: part.chunks[0].audience for name, part in corpus.parts.items() if part.chunks}
        return made

    @cached_property
    def chunks(self) -> list[Chunk]:
        """All chunks, in document order."""
        return self._list()

    @cached_property
    def audience(self) -> Mapping[str, str]:
        """The audience of each document, by its id."""
        return self._audience()

    @cached_property
    def by_id(self) -> Mapping[str, Chunk]:
        """The chunks by their ids."""
        if self._corpus is None:
            return {chunk.id: chunk for chunk in self.chunks}
        return self._corpus.by_id if self._pages is None else _Moved(self._corpus.by_id, self._pages)

    def allowed(self, scope: Scope) -> AbstractSet[str]:
        """Ids of the chunks inside the scope."""
        if self._corpus:
            return InScope(self._corpus, scope)
        return {
            chunk.id
            for chunk in self.chunks
            if scope.admits(chunk.status, self.audience.get(chunk.doc_id, chunk.audience), chunk.lang)
        }


class _Moved(Mapping[str, Chunk]):
    """The chunks of a corpus as they stand now in its documents, which say the same."""

    def __init__(self, chunks: Mapping[str, Chunk], pages: Mapping[str, Cut]) -> None:
        self._chunks = chunks
        self._pages = pages

    def __getitem__(self, chunk_id: str) -> Chunk:
        return self._pages[self._chunks[chunk_id].doc_id].chunks[number_in(chunk_id)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._chunks)

    def __len__(self) -> int:
        return len(self._chunks)


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
