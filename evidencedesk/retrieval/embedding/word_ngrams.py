"""Hashed character n-grams of words. Invariant: whole-number rows, fitted on nothing, equal on every machine.

Only integer hashing, square roots and products are used, all exact or rounded alike everywhere, and what one text holds
is added up in one order: its words as they first occur, of each its n-grams of 3, of 4, of 5, then the whole word.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, count, islice
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evidencedesk.text.analysis import STOP_WORDS
from evidencedesk.text.word_lists import WordLists
from evidencedesk.text.words import words

DIM = 1024

# Chosen by hit@1 and MRR on English and Russian questions and paragraphs.
WEIGHTS = {3: 0.25, 4: 0.5, 5: 1.0}
WHOLE_WORD = 2.0
STOP_WORD = 0.1

# Sums are rounded to whole multiples of 1 / _GRID; a power of two, so that scaling by it is exact.
_GRID = 1024.0
_START, _END = "\x02", "\x03"
_BASE = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)

# The kinds of features are n-grams by n, then the whole word. A feature takes 16 bits: the lower ten are its bucket,
# those above them its place among the weights, negative ones after positive ones.
_KINDS = (*WEIGHTS.values(), WHOLE_WORD)
_WEIGHTS = _GRID * np.array([*_KINDS, *(-weight for weight in _KINDS)])
_BUCKET, _BUCKET_BITS = np.uint16(DIM - 1), np.uint16(10)

Ints = NDArray[np.int64]


class Features(NamedTuple):
    """Of words one after the other: their features, the number of these, and what each word weighs."""

    features: NDArray[np.uint16]
    sizes: Ints
    weights: NDArray[np.float64]


class WordNgrams:
    """The model, with the features of the words that it has met.

    Texts are mostly made of the same few thousand words, so these are hashed once. What is kept changes no result;
    above `limit` features the model begins anew. One thread embeds at a time.
    """

    def __init__(self, limit: int = 1 << 22) -> None:
        self._limit = limit
        self._lock = Lock()
        self._forget()

    def _forget(self) -> None:
        # A word gets the next number when it is first looked up; arrays may be longer than what is known.
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._known = 0
        self._features = np.empty(0, dtype=np.uint16)
        self._sizes: Ints = np.empty(0, dtype=np.int64)
        self._weights = np.empty(0)
        self._starts: Ints = np.zeros(1, dtype=np.int64)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Rows of shape `(len(texts), DIM)`: per distinct word its n-grams, weighted, times the root of its count."""
        tokens = [words(text) for text in texts]
        sizes = np.fromiter(map(len, tokens), dtype=np.int64, count=len(tokens))
        with self._lock:
            numbers = self._numbers_of(chain.from_iterable(tokens), int(sizes.sum()))
            return self._sums(len(texts), *_distinct(np.repeat(np.arange(len(texts)), sizes), numbers))

    def embed_words(self, texts: WordLists) -> NDArray[np.float64]:
        """The same for the words of texts."""
        with self._lock:
            numbers = self._numbers_of(texts.vocabulary, len(texts.vocabulary))[texts.numbers]
            return self._sums(len(texts.lengths), *_distinct(texts.owners, numbers))

    def _numbers_of(self, tokens: Iterable[str], count: int) -> Ints:
        """The numbers of `count` words, all of them known afterwards."""
        if self._starts[self._known] > self._limit:
            self._forget()
        numbers = np.fromiter(map(self._numbers.__getitem__, tokens), dtype=np.int64, count=count)
        self._learn()
        return numbers

    def _learn(self) -> None:
        """Hash the words that got their numbers since the last time."""
        new = list(islice(reversed(self._numbers), len(self._numbers) - self._known))[::-1]
        if new:
            features, sizes, weights = _features(new)
            used = self._starts[self._known]
            self._features = _put(features, self._features, int(used))
            self._sizes = _put(sizes, self._sizes, self._known)
            self._weights = _put(weights, self._weights, self._known)
            self._starts = _put(used + np.cumsum(sizes), self._starts, self._known + 1)
            self._known += len(new)

    def _sums(self, n: int, rows: Ints, numbers: Ints, counts: Ints) -> NDArray[np.float64]:
        """`n` rows; row `rows[i]` holds word `numbers[i]` as often as `counts[i]` says."""
        sizes = self._sizes[numbers]
        places = np.repeat(self._starts[numbers] - (np.cumsum(sizes) - sizes), sizes)
        places += np.arange(len(places))
        features = self._features.take(places)
        cells = np.repeat(rows * DIM, sizes)
        cells += features & _BUCKET
        weights = _WEIGHTS.take(features >> _BUCKET_BITS)
        weights *= np.repeat(self._weights[numbers] * np.sqrt(counts), sizes)
        # Of nothing at all bincount makes whole numbers.
        sums = np.bincount(cells, weights=weights, minlength=n * DIM).astype(np.float64, copy=False)
        return np.rint(sums, out=sums).reshape(n, DIM)


