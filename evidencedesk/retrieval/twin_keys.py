"""What a document contributes to the search for twins. Invariant: it depends on the document and its chunks alone."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.likeness import MAX_WORDS, MIN_WORDS, holds_digit
from evidencedesk.text.word_lists import WordLists
from evidencedesk.text.words import words

TripleKeys: TypeAlias = NDArray[np.uint32]
Places: TypeAlias = NDArray[np.intp]

_PROSE = ("text", "list")
_DIGEST_BYTES = 16
TEXT_DTYPE = np.dtype(f"S{_DIGEST_BYTES}")
"""Of digests of texts; that of a blank text is empty."""

# Odd 64-bit constants that spread their factor over the upper bits.
_SPREAD = [np.uint64(factor) for factor in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)]


@dataclass(frozen=True, slots=True, eq=False)
class TwinKeys:
    """By what a document and its chunks are compared with others.

    `body` and `texts` (one a chunk) are BLAKE2b digests of 16 bytes of the normalised text; blank text
    has none (b""). `sizes` holds the number of distinct word triples of each chunk that can have near twins, 0 for the
    others; `triples` a key of each triple, chunk after chunk. Different triples may share a key; triples of texts with
    different numbers have different keys, but for chance.
    """

    document: Document
    chunks: tuple[Chunk, ...]
    body: bytes
    texts: NDArray[np.bytes_]
    sizes: NDArray[np.int32]
    triples: TripleKeys


def twin_keys(document: Document, chunks: Sequence[Chunk], found: WordLists | None = None) -> TwinKeys:
    """The keys of one document and its chunks, in their order; `found` are the words of their texts, where known."""
    if found is None:
        found = WordLists.of(words(chunk.text) for chunk in chunks)
    prose = np.array([chunk.kind in _PROSE for chunk in chunks], dtype=np.bool_)
    compared = np.flatnonzero(prose & (found.lengths >= MIN_WORDS) & (found.lengths <= MAX_WORDS))
    sizes = np.zeros(len(chunks), dtype=np.int32)
    keys = [np.empty(0, dtype=np.uint32)]
    codes = _codes(found.vocabulary)
    for batch in _batches(compared, found.lengths):
        own_keys, sizes[batch] = _triple_keys(found, batch, *codes)
        keys.append(own_keys)
    body = document.text[document.front.span.end :] if document.front else document.text
    texts = np.array([text_digest(chunk.text) for chunk in chunks], dtype=TEXT_DTYPE)
    return TwinKeys(document, tuple(chunks), text_digest(body), texts, sizes, np.concatenate(keys))


def text_digest(text: str) -> bytes:
    """The digest of a text; texts that are the same up to case, Unicode form and white space share it."""
    key = " ".join(unicodedata.normalize("NFC", text).casefold().split()).strip("\ufeff")
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest() if key else b""


def _batches(places: Places, lengths: NDArray[np.int64]) -> list[Places]:
    """The places in order, in batches whose lists hold no more than MAX_WORDS words together."""
    bounds = [0]
    ends = np.cumsum(lengths[places])
    while bounds[-1] < len(places):
        before = ends[bounds[-1] - 1] if bounds[-1] else 0
        bounds.append(int(np.searchsorted(ends, before + MAX_WORDS, "right")))
    return [places[start:end] for start, end in pairwise(bounds)]


def _triple_keys(
    found: WordLists, places: Places, codes: NDArray[np.uint64], numeric: NDArray[np.bool_]
) -> tuple[TripleKeys, NDArray[np.intp]]:
    """The keys of the distinct triples of the lists at these places, and how many each has; MAX_WORDS words at most."""
    lengths = found.lengths[places]
    ends = np.cumsum(lengths)
    shifts = np.cumsum(found.lengths)[places] - ends
    owners = np.repeat(np.arange(len(places)), lengths)
    numbers = found.numbers[np.arange(len(owners)) + shifts[owners]]
    if len(codes) > MAX_WORDS:
        used, numbers = np.unique(numbers, return_inverse=True)
        codes, numeric = codes[used], numeric[used]
    # Four numbers of 16 bits each, list and words, tell triples apart exactly.
    packed = ((owners[:-2] << 16 | numbers[:-2]) << 16 | numbers[1:-1]) << 16 | numbers[2:]
    packed = np.sort(packed[owners[:-2] == owners[2:]])
    packed = packed[np.append(True, packed[1:] != packed[:-1])]
    owner, *parts = (packed >> shift & 0xFFFF for shift in (48, 32, 16, 0))
    # The numbers of a list, in any order, as one sum (modulo 2 ** 64).
    sums = np.append(np.uint64(0), np.cumsum((codes * numeric)[numbers]))
    mixed = (sums[ends] - sums[ends - lengths])[owner]
    for part, factor in zip(parts, _SPREAD, strict=True):
        mixed += (codes * factor)[part]
    return (_mixed(mixed) >> np.uint64(32)).astype(np.uint32), np.bincount(owner, minlength=len(places))


def _codes(distinct: Collection[str]) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """A code of each word, made of its UTF-8 bytes, and whether it holds a digit."""
    if not distinct:
        return np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.bool_)
    text = " ".join(distinct) + " "
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    ends = np.flatnonzero(data == ord(" "))
    starts = np.append(0, ends[:-1] + 1)
    place = np.arange(len(data)) - np.repeat(starts, ends + 1 - starts)
    codes = np.add.reduceat(_mixed((place.astype(np.uint64) << np.uint64(8)) | data), starts)
    if text.isascii():
        return codes, np.bitwise_or.reduceat((data >= ord("0")) & (data <= ord("9")), starts)
    return codes, np.fromiter(map(holds_digit, distinct), dtype=np.bool_, count=len(ends))


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Other numbers, one for one, whose upper bits depend on all bits."""
    values = (values + _SPREAD[1]) * _SPREAD[0]
    values ^= values >> np.uint64(29)
    values *= _SPREAD[2]
    values ^= values >> np.uint64(32)
    return values
