"""Hashed character n-grams of words. Invariant: whole-number rows, fitted on nothing, equal on every machine.

Only integer hashing, square roots and products are used, all exact or rounded alike everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evidencedesk.text.analysis import STOP_WORDS
from evidencedesk.text.words import words

DIM = 1024

# Chosen by hit@1 and MRR on English and Russian questions and paragraphs.
WEIGHTS = {3: 0.25, 4: 0.5, 5: 1.0}
WHOLE_WORD = 2.0
STOP_WORD = 0.1

_GRID = 1024.0
_START, _END = "\x02", "\x03"
_BASE = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


class _Features(NamedTuple):
    """Buckets and signed weights of words; those of word `w` are at `[starts[w]:starts[w + 1]]`."""

    buckets: NDArray[np.int64]
    weights: NDArray[np.float64]
    starts: NDArray[np.int64]


def embed(texts: Sequence[str]) -> NDArray[np.float64]:
    """Rows of shape `(len(texts), DIM)`: per distinct word its n-grams, weighted, times the root of its count."""
    places: dict[str, int] = {}
    per_text: list[dict[int, int]] = []
    for text in texts:
        counts: dict[int, int] = {}
        for word in words(text):
            place = places.setdefault(word, len(places))
            counts[place] = counts.get(place, 0) + 1
        per_text.append(counts)
    features = _features(list(places))

    pairs = sum(map(len, per_text))
    word_of = np.fromiter(chain.from_iterable(per_text), dtype=np.int64, count=pairs)
    count_of = np.fromiter(chain.from_iterable(c.values() for c in per_text), dtype=np.float64, count=pairs)
    text_of = np.repeat(np.arange(len(texts)), np.fromiter(map(len, per_text), dtype=np.int64, count=len(texts)))
    sizes = np.diff(features.starts)[word_of]
    firsts = np.repeat(features.starts[word_of] - (np.cumsum(sizes) - sizes), sizes)
    entries = np.arange(len(firsts)) + firsts
    sums = np.bincount(
        np.repeat(text_of, sizes) * DIM + features.buckets[entries],
        weights=features.weights[entries] * np.repeat(np.sqrt(count_of), sizes),
        minlength=len(texts) * DIM,
    )
    rows: NDArray[np.float64] = np.rint(sums * _GRID).reshape(len(texts), DIM)
    return rows


def _features(vocabulary: Sequence[str]) -> _Features:
    """Each word between two marks, cut into n-grams, hashed together for all words."""
    lengths = np.fromiter((len(word) + 2 for word in vocabulary), dtype=np.int64, count=len(vocabulary))
    ends = np.cumsum(lengths)
    marked = "".join(f"{_START}{word}{_END}" for word in vocabulary)
    codes = np.frombuffer(marked.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
    owners = np.repeat(np.arange(len(vocabulary)), lengths)
    room = np.repeat(ends, lengths) - np.arange(len(codes))

    rolling = codes.copy()
    owner_parts, hash_parts, weight_parts = [], [], []
    for n in range(2, max(WEIGHTS) + 1):
        rolling = rolling[:-1] * _BASE + codes[n - 1 :]
        if n in WEIGHTS:
            fits = np.flatnonzero(room[: len(rolling)] >= n)
            owner_parts.append(owners[fits])
            hash_parts.append(rolling[fits] * np.uint64(2 * n + 1))
            weight_parts.append(np.full(len(fits), WEIGHTS[n]))
    if len(vocabulary):
        offsets = np.arange(len(codes)) - np.repeat(ends - lengths, lengths)
        powers = np.cumprod(np.full(int(lengths.max()), _BASE))
        whole = np.add.reduceat(codes * powers[offsets], ends - lengths)
        owner_parts.append(np.arange(len(vocabulary)))
        hash_parts.append(whole)
        weight_parts.append(np.full(len(vocabulary), WHOLE_WORD))

    owner = np.concatenate(owner_parts)
    order = np.argsort(owner, kind="stable")
    owner = owner[order]
    hashes = _mix(np.concatenate(hash_parts)[order])
    signs = np.where(hashes >> np.uint64(63), -1.0, 1.0)
    sizes = np.bincount(owner, minlength=len(vocabulary))
    weights = np.concatenate(weight_parts)[order]
    # A word weighs the root of its length as a vector: a long one, rarer as a rule, counts more, but not in full.
    per_word = 1 / np.sqrt(np.sqrt(np.bincount(owner, weights=np.square(weights), minlength=len(vocabulary))))
    per_word[[word in STOP_WORDS for word in vocabulary]] *= STOP_WORD
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return _Features((hashes % np.uint64(DIM)).astype(np.int64), weights * signs * per_word[owner], starts)


def _mix(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread every bit over all others (the finaliser of SplitMix64, Steele, Lea and Flood 2014)."""
    hashes = (hashes ^ (hashes >> np.uint64(30))) * _MIX_1
    hashes = (hashes ^ (hashes >> np.uint64(27))) * _MIX_2
    return hashes ^ (hashes >> np.uint64(31))
