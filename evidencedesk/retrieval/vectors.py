"""Vectors of passages and exact search among them. Invariant: equal scores go by passage id."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.embedding import Model
from evidencedesk.retrieval.embedding.fixed_point import QUANTUM, from_units
from evidencedesk.retrieval.selection import best_rows
from evidencedesk.text.words import words

__all__ = [
    "Block",
    "Contenders",
    "Hit",
    "IndexMeta",
    "Model",
    "VectorIndex",
    "contenders",
    "score_rows",
    "top_k",
    "unusable_reason",
]

_BATCH = 64
_BLOCK = 1 << 24
_ROWS = 1024
_QUERIES = 1024
_HELD = 1 << 20

Vectors = NDArray[np.float32]
Units = NDArray[np.int16]


def unusable_reason(query: str) -> str | None:
    """Why a query cannot be embedded, as a sentence; None when it can."""
    if not query.strip():
        return "The query is empty."
    if not words(query):
        return "The query holds no word."
    return None


class Hit(NamedTuple):
    """A passage and its cosine with the query."""

    passage_id: str
    score: float


@dataclass(frozen=True, slots=True)
class IndexMeta:
    """What an index was built with."""

    model: str
    dim: int
    built_at: str

    def check(self, model: Model) -> None:
        """Raises ValueError when `model` is not the one that the index was built with."""
        if (model.name, model.dim) != (self.model, self.dim):
            raise ValueError(
                f"This index was built with the model {self.model} ({self.dim} dimensions), not with {model.name} "
                f"({model.dim}). Build it again."
            )


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """Passages as rows: `units[i]` is the unit vector of the passage `ids[i]` in units of its grid (`fixed_point`)."""

    ids: tuple[str, ...]
    units: Units
    meta: IndexMeta

    @classmethod
    def build(
        cls, passages: Sequence[tuple[str, str]], model: Model, clock: str | Callable[[], str] = ""
    ) -> tuple[VectorIndex, tuple[str, ...]]:
        """The index of `(passage_id, text)` pairs in their order, and the ids of those with nothing to embed.

        `clock` (a time, or a function that tells it) is only written down in `meta`.
        """
        units = embed_units([text for _, text in passages], model)
        ids = tuple(passage_id for passage_id, _ in passages)
        empty = tuple(ids[row] for row in np.flatnonzero(~units.any(axis=1)))
        return cls(ids, units, IndexMeta(model.name, model.dim, clock if isinstance(clock, str) else clock())), empty

    @property
    def matrix(self) -> Vectors:
        """All vectors, shape (len(ids), dim), made anew each time."""
        return from_units(self.units)


def embed_units(texts: Sequence[str], model: Model) -> Units:
    """A row for each text, shape (len(texts), dim)."""
    units = np.empty((len(texts), model.dim), dtype=np.int16)
    for start in range(0, len(texts), _BATCH):
        part = texts[start : start + _BATCH]
        units[start : start + len(part)] = model.embed_units(part)
    return units


def top_k(vec: NDArray[np.floating], matrix: Vectors, ids: Sequence[str], k: int) -> list[Hit]:
    """The `k` rows of `matrix` with the greatest cosine with `vec`, ties by id; negative ones count as well.

    `vec` has shape (dim,), `matrix` (len(ids), dim).
    """
    order = np.array(sorted(range(len(ids)), key=ids.__getitem__), dtype=np.intp)
    scores = next(score_rows(np.reshape(vec, (1, -1)), matrix))[order]
    return [Hit(ids[order[row]], float(scores[row])) for row in best_rows(scores, k)]


def score_rows(queries: Vectors, matrix: Vectors | Units) -> Iterator[NDArray[np.float32]]:
    """Per query, in order, its cosine with every row of `matrix`, which holds vectors or units of the grid.

    Computed in blocks that bound the memory. Unit vectors on a grid may be longer than 1 by a trifle; what that adds
    above a cosine of 1 is cut.
    """
    if matrix.dtype == np.int16:
        queries = queries * np.float32(QUANTUM)
    step = max(1, _BLOCK // max(1, len(matrix)))
    for start in range(0, len(queries), step):
        part = queries[start : start + step]
        scores = np.empty((len(part), len(matrix)), dtype=np.float32)
        for row in range(0, len(matrix), _ROWS):
            block = matrix[row : row + _ROWS].astype(np.float32, copy=False)
            np.matmul(part, block.T, out=scores[:, row : row + _ROWS])
        yield from np.minimum(scores, 1, out=scores)


class Contenders(NamedTuple):
    """Of one query: slots, in no order, their cosines, and a number that no other slot's cosine exceeds."""

    slots: NDArray[np.int32]
    scores: NDArray[np.float32]
    bound: float


