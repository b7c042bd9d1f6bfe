"""The standing queries of a searcher as plain arrays. Invariant: restored over equal documents they change no result.

What is kept names nothing by a number that only this process knows: slots are those of a corpus that was just made of
the same documents in the same order (see `Corpus.of`), and terms are given as texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.corpus import Corpus
from evidencedesk.retrieval.embedding.fixed_point import QUANTUM, from_units
from evidencedesk.retrieval.pools import Pool, Slots
from evidencedesk.retrieval.scope import Scope
from evidencedesk.retrieval.standing import Shelf
from evidencedesk.retrieval.vector_pools import VectorPool
from evidencedesk.retrieval.word_pools import Present, WordPool


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of a pool, for `queries` asked within `scope` (None: everything is allowed) for the best `k`.

    See `Pool` for the arrays.
    """

    scope: Scope | None
    k: int
    queries: tuple[str, ...]
    slots: NDArray[np.int32]
    entered: NDArray[np.float64]
    scores: NDArray[np.float64]
    floor: NDArray[np.float64]
    spare: NDArray[np.int64]
    certain: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class KeptWords:
    """Pools of a SparseSearcher: each one's rows and the arrays of a WordPool; terms are places in `vocabulary`."""

    vocabulary: tuple[str, ...]
    pools: tuple[tuple[Rows, WordRows], ...]


@dataclass(frozen=True, slots=True, eq=False)
class WordRows:
    """What a WordPool holds besides; `leeway` is that of scores which are the present ones."""

    terms: NDArray[np.int32]
    weights: NDArray[np.float64]
    idf0: NDArray[np.float64]
    mean0: NDArray[np.float64]
    tf: NDArray[np.int32]
    essential: NDArray[np.bool_]
    leeway: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class KeptVectors:
    """Pools of a DenseSearcher: each one's rows, and the queries' vectors in units of the model's grid."""

    pools: tuple[tuple[Rows, NDArray[np.int16]], ...]


def keep_words(shelf: Shelf[WordPool], corpus: Corpus, present: Present) -> KeptWords:
    """The standing queries of a SparseSearcher."""
    held = present.bm25.held
    slot_of = corpus.numbering()
    used = np.zeros(len(held.terms) + 1, dtype=np.bool_)
    for *_, pool in shelf.contents():
        used[pool.terms] = True
    used[-1] = False
    place_of = np.where(used, np.cumsum(used) - 1, -1).astype(np.int32)
    vocabulary = tuple(term for term, number in held.terms.items() if used[number])
    pools = []
    for scope, k, queries, rows, pool in shelf.contents():
        pool.refresh(rows)
        words = WordRows(
            place_of[pool.terms[rows]],
            pool.weights[rows],
            pool.idf0[rows],
            pool.mean0[rows],
            pool.tf[rows].astype(np.int32),
            pool.essential[rows],
            pool.limit[rows] - present.drift,
        )
        pools.append((_rows(scope, k, queries, rows, pool, slot_of), words))
    return KeptWords(vocabulary, tuple(pools))


def restore_words(kept: KeptWords, shelf: Shelf[WordPool], present: Present) -> None:
    """Put standing queries on the shelf of a searcher over equal documents, which must not hold them yet."""
    numbers = np.array([*map(present.bm25.held.number, kept.vocabulary), -1], dtype=np.int64)
    for rows, words in kept.pools:
        width = words.terms.shape[1]
        pool = WordPool(rows.k, [{}] * len(rows.queries), width)
        pool.terms = numbers[words.terms]
        pool.post()
        pool.weights, pool.idf0, pool.mean0 = words.weights.copy(), words.idf0.copy(), words.mean0.copy()
        pool.tf, pool.essential = words.tf.astype(np.float32), words.essential.copy()
        pool.limit = words.leeway + present.drift
        _fill(pool, rows)
        shelf.put(rows.scope, rows.k, width, rows.queries, pool)


def keep_vectors(shelf: Shelf[VectorPool], corpus: Corpus) -> KeptVectors:
    """The standing queries of a DenseSearcher."""
    slot_of = corpus.numbering()
    return KeptVectors(
        tuple(
            (
                _rows(scope, k, queries, rows, pool, slot_of),
                (pool.vectors[rows] / np.float32(QUANTUM)).astype(np.int16),
            )
            for scope, k, queries, rows, pool in shelf.contents()
        )
    )


def restore_vectors(kept: KeptVectors, shelf: Shelf[VectorPool]) -> None:
    """Put standing queries on the shelf of a searcher over equal documents, which must not hold them yet."""
    for rows, units in kept.pools:
        pool = VectorPool(rows.k, from_units(units))
        _fill(pool, rows)
        shelf.put(rows.scope, rows.k, 0, rows.queries, pool)


def _rows(
    scope: Scope | None, k: int, queries: Sequence[str], rows: NDArray[np.intp], pool: Pool, slot_of: Slots
) -> Rows:
    return Rows(
        scope,
        k,
        tuple(queries),
        np.append(slot_of, np.int32(-1))[pool.slots[rows]],
        pool.entered[rows],
        pool.scores[rows],
        pool.floor[rows],
        pool.spare[rows],
        pool.certain[rows],
    )


def _fill(pool: Pool, rows: Rows) -> None:
    """Give a new pool the arrays of a kept one; it alters them in place, so they are copied."""
    pool.slots, pool.entered, pool.scores = rows.slots.copy(), rows.entered.copy(), rows.scores.copy()
    pool.floor, pool.spare, pool.certain = rows.floor.copy(), rows.spare.copy(), rows.certain.copy()
