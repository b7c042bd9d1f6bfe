"""What a document contributes to the index, as plain arrays. Invariant: it depends on the document's chunks alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.embedding import Model
from evidencedesk.retrieval.vectors import embed_units
from evidencedesk.text.analysis import Analysis, PlainAnalyzer
from evidencedesk.text.word_lists import WordLists

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


def digest(chunks: Sequence[Chunk], analysis: Analysis, model: Model, words: WordLists | None = None) -> Digest:
    """The digest of one document's chunks; `words` are those of their texts, where they are known already."""
    return Digest(digest_words(chunks, analysis, words).words, digest_passages(chunks, model).units)


def digest_words(chunks: Sequence[Chunk], analysis: Analysis, words: WordLists | None = None) -> Digest:
    """A digest that knows the terms only."""
    analyzers = [analysis.of(chunk.lang) for chunk in chunks]
    if words is None or not all(isinstance(analyzer, PlainAnalyzer) for analyzer in analyzers):
        words = WordLists.of(analyzer.terms(chunk.text) for analyzer, chunk in zip(analyzers, chunks, strict=True))
    return Digest(bags(words), np.zeros((len(chunks), 0), dtype=np.int16))


def digest_passages(chunks: Sequence[Chunk], model: Model) -> Digest:
    """A digest that knows the vectors only."""
    return Digest(
        bags(WordLists.of([()] * len(chunks))), embed_units([chunk.to_passage().text for chunk in chunks], model)
    )


def digest_nothing(chunks: Sequence[Chunk]) -> Digest:
    """The digest for those who read the chunks themselves."""
    return Digest(bags(WordLists.of([()] * len(chunks))), np.zeros((len(chunks), 0), dtype=np.int16))


def bags(texts: WordLists) -> Bags:
    """Token lists → their bags."""
    size = max(len(texts.vocabulary), 1)
    keys, counts = np.unique(texts.owners * size + texts.numbers, return_counts=True)
    owners, terms = np.divmod(keys, size)
    starts = np.searchsorted(owners, np.arange(len(texts.lengths) + 1))
    return Bags(
        texts.vocabulary,
        terms.astype(np.int32),
        counts.astype(np.int32),
        starts.astype(np.int32),
        texts.lengths.astype(np.int32),
    )