Block = tuple[NDArray[np.int32], Sequence[Units]]
"""Some slots, and arrays that hold their vectors one after another, in units of the grid."""


def contenders(queries: Vectors, blocks: Iterable[Block], count: int) -> Iterator[Contenders]:
    """Per query, in order, the slots of the `count` greatest positive cosines, with all that tie with the last of them.

    Blocks of a thousand or two are best. Each becomes numbers once for all queries, in one place that stays in the
    processor's cache: a single question waits for the memory that the vectors lie in. Of a block's scores only those
    are kept that can still be among the best: many questions cost what the matrix product costs. The scores are those
    of `score_rows`.
    """
    queries = queries * np.float32(QUANTUM)
    numbers = np.empty((0, queries.shape[1]), dtype=np.float32)
    least = np.full(len(queries), np.finfo(np.float32).tiny, dtype=np.float32)
    kept = _Hits.none()
    new: list[_Hits] = []
    for slots, units in blocks:
        if len(slots) > len(numbers):
            numbers = np.empty((len(slots), queries.shape[1]), dtype=np.float32)
        block = np.concatenate(units, out=numbers[: len(slots)])
        for start in range(0, len(queries), _QUERIES):
            scores = queries[start : start + _QUERIES] @ block.T
            here = least[start : start + _QUERIES]
            if here.max(initial=0) < QUANTUM**2 and len(block) >= count:
                # At first every positive score would be kept, were it not for those beside it.
                np.maximum(here, np.partition(scores, len(block) - count, axis=1)[:, len(block) - count], out=here)
            hits = np.flatnonzero(scores >= here[:, np.newaxis])
            rows, columns = np.divmod(hits, len(block))
            new.append(_Hits(rows + start, slots[columns], np.minimum(scores.ravel()[hits], 1)))
        if sum(len(hits.rows) for hits in new) > _HELD:
            kept, new = _Hits.joined([kept, *new]).best(count, least), []
    kept = _Hits.joined([kept, *new]).best(count, least)
    ends = np.searchsorted(kept.rows, np.arange(len(queries) + 1))
    for row, (start, end) in enumerate(pairwise(ends.tolist())):
        # Whatever fell short of the least that is kept does so by a step of the grid of scores.
        bound = float(least[row]) - QUANTUM**2 if end - start >= count else 0.0
        yield Contenders(kept.slots[start:end], kept.scores[start:end], bound)


class _Hits(NamedTuple):
    """Scores of slots for queries (`rows`)."""

    rows: NDArray[np.int64]
    slots: NDArray[np.int32]
    scores: NDArray[np.float32]

    @classmethod
    def none(cls) -> _Hits:
        return cls(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32))

    @classmethod
    def joined(cls, parts: Sequence[_Hits]) -> _Hits:
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def best(self, count: int, least: NDArray[np.float32]) -> _Hits:
        """The `count` best of each query and what ties with the last of them, whose score is put into `least`."""
        # A score is a whole number of steps from 0 to 2^22.
        steps = (self.scores * np.float32(QUANTUM**-2)).astype(np.int64)
        order = np.argsort((self.rows << 23) - steps)
        rows, scores = self.rows[order], self.scores[order]
        starts = np.searchsorted(rows, np.arange(len(least) + 1))
        full = np.flatnonzero(np.diff(starts) >= count)
        least[full] = scores[starts[full] + count - 1]
        kept = order[scores >= least[rows]]
        return _Hits(self.rows[kept], self.slots[kept], self.scores[kept])
