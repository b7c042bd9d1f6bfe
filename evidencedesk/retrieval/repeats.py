"""Repeated passages, gathered by the pages that share them. Invariant: only chunks in scope are looked at."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.facts import EqualChunks, EqualPages, Facts, SimilarChunks
from evidencedesk.retrieval.places import scoped_chunk
from evidencedesk.retrieval.twins import NearTwin
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


def repeats(facts: Facts) -> list[Repeat]:
    """The equal chunks that matter to an author, gathered by the pages they stand in."""
    found: dict[tuple[str, ...], list[tuple[Chunk, ...]]] = defaultdict(list)
    for group in facts.equal_chunks.values():
        if chunks := passage(group.ids, facts):
            found[pages_of(chunks)].append(chunks)
    return [Repeat(paths, tuple(passages)) for paths, passages in found.items()]


def passage(ids: Iterable[str], facts: Facts) -> tuple[Chunk, ...]:
    """Of chunks that say the same, those that matter to an author: two or more, or none.

    Left out are chunks outside the scope, short ones, copies that stand there because a whole page is a copy, and what
    a translation shares with its original (code, names).
    """
    chunks = [chunk for name in ids if (chunk := scoped_chunk(facts, name))]
    paths = {chunk.path for chunk in chunks}
    chunks = _without_translations([chunk for chunk in chunks if _counts(chunk, paths, facts)])
    return tuple(chunks) if len(chunks) > 1 and len(words(chunks[0].text)) >= MIN_WORDS else ()


def pages_of(chunks: Iterable[Chunk]) -> tuple[str, ...]:
    """The paths of chunks, each once, in their order."""
    return tuple(dict.fromkeys(chunk.path for chunk in chunks))


def copies_of(group: EqualPages, facts: Facts) -> tuple[Document, ...]:
    """The pages of a group that are in scope: two or more, or none."""
    pages = [facts.documents[path] for path in group.paths]
    seen = [page for page in pages if any(scoped_chunk(facts, chunk.id) for chunk in page.chunks)]
    if len(seen) < 2 or sum(len(words(chunk.text)) for chunk in seen[0].chunks) < MIN_WORDS:
        return ()
    return tuple(page.document for page in seen)


def equal_chunks(groups: Iterable[tuple[str, ...]]) -> Mapping[str, EqualChunks]:
    """The groups of `Twins.equal` by their first chunk's id."""
    return {ids[0]: EqualChunks(ids) for ids in groups}


def similar_chunks(pairs: Iterable[NearTwin]) -> Mapping[str, SimilarChunks]:
    """The chunks that pairs of `Twins.near` link, directly or through others, by the id of the first of each group."""
    cluster: dict[str, list[str]] = {}
    for pair in pairs:
        one, other = cluster.setdefault(pair.first, [pair.first]), cluster.setdefault(pair.second, [pair.second])
        if one is not other:
            one += other
            cluster.update(dict.fromkeys(other, one))
    groups = {id(members): members for members in cluster.values()}.values()
    return {members[0]: SimilarChunks(tuple(members)) for members in groups}


def equal_pages(groups: Iterable[tuple[str, ...]]) -> Mapping[str, EqualPages]:
    """The groups of `Twins.pages` by the path of each page."""
    return {path: EqualPages(path, paths) for paths in groups for path in paths}


def _counts(chunk: Chunk, paths: set[str], facts: Facts) -> bool:
    """Whether no earlier page with the same body already brings this chunk into the group."""
    group = facts.equal_pages.get(chunk.path)
    return group is None or group.paths[0] == chunk.path or group.paths[0] not in paths


def _without_translations(chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks in the language of the first one, a single page of each that only differ by a language in the path."""
    pages: dict[str, str] = {}
    return [
        chunk
        for chunk in chunks
        if chunk.lang == chunks[0].lang and pages.setdefault(_LANGUAGE.sub("", chunk.path), chunk.path) == chunk.path
    ]
