"""Repeated passages, gathered by the pages that share them. Invariant: only chunks in scope are looked at."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.facts import Facts
from evidencedesk.text.words import words

MIN_WORDS = 8
"""Shorter texts ("See the table below.") repeat without harm."""


# The language of a translated page as a folder or in the file's name: "docs/pt/install.md", "install.pt-br.md".
_LANGUAGE = re.compile(
    r"(?:^|(?<=[/._-]))(?:ar|bg|bn|ca|cs|da|de|el|en|es|et|fa|fi|fr|he|hi|hr|hu|id|it|ja|ko|lt|lv|ms|nl|no|pl|pt|ro|ru"
    r"|sk|sl|sr|sv|sw|ta|te|th|tr|uk|ur|uz|vi|zh)(?:[-_][a-z]{2,4})?(?=[/.])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Repeat:
    """Passages that stand more than once. `passages` are groups of chunks in catalog order; all groups stand in the
    same `paths` (in order of the groups' first chunks; one path when a page repeats itself)."""

    paths: tuple[str, ...]
    passages: tuple[tuple[Chunk, ...], ...]


def repeats(groups: Iterable[Sequence[str]], facts: Facts) -> list[Repeat]:
    """The groups of chunk ids that matter to an author, gathered by the pages they stand in.

    Left out are chunks outside the scope, short ones, copies that stand there because a whole page is a copy, and what
    a translation shares with its original (code, names).
    """
    catalog = facts.catalog
    allowed = catalog.allowed(facts.contract.scope)
    original = {path: pages[0] for pages in facts.twins.pages for path in pages}
    found: dict[tuple[str, ...], list[tuple[Chunk, ...]]] = defaultdict(list)
    for group in groups:
        chunks = [catalog.by_id[name] for name in dict.fromkeys(group) if name in allowed]
        paths = {chunk.path for chunk in chunks}
        chunks = _without_translations([chunk for chunk in chunks if _counts(chunk, paths, original)])
        if len(chunks) > 1 and len(words(chunks[0].text)) >= MIN_WORDS:
            found[tuple(dict.fromkeys(chunk.path for chunk in chunks))].append(tuple(chunks))
    return [Repeat(pages, tuple(passages)) for pages, passages in found.items()]


def equal_pages(facts: Facts) -> list[tuple[Document, ...]]:
    """Groups of documents in scope whose whole body is the same."""
    catalog = facts.catalog
    allowed = catalog.allowed(facts.contract.scope)
    found = []
    for paths in facts.twins.pages:
        pages = [facts.documents[path] for path in paths]
        seen = [page for page in pages if any(chunk.id in allowed for chunk in page.chunks)]
        if len(seen) > 1 and sum(len(words(chunk.text)) for chunk in seen[0].chunks) >= MIN_WORDS:
            found.append(tuple(page.document for page in seen))
    return found


def _counts(chunk: Chunk, paths: set[str], original: Mapping[str, str]) -> bool:
    """Whether no earlier page with the same body already brings this chunk into the group."""
    first = original.get(chunk.path, chunk.path)
    return first == chunk.path or first not in paths


def _without_translations(chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks in the language of the first one, a single page of each that only differ by a language in the path."""
    pages: dict[str, str] = {}
    return [
        chunk
        for chunk in chunks
        if chunk.lang == chunks[0].lang and pages.setdefault(_LANGUAGE.sub("", chunk.path), chunk.path) == chunk.path
    ]
