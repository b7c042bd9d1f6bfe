"""Files → pages, and which of them the index has to look at. Invariant: what is indexed says what the page says now.

Most work rests on what chunks say and not on where they stand. A page that only moved (a comment in its front matter,
say) stays indexed as it was read before; whoever wants places takes them from the page as it is now.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import TypeVar

from evidencedesk.documents.document import Document
from evidencedesk.documents.versions import head_of
from evidencedesk.retrieval.changes import difference, same_keys
from evidencedesk.retrieval.chunk import Chunk, number_in
from evidencedesk.retrieval.evaluation import Place
from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.workspace.config import Config
from evidencedesk.workspace.files import Source
from evidencedesk.workspace.reading import Reader, Reading

Value = TypeVar("Value")

_content = attrgetter("id", "text", "title", "section", "kind", "path", "status", "audience", "lang")


@dataclass(frozen=True, slots=True)
class Pages:
    """What was read of each file, by path in path order.

    `documents` are as they are now, `indexed` as the index sees them: the same but for the paths of `moved`. A mapping
    of which nothing changed is the same object as before.
    """

    sources: Mapping[str, Source]
    config: Config
    documents: Mapping[str, ChunkedDocument]
    indexed: Mapping[str, Reading]
    moved: Mapping[str, ChunkedDocument]


def read_pages(
    before: Pages | None,
    sources: Mapping[str, Source],
    config: Config,
    reader: Reader,
    progress: Callable[[str, int, int], None],
) -> Pages:
    """The pages of these files; only those that are others than before are read."""
    known = before if before and before.config is config else None
    changed, is_alike = difference(known.sources, sources) if known else (list(sources), False)
    if known and is_alike and not changed:
        return known
    wanted = [path for path in changed if path in sources]
    read = reader.read_all([sources[path] for path in wanted], config, partial(progress, "Reading documents"))
    new = dict(zip(wanted, read, strict=True))
    fresh = {path: reading.document for path, reading in new.items()}
    if known is None:
        return Pages(sources, config, fresh, new, {})
    moved = {path: page for path, page in known.moved.items() if path not in new and path in sources}
    # What a correction did is told with its chunks, which have to be those of now.
    if config.retrieval.searcher != "corrective":
        kept = ((path, page) for path, page in fresh.items() if path in known.indexed)
        moved |= {path: page for path, page in kept if _only_moved(known.indexed[path].document, page)}
    return Pages(
        sources,
        config,
        _merged(known.documents, fresh, sources),
        _merged(known.indexed, {path: one for path, one in new.items() if path not in moved}, sources),
        moved if moved or known.moved else known.moved,
    )


def present(
    indexed: Mapping[str, ChunkedDocument], moved: Mapping[str, ChunkedDocument]
) -> Mapping[str, ChunkedDocument]:
    """Indexed documents, by id, as they are now; `moved` is by path."""
    now = {page.document.doc_id: page for page in moved.values() if _is_indexed(indexed, page.document)}
    return {**indexed, **now} if now else indexed


def placing(by_id: Mapping[str, ChunkedDocument], moved: Mapping[str, ChunkedDocument]) -> Place | None:
    """What gives an indexed chunk as it stands now; None where all do."""
    ids = frozenset(page.document.doc_id for page in moved.values())

    def place(chunk: Chunk) -> Chunk:
        return by_id[chunk.doc_id].chunks[number_in(chunk.id)] if chunk.doc_id in ids else chunk

    return place if ids else None


def _is_indexed(indexed: Mapping[str, ChunkedDocument], document: Document) -> bool:
    return document.doc_id in indexed and indexed[document.doc_id].document.path == document.path


def _only_moved(old: ChunkedDocument, new: ChunkedDocument) -> bool:
    """Whether all that is searched, compared or tried as a heading is the same."""
    return (
        head_of(old.document) == head_of(new.document)
        and _body(old.document) == _body(new.document)
        and list(map(_content, old.chunks)) == list(map(_content, new.chunks))
    )


def _body(document: Document) -> str:
    return document.text[document.sections[0].span.start :] if document.sections else ""


def _merged(known: Mapping[str, Value], new: Mapping[str, Value], paths: Mapping[str, object]) -> Mapping[str, Value]:
    """Values of all `paths`, in their order: new ones, else known ones; `known` itself where that is the same."""
    if same_keys(known, paths):
        return {**known, **new} if new else known
    return {path: new[path] if path in new else known[path] for path in paths}
