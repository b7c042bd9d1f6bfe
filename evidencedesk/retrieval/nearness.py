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
    """Chunks with a cosine above 0, nearest first, ties by id; `is_own` says which ones the query wants."""

    slots: NDArray[np.int32]
    scores: NDArray[np.float32]
    is_own: NDArray[np.bool_]

    def place_of_own(self) -> int | None:
        """How many stand before the first that is wanted, None where there is none."""
        return int(self.is_own.argmax()) if self.is_own.any() else None


def near(
    numbers: Numbers,
    brought: NDArray[np.int32],
    tries: Tries,
    corpus: Corpus,
    mask: Mask,
    model: Model,
    tick: Tick = untold,
) -> Iterator[Near]:
    """For queries with these numbers: the chunks of the pages that ask them, and those brought by others.

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
        is_own = np.isin(at * len(kinds) + which[len(own) :], wanted)
        ends = np.searchsorted(at, np.arange(len(block) + 1)).tolist()
        yield from (Near(slots[first:last], scores[first:last], is_own[first:last]) for first, last in pairwise(ends))


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