def _put(new: NDArray[Any], array: NDArray[Any], at: int) -> NDArray[Any]:
    """The array with `new` in it from `at` on: itself while there is room, else one twice as long."""
    if len(array) < at + len(new):
        array = np.concatenate([array[:at], np.empty(at + 2 * len(new), dtype=array.dtype)])
    array[at : at + len(new)] = new
    return array


def _distinct(rows: Ints, numbers: Ints) -> tuple[Ints, Ints, Ints]:
    """The distinct pairs of a row (ascending) and a number, in order of first occurrence, and their counts.

    All that matters of a pair is packed into one integer: those sort several times faster than places do.
    """
    n = len(rows)
    place_bits, number_bits = n.bit_length(), int(numbers.max(initial=0)).bit_length()
    packed = np.sort((rows << number_bits | numbers) << place_bits | np.arange(n))
    firsts = np.flatnonzero(np.diff(packed >> place_bits, prepend=-1))
    counts = np.zeros(n, dtype=np.int64)
    counts[packed[firsts] & ((1 << place_bits) - 1)] = np.diff(firsts, append=n)
    places = np.flatnonzero(counts)
    return rows[places], numbers[places], counts[places]


def _features(vocabulary: Sequence[str]) -> Features:
    """Each word between two marks, cut into n-grams, hashed together for all words; there is at least one."""
    marked = "".join(f"{_START}{word}{_END}" for word in vocabulary)
    codes = np.frombuffer(marked.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
    lengths = np.fromiter(map(len, vocabulary), dtype=np.int64, count=len(vocabulary)) + 2
    firsts = np.cumsum(lengths) - lengths

    # By kind and first character; those of n-grams that run over a word's end are not looked at.
    hashes = np.zeros((len(_KINDS), len(codes)), dtype=np.uint64)
    rolling = codes
    for n in range(2, max(WEIGHTS) + 1):
        rolling = rolling[:-1] * _BASE + codes[n - 1 :]
        if n in WEIGHTS:
            hashes[n - min(WEIGHTS), : len(rolling)] = rolling * np.uint64(2 * n + 1)
    powers = np.cumprod(np.full(int(lengths.max()), _BASE))
    hashes[-1, firsts] = np.add.reduceat(codes * powers[np.arange(len(codes)) - np.repeat(firsts, lengths)], firsts)

    # One row a word, one column a kind.
    counts = np.maximum(lengths[:, np.newaxis] + 1 - np.array([*WEIGHTS, 0]), 0)
    counts[:, -1] = 1
    runs = counts.ravel()
    kinds = np.repeat(np.tile(np.arange(len(_KINDS)), len(lengths)), runs)
    offsets = np.arange(len(kinds)) - np.repeat(np.cumsum(runs) - runs, runs)
    sizes = counts.sum(axis=1)
    chosen = _mix(hashes[kinds, np.repeat(firsts, sizes) + offsets])
    places = kinds + len(_KINDS) * (chosen >> np.uint64(63)).astype(np.int64)
    features = places.astype(np.uint16) << _BUCKET_BITS | chosen.astype(np.uint16) & _BUCKET
    # A word weighs the root of its length as a vector: a long one, rarer as a rule, counts more, but not in full.
    weights = 1 / np.sqrt(np.sqrt(counts @ np.square(_KINDS)))
    weights[[word in STOP_WORDS for word in vocabulary]] *= STOP_WORD
    return Features(features, sizes, weights)


def _mix(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread every bit over all others (the finaliser of SplitMix64, Steele, Lea and Flood 2014)."""
    hashes = (hashes ^ (hashes >> np.uint64(30))) * _MIX_1
    hashes = (hashes ^ (hashes >> np.uint64(27))) * _MIX_2
    return hashes ^ (hashes >> np.uint64(31))
