"""Chunks and pages that say the same. Invariant: exact, and numbers must agree: "FM 1506" is no twin of "FM 1507"."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.text.words import words

SIMILAR = 0.8
"""Near twins share at least this part of their word triples (Jaccard)."""

MIN_WORDS = 8
"""Shorter chunks are no near twins: "See the table below." says nothing twice."""

_PROSE = ("text", "list")
_SHINGLE = 3
# A word that may have a capital and stands inside a sentence: after a word, a comma or a closing bracket and a space,
# or right after a character of a script that sets no spaces.
_INNER = re.compile(r"(?:(?<=[\w,;)’'] )|(?<=[、\u3005-\u9fff]))[^\W\d_a-z][\w-]*")
_CODE = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True, slots=True)
class NearTwin:
    """Two chunk ids (first < second in catalog order) and the Jaccard similarity of their word shingles."""

    first: str
    second: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Twins:
    """`equal`: groups (two or more ids, in catalog order) of chunks whose normalised text is the same; `near`: pairs
    that are not equal but similar; `pages`: groups of document paths whose whole normalised body is the same."""

    equal: tuple[tuple[str, ...], ...]
    near: tuple[NearTwin, ...]
    pages: tuple[tuple[str, ...], ...]


def find_twins(documents: Sequence[tuple[Document, Sequence[Chunk]]]) -> Twins:
    """The twins among all chunks, and among all pages, of documents in catalog order.

    Texts are equal when they are so up to letter case, Unicode form and white space; blank ones are not compared. Of
    an equal group only the first chunk takes part in `near`, and only prose does: code and table rows are alike by
    nature. Near twins hold the same numbers, as often, and every name of one (a capitalised word inside a sentence, a
    word of inline code) occurs in the other. Of chunks that share an id only the first counts.
    """
    chunks: dict[str, Chunk] = {}
    for _, own in documents:
        for chunk in own:
            chunks.setdefault(chunk.id, chunk)
    same_text = _groups((chunk.id, chunk.text) for chunk in chunks.values())
    same_page = _groups((document.path, _body(document)) for document, _ in documents)
    firsts = [chunks[group[0]] for group in same_text]
    return Twins(
        equal=tuple(tuple(group) for group in same_text if len(group) > 1),
        near=tuple(near_twins([chunk for chunk in firsts if chunk.kind in _PROSE])),
        pages=tuple(tuple(group) for group in same_page if len(group) > 1),
    )


def near_twins(chunks: Sequence[Chunk]) -> Iterator[NearTwin]:
    """All near pairs among chunks of different texts, in their order."""
    kept: list[Chunk] = []
    lists: list[list[str]] = []
    for chunk in chunks:
        found = words(chunk.text)
        if len(found) >= MIN_WORDS:
            kept.append(chunk)
            lists.append(found)
    known: dict[tuple[str, ...], int] = {}
    marks = [known.setdefault(_numbers(found), len(known)) for found in lists]
    for first, second, similarity in _similar(_shingle_sets(lists, marks)):
        if _names(kept[first].text) <= set(lists[second]) and _names(kept[second].text) <= set(lists[first]):
            yield NearTwin(kept[first].id, kept[second].id, similarity)


def _body(document: Document) -> str:
    return document.text[document.front.span.end :] if document.front else document.text


def _groups(texts: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Names whose texts are the same up to case, Unicode form and white space; blank texts are left out."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name, text in texts:
        key = " ".join(unicodedata.normalize("NFC", text).casefold().split()).strip("\ufeff")
        if key:
            groups[key].append(name)
    return list(groups.values())


def _numbers(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(word for word in found if not word.isalpha() and any(map(str.isdigit, word))))


def _names(text: str) -> set[str]:
    """The words of capitalised words inside sentences and of inline code."""
    named = [word for word in _INNER.findall(text) if word[0].isupper()]
    return set(words(" ".join([*named, *_CODE.findall(text)])))


@dataclass(frozen=True, slots=True)
class _Sets:
    """Sets of shingle ids: that of row `r` is `ids[starts[r]:starts[r + 1]]`, ascending; rare shingles have low ids.

    Ids below `shared` occur in one set only.
    """

    ids: NDArray[np.int64]
    starts: NDArray[np.int64]
    shared: int

    def of(self, row: int) -> NDArray[np.int64]:
        return self.ids[self.starts[row] : self.starts[row + 1]]


def _shingle_sets(lists: Sequence[Sequence[str]], marks: Sequence[int]) -> _Sets:
    """The set of word triples of each text; triples of texts with different marks are different triples."""
    vocabulary: dict[str, int] = {}
    sizes = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
    flat = np.fromiter(
        (vocabulary.setdefault(word, len(vocabulary)) for found in lists for word in found),
        dtype=np.int64,
        count=int(sizes.sum()),
    )
    owners = np.repeat(np.arange(len(lists)), sizes)
    starts_here = np.flatnonzero(owners[: len(flat) - _SHINGLE + 1] == owners[_SHINGLE - 1 :])
    ids = np.asarray(marks, dtype=np.int64)[owners[starts_here]]
    for place in range(_SHINGLE):
        # Ids stay below the number of triples, so that the product below fits 64 bits.
        _, ids = np.unique(ids * max(1, len(vocabulary)) + flat[starts_here + place], return_inverse=True)
    count = int(ids.max(initial=0)) + 1
    pairs = np.sort(owners[starts_here] * count + ids)
    rows, ids = np.divmod(pairs[np.diff(pairs, prepend=-1) > 0], count)
    frequency = np.bincount(ids, minlength=count)
    by_rarity = np.empty(count, dtype=np.int64)
    by_rarity[np.argsort(frequency, kind="stable")] = np.arange(count)
    members = np.sort(rows * count + by_rarity[ids]) % count
    return _Sets(members, np.searchsorted(rows, np.arange(len(lists) + 1)), int((frequency < 2).sum()))


def _similar(sets: _Sets) -> list[tuple[int, int, float]]:
    """All pairs of rows with a Jaccard similarity of at least SIMILAR, ordered, first < second.

    Two sets that are so similar share at least one of the rarest `size - ceil(SIMILAR · size) + 1` members of each
    (prefix filter: Chaudhuri, Ganti and Kaushik 2006), and the smaller has at least SIMILAR times the larger's size.
    """
    sizes = np.diff(sets.starts)
    prefix = sizes - np.ceil(SIMILAR * sizes - 1e-9).astype(np.int64) + 1
    rarest: Mapping[int, list[int]] = defaultdict(list)
    pairs: list[tuple[int, int, float]] = []
    for row in np.argsort(sizes, kind="stable").tolist():
        size = int(sizes[row])
        members = sets.of(row)
        candidates: set[int] = set()
        rare = members[: prefix[row]]
        for member in rare[rare >= sets.shared].tolist():
            candidates.update(other for other in rarest[member] if sizes[other] >= SIMILAR * size - 1e-9)
            rarest[member].append(row)
        own = set(members.tolist()) if candidates else set()
        for other in candidates:
            shared = len(own.intersection(sets.of(other).tolist()))
            union = size + int(sizes[other]) - shared
            if shared >= SIMILAR * union - 1e-9:
                pairs.append((min(row, other), max(row, other), shared / union))
    return sorted(pairs)
