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
from evidencedesk.text.words import words

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


@dataclass(frozen=True, slots=True, eq=False)
class ChunkWords:
    """The words of chunks, in their order: of their texts, and of their passages, which share a vocabulary."""

    texts: WordLists
    passages: WordLists

    @classmethod
    def of(cls, chunks: Sequence[Chunk]) -> ChunkWords:
        """Each text and each heading is read once: no word runs over the line break between the two."""
        headings = {chunk.passage_heading: 0 for chunk in chunks}
        headings.update(zip(headings, range(len(chunks), len(chunks) + len(headings)), strict=True))
        both = WordLists.of([*(words(chunk.text) for chunk in chunks), *map(words, headings)])
        texts = both.slice(0, len(chunks))
        # By turns: the heading of a chunk, its text.
        lists = np.empty((len(chunks), 2), dtype=np.int64)
        lists[:, 0] = [headings[chunk.passage_heading] for chunk in chunks]
        lists[:, 1] = np.arange(len(chunks))
        lengths = both.lengths[lists]
        sizes = lengths.ravel()
        starts = (np.cumsum(both.lengths) - both.lengths)[lists.ravel()]
        places = np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
        places += np.arange(len(places))
        known = both.vocabulary[: int(texts.numbers.max(initial=-1)) + 1]
        return cls(
            WordLists(known, texts.numbers, texts.lengths),
            WordLists(both.vocabulary, both.numbers[places], lengths.sum(axis=1)),
        )


def digest(chunks: Sequence[Chunk], analysis: Analysis, model: Model, found: ChunkWords | None = None) -> Digest:
    """The digest of one document's chunks; `found` are their words, where they are known already."""
    known = digest_words(chunks, analysis, found.texts if found else None).words
    units = model.embed_word_units(found.passages) if found and model.embed_words else _units(chunks, model)
    return Digest(known, units)


def digest_words(chunks: Sequence[Chunk], analysis: Analysis, found: WordLists | None = None) -> Digest:
    """A digest that knows the terms only; `found` are the words of the texts, where they are known already."""
    analyzers = [analysis.of(chunk.lang) for chunk in chunks]
    if found is None or not all(isinstance(analyzer, PlainAnalyzer) for analyzer in analyzers):
        found = WordLists.of(analyzer.terms(chunk.text) for analyzer, chunk in zip(analyzers, chunks, strict=True))
    return Digest(bags(found), np.zeros((len(chunks), 0), dtype=np.int16))


def digest_passages(chunks: Sequence[Chunk], model: Model) -> Digest:
    """A digest that knows the vectors only."""
    return Digest(bags(WordLists.of([()] * len(chunks))), _units(chunks, model))


def _units(chunks: Sequence[Chunk], model: Model) -> NDArray[np.int16]:
    return embed_units([chunk.to_passage().text for chunk in chunks], model)


def digest_nothing(chunks: Sequence[Chunk]) -> Digest:
    """The digest for those who read the chunks themselves."""
    return Digest(bags(WordLists.of([()] * len(chunks))), np.zeros((len(chunks), 0), dtype=np.int16))


def bags(texts: WordLists) -> Bags:
    """Token lists → their bags."""
    bits = len(texts.vocabulary).bit_length()
    packed = np.sort(texts.owners << bits | texts.numbers)
    firsts = np.flatnonzero(np.diff(packed, prepend=-1))
    keys, counts = packed[firsts], np.diff(firsts, append=len(packed))
    starts = np.searchsorted(keys, np.arange(len(texts.lengths) + 1) << bits)
    terms = keys & ((1 << bits) - 1)
    return Bags(
        texts.vocabulary,
        terms.astype(np.int32),
        counts.astype(np.int32),
        starts.astype(np.int32),
        texts.lengths.astype(np.int32),
    )
