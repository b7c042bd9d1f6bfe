"""Repeated passages, gathered by the pages that share them. Invariant: only chunks in scope are looked at.

Of chunks that say the same those matter to an author that are in scope and long enough, without copies that stand there
because a whole page is a copy, and without what a translation shares with its original (code, names). A group is looked
at again where a page of it changed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, compress
from operator import eq
from typing import NamedTuple

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.changes import changed_keys
from evidencedesk.retrieval.chunk import Chunk, doc_id_in, number_in
from evidencedesk.retrieval.facts import ChunkedDocument, EqualChunks, EqualPages, Facts, SimilarChunks
from evidencedesk.retrieval.places import chunk_of, scoped_chunk
from evidencedesk.retrieval.scope import Scope
from evidencedesk.retrieval.twins import NearTwin, Twins
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
        found[group.paths].append(tuple(chunk_of(facts, name) for name in group.ids))
    return [Repeat(paths, tuple(passages)) for paths, passages in found.items()]


class _Page(NamedTuple):
    """What decides whether a page's chunks matter; `original` is its path without a language."""

    path: str
    original: str
    lang: str
    in_scope: bool
    chunks: int


class _Group(NamedTuple):
    """Ids of chunks that say the same, the documents that hold them, and which of them matter.

    `first` is the document of the first that matters, "" where none does; of its text the length has been looked at.
    """

    ids: tuple[str, ...]
    docs: list[str]
    doc_ids: frozenset[str]
    counts: list[bool]
    first: str
    passage: EqualChunks | None


@dataclass(frozen=True, slots=True)
class Repeats:
    """What repeats in one state, in the order of the twins, and what the next state can take over."""

    equal: Mapping[str, EqualChunks]
    similar: Mapping[str, SimilarChunks]
    twins: Twins
    by_id: Mapping[str, ChunkedDocument]
    copies: Mapping[str, EqualPages]
    scope: Scope
    pages: Mapping[str, _Page]
    groups: Mapping[str, _Group]
    clusters: Mapping[str, _Group]


def find_repeats(
    before: Repeats | None,
    twins: Twins,
    by_id: Mapping[str, ChunkedDocument],
    copies: Mapping[str, EqualPages],
    scope: Scope,
) -> Repeats:
    """The equal and the similar chunks that matter to an author; `copies` are the pages with the same body, by path."""
    if before and (before.copies != copies or before.scope != scope):
        before = None
    pages = dict(before.pages) if before else {}
    changed = changed_keys(before.by_id, by_id) if before else list(by_id)
    stirred = set()
    for doc_id in changed:
        page = _page(by_id[doc_id], scope) if doc_id in by_id else None
        if page != pages.pop(doc_id, None):
            stirred.add(doc_id)
        if page is not None:
            pages[doc_id] = page
    look = _Look(by_id, pages, copies, frozenset(changed), frozenset(stirred))
    known = before.groups if before else {}
    groups = look.groups(known, twins.equal, is_same=before is not None and before.twins.equal is twins.equal)
    clusters = look.groups(before.clusters if before else {}, similar_chunks(twins.near))
    equal = before.equal if before and groups is known else _passages(groups)
    shared = {one.paths for one in equal.values()} if clusters else set()
    similar = {
        name: SimilarChunks(one.ids, one.paths, one.paths in shared) for name, one in _passages(clusters).items()
    }
    return Repeats(equal, similar, twins, by_id, copies, scope, pages, groups, clusters)


def _passages(groups: Mapping[str, _Group]) -> dict[str, EqualChunks]:
    return {one.passage.ids[0]: one.passage for one in groups.values() if one.passage}


def _page(chunked: ChunkedDocument, scope: Scope) -> _Page:
    document = chunked.document
    original = _LANGUAGE.sub("", document.path)
    in_scope = scope.admits(document.status, document.audience, document.lang)
    return _Page(document.path, original, document.lang, in_scope, len(chunked.chunks))


