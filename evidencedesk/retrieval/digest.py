"""What a document contributes to the index, as plain arrays. Invariant: it depends on the document's chunks alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.embedding import Model
from evidencedesk.retrieval.vectors import embed_units
from evidencedesk.text.analysis import Analysis

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Bags:
    """Token lists without their order.

    Text `i` holds `vocabulary[terms[j]]` as often as `counts[j]` says, for `starts[i] <= j < starts[i + 1]`; its terms
    ascend. `lengths[i]` is its number of tokens. `vocabulary` holds each term once, in order of first occurrence.
    """

    vocabulary: tuple[str, ...]
    terms: Ints
    counts: Ints
    starts: Ints
    lengths: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Digest:
    """Of a document's chunks, in their order: the terms of their texts, and the unit vectors of their passages.

    `units` has shape (number of chunks, dim), int16, in units of the model's grid (`fixed_point`).
    """

    words: Bags
    units: NDArray[np.int16]


def digest(chunks: Sequence[Chunk], analysis: Analysis, model: Model) -> Digest:
    """The digest of one document's chunks."""
    return Digest(digest_words(chunks, analysis).words, digest_passages(chunks, model).units)


def digest_words(chunks: Sequence[Chunk], analysis: Analysis) -> Digest:
    """A digest that knows the terms only."""
    words = bags([analysis.of(chunk.lang).terms(chunk.text) for chunk in chunks])
    return Digest(words, np.zeros((len(chunks), 0), dtype=np.int16))


def digest_passages(chunks: Sequence[Chunk], model: Model) -> Digest:
    """A digest that knows the vectors only."""
    return Digest(bags([[]] * len(chunks)), embed_units([chunk.to_passage().text for chunk in chunks], model))


def digest_nothing(chunks: Sequence[Chunk]) -> Digest:
    """The digest for those who read the chunks themselves."""
    return Digest(bags([[]] * len(chunks)), np.zeros((len(chunks), 0), dtype=np.int16))


def bags(texts: Iterable[Sequence[str]]) -> Bags:
    """Token lists → their bags."""
    texts = list(texts)
    vocabulary: dict[str, int] = {}
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    flat = np.fromiter(
        (vocabulary.setdefault(token, len(vocabulary)) for token in chain.from_iterable(texts)),
        dtype=np.int64,
        count=int(lengths.sum()),
    )
    size = max(len(vocabulary), 1)
    keys, counts = np.unique(np.repeat(np.arange(len(texts)), lengths) * size + flat, return_counts=True)
    owners, terms = np.divmod(keys, size)
    starts = np.searchsorted(owners, np.arange(len(texts) + 1))
    return Bags(
        tuple(vocabulary),
        terms.astype(np.int32),
        counts.astype(np.int32),
        starts.astype(np.int32),
        lengths.astype(np.int32),
    )
