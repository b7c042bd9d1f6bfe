"""How near a query's own chunks are by vectors, beside few others. Invariant: scores and ties are as in a full search.

Vectors of a whole folder are not compared for every heading in it, which would cost the product of the two numbers.
What can stand before a section's chunk are above all its neighbours, which share the title, and what words bring: where
enough of these are nearer, the section is not among the nearest of all.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.corpus import Corpus, Mask, Part
from evidencedesk.retrieval.embedding import Model
from evidencedesk.retrieval.embedding.fixed_point import from_units
from evidencedesk.retrieval.searcher import Tick, untold
from evidencedesk.retrieval.tries import Numbers, Tries

_QUERIES = 256
"""How many queries are looked at together."""


class Near(NamedTuple):
    """Of some queries, by their rows: chunks with a cosine above 0, nearest first, ties by id.

    `is_own` says which ones the query wants.
    """

    rows: Numbers
    slots: NDArray[np.int32]
    scores: NDArray[np.float32]
    is_own: NDArray[np.bool_]

    def places_of_own(self, count: int) -> Numbers:
        """For each of so many queries: how many stand before the first that it wants; very many where there is none."""
        places = np.full(count, np.iinfo(np.intp).max)
        rows, firsts = np.unique(self.rows[self.is_own], return_index=True)
        places[rows] = np.flatnonzero(self.is_own)[firsts] - np.searchsorted(self.rows, rows)
        return places

    def each(self, count: int) -> Iterator[Near]:
        """The same for each of so many queries."""
        for start, end in pairwise(np.searchsorted(self.rows, np.arange(count + 1)).tolist()):
            own = slice(start, end)
            yield Near(self.rows[own], self.slots[own], self.scores[own], self.is_own[own])


def near(
    numbers: Numbers,
    brought: NDArray[np.int32],
    tries: Tries,
    corpus: Corpus,
    mask: Mask,
    model: Model,
    tick: Tick = untold,
) -> Iterator[tuple[int, Near]]:
    """For queries with these numbers, many at a time: how many, and what is near of the pages that ask them and of what
    was brought.

    Only chunks in `mask` count. `brought[i]` holds slots in `mask` for query `numbers[i]`, -1 where there are no more.
    """
    parts = [page.part for page in tries.pages.values()]
    all_rows, pairs = tries.pairs_of(numbers)
    pages_of_pairs = tries.own_page[pairs]
    for start in range(0, len(numbers), _QUERIES):
        tick(start, len(numbers))
        block = numbers[start : start + _QUERIES]
        vectors = model.embed_batch(tries.some(block))
        here = slice(*np.searchsorted(all_rows, (start, start + len(block))).tolist())
        rows, own = all_rows[here] - start, pairs[here]
        found = [_brought(vectors, brought[start : start + _QUERIES], corpus)]
        asking = np.unique(pages_of_pairs[here] * len(block) + rows)
        pages, starts = np.unique(asking // len(block), return_index=True)
        for page, (first, last) in zip(pages.tolist(), pairwise([*starts.tolist(), len(asking)]), strict=True):
            found.append(_of_page(vectors, asking[first:last] % len(block), parts[page], mask))
        at, slots, scores = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        _, once = np.unique(at * len(mask) + slots, return_index=True)
        once = once[scores[once] > 0]
        once = once[np.lexsort((corpus.order[slots[once]], -scores[once], at[once]))]
        at, slots, scores = at[once], slots[once], scores[once]
        kinds, which = np.unique(tries.kinds[np.concatenate([tries.own_slot[own], slots])], return_inverse=True)
        wanted = rows * len(kinds) + which[: len(own)]
        yield len(block), Near(at, slots, scores, np.isin(at * len(kinds) + which[len(own) :], wanted))


_Scored = tuple[Numbers, NDArray[np.int32], NDArray[np.float32]]
"""Rows of queries, slots, and their cosines."""


def _of_page(vectors: NDArray[np.float32], rows: Numbers, part: Part, mask: Mask) -> _Scored:
    allowed = np.flatnonzero(mask[part.slots])
    scores = np.minimum(vectors[rows] @ from_units(part.digest.units[allowed]).T, 1)
    return np.repeat(rows, len(allowed)), np.tile(part.slots[allowed], len(rows)), scores.ravel()


def _brought(vectors: NDArray[np.float32], brought: NDArray[np.int32], corpus: Corpus) -> _Scored:
    rows, columns = np.nonzero(brought >= 0)
    slots = brought[rows, columns]
    cosines = np.einsum("ij,ij->i", vectors[rows], from_units(corpus.units_at(slots, vectors.shape[1])))
    return rows, slots, np.minimum(cosines, 1)