class _Look(NamedTuple):
    """One look at all groups. Documents of `changed` say something else than before, `stirred` ones count otherwise."""

    by_id: Mapping[str, ChunkedDocument]
    pages: Mapping[str, _Page]
    copies: Mapping[str, EqualPages]
    changed: frozenset[str]
    stirred: frozenset[str]

    def groups(
        self, before: Mapping[str, _Group], now: Iterable[tuple[str, ...]], *, is_same: bool = False
    ) -> Mapping[str, _Group]:
        """The groups by their first ids; `is_same` when all ids are as before."""
        if is_same and not self.stirred and not any(one.first in self.changed for one in before.values()):
            return before
        found = {}
        for ids in now:
            old = before.get(ids[0])
            is_kept = old is not None and old.ids == ids and old.first not in self.changed
            kept = old if is_kept and old is not None and old.doc_ids.isdisjoint(self.stirred) else None
            found[ids[0]] = kept or self._group(ids, old)
        return found

    def _group(self, ids: tuple[str, ...], old: _Group | None) -> _Group:
        docs = _docs(ids, old)
        if old is not None and docs == old.docs and old.doc_ids.isdisjoint(self.stirred):
            doc_ids, counts = old.doc_ids, old.counts
        else:
            doc_ids, counts = frozenset(docs), self._counts(ids, [self.pages[doc_id] for doc_id in docs])
        kept = tuple(compress(ids, counts))
        holders = list(compress(docs, counts))
        first: str = ""
        passage: EqualChunks | None = None
        if len(kept) > 1:
            first = holders[0]
            text = self.by_id[first].chunks[number_in(kept[0])].text
            if len(words(text)) >= MIN_WORDS:
                passage = EqualChunks(kept, tuple(dict.fromkeys([self.pages[doc_id].path for doc_id in holders])))
        return _Group(ids, docs, doc_ids, counts, first, passage)

    def _counts(self, ids: tuple[str, ...], pages: Sequence[_Page]) -> list[bool]:
        """Which of these chunks matter."""
        # Of a document whose id an earlier one has, there may be chunks that are not searched.
        seen = [page.in_scope and number_in(name) < page.chunks for name, page in zip(ids, pages, strict=True)]
        paths = {page.path for page in compress(pages, seen)}
        lang: str | None = None
        originals: dict[str, str] = {}
        for place, page in enumerate(pages):
            if seen[place]:
                seen[place] = self._is_first(page, paths)
            if seen[place]:
                lang = page.lang if lang is None else lang
                seen[place] = page.lang == lang and originals.setdefault(page.original, page.path) == page.path
        return seen

    def _is_first(self, page: _Page, paths: set[str]) -> bool:
        """Whether no earlier page with the same body already brings its chunk into the group."""
        group = self.copies.get(page.path)
        return group is None or group.paths[0] == page.path or group.paths[0] not in paths


def _docs(ids: tuple[str, ...], old: _Group | None) -> list[str]:
    """The documents of chunk ids. Most often a few ids are others than before, and the rest needs no look."""
    if old is None:
        return list(map(doc_id_in, ids))
    head = [*map(eq, ids, old.ids), False].index(False)
    tail = [*map(eq, reversed(ids[head:]), reversed(old.ids[head:])), False].index(False)
    middle = map(doc_id_in, ids[head : len(ids) - tail])
    return [*old.docs[:head], *middle, *old.docs[len(old.docs) - tail :]]


def copies_of(group: EqualPages, facts: Facts) -> tuple[Document, ...]:
    """The pages of a group that are in scope: two or more, or none."""
    pages = [facts.documents[path] for path in group.paths]
    seen = [page for page in pages if any(scoped_chunk(facts, chunk.id) for chunk in page.chunks)]
    if len(seen) < 2 or not any(
        total >= MIN_WORDS for total in accumulate(len(words(one.text)) for one in seen[0].chunks)
    ):
        return ()
    return tuple(page.document for page in seen)


def similar_chunks(pairs: Iterable[NearTwin]) -> list[tuple[str, ...]]:
    """The chunks that pairs of `Twins.near` link, directly or through others."""
    cluster: dict[str, list[str]] = {}
    for pair in pairs:
        one, other = cluster.setdefault(pair.first, [pair.first]), cluster.setdefault(pair.second, [pair.second])
        if one is not other:
            one += other
            cluster.update(dict.fromkeys(other, one))
    return [tuple(members) for members in {id(members): members for members in cluster.values()}.values()]


def equal_pages(groups: Iterable[tuple[str, ...]]) -> Mapping[str, EqualPages]:
    """The groups of `Twins.pages` by the path of each page."""
    return {path: EqualPages(path, paths) for paths in groups for path in paths}
