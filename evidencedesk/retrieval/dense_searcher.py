"""Search by vectors. Invariant: a cosine depends on its two texts alone, to the last bit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.candidates import RankedList
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.corpus import Corpus, Mask, Part
from evidencedesk.retrieval.digest import digest_passages
from evidencedesk.retrieval.embedding import Model
from evidencedesk.retrieval.embedding.fixed_point import from_units
from evidencedesk.retrieval.kept_pools import KeptVectors, keep_vectors, restore_vectors
from evidencedesk.retrieval.pools import capacity_of
from evidencedesk.retrieval.searcher import Allowed, Best, Tick, new_marks, untold
from evidencedesk.retrieval.selection import best_rows
from evidencedesk.retrieval.standing import Shelf, gather
from evidencedesk.retrieval.vector_pools import VectorPool
from evidencedesk.retrieval.vectors import Block, IndexMeta, VectorIndex, contenders, unusable_reason

_ROWS = 1024
_QUERIES = 2048


class DenseSearcher:
    """Exact cosine search over the chunks' passages, with `Model.hashed()` unless another model is given.

    A cosine of 0 or less is no match, and a query that cannot be embedded matches nothing; ties by chunk id.
    """

    name = "dense"

    def __init__(self, chunks: Sequence[Chunk], model: Model | None = None) -> None:
        model = model or Model.hashed()
        self._begin(Corpus.of_chunks(chunks, lambda own: digest_passages(own, model)), model, None)

    @classmethod
    def over(cls, corpus: Corpus, model: Model, before: DenseSearcher | None = None) -> DenseSearcher:
        """The searcher of a corpus whose passages were digested by `model`; `before` changes no result."""
        made = cls.__new__(cls)
        made._begin(corpus, model, before)
        return made

    def _begin(self, corpus: Corpus, model: Model, before: DenseSearcher | None) -> None:
        self.model = model
        self._corpus = corpus
        self._shelf: Shelf[VectorPool] = Shelf()
        if before and corpus.follows(before._corpus) and before.model == model:
            self._take_over(before)

    def _take_over(self, before: DenseSearcher) -> None:
        """Go on with the standing queries of the searcher before."""
        self._shelf, before._shelf = before._shelf, Shelf()
        self._shelf.settle()
        step = self._corpus.step
        gone, slots = (
            np.concatenate([np.zeros(0, dtype=np.int32), *(rows.slots for rows in part)])
            for part in (step.gone, step.come)
        )
        units = [rows.part.digest.units[rows.rows] for rows in step.come]
        joined = np.concatenate(units or [np.zeros((0, self.model.dim), dtype=np.int16)])
        for pool, mask in self._shelf.pools(self._corpus):
            if step.moved is None:
                pool.stir(step.touched)
                pool.advance(gone, slots, joined, mask, self._corpus.order)
            else:
                pool.move(step.moved)

    def kept(self) -> KeptVectors:
        """Its standing queries, to be restored over equal documents."""
        return keep_vectors(self._shelf, self._corpus)

    def restore(self, kept: KeptVectors) -> None:
        """Take standing queries over that were kept of equal documents, in their order; this changes no result."""
        restore_vectors(kept, self._shelf)

    @cached_property
    def index(self) -> VectorIndex:
        """All vectors, ordered by chunk id."""
        slots = np.flatnonzero(self._corpus.live)
        slots = slots[np.argsort(self._corpus.order[slots], kind="stable")]
        units = np.empty((len(self._corpus.chunks), self.model.dim), dtype=np.int16)
        for part in self._corpus.parts.values():
            units[part.slots] = part.digest.units
        ids = tuple(self._corpus.chunks[slot].id for slot in slots.tolist())
        return VectorIndex(ids, units[slots], IndexMeta(self.model.name, self.model.dim, ""))

    def vectors(self, chunks: Sequence[Chunk]) -> NDArray[np.float32]:
        """The vectors of chunks of this index, shape (number of chunks, dim)."""
        units = np.empty((len(chunks), self.model.dim), dtype=np.int16)
        for row, chunk in enumerate(chunks):
            part = self._corpus.parts[chunk.doc_id]
            units[row] = part.digest.units[part.row_of[chunk.id]]
        return from_units(units)

    def search(self, query: str, k: int = 5, allowed: Allowed = None) -> RankedList:
        """See Searcher. Any thread may call it."""
        return self._scan([query], k, self._corpus.mask(allowed))[0]

    def search_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None) -> list[RankedList]:
        """See Searcher."""
        best = self.rank_many(queries, k, allowed)
        return [best[row] for row in range(len(queries))]

    def rank_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None, tick: Tick = untold) -> Best:
        """See Ranker. Queries that are asked in every state of a corpus have pools (see `pools`)."""
        standing = self._shelf.of(self._corpus, allowed, k)
        mask = self._corpus.mask(allowed)
        if standing is None:
            return self._scan(queries, k, mask)
        new = standing.unknown(queries)
        if new:
            standing.add(0, new, VectorPool(k, self._embedded(new)))

        def renew(pool: VectorPool, rows: NDArray[np.intp], told: Callable[[int], None]) -> None:
            for start in range(0, len(rows), _QUERIES):
                part = rows[start : start + _QUERIES]
                blocks = _telling(self._blocks(mask), partial(told, start))
                found = contenders(pool.vectors[part], blocks, capacity_of(k))
                for row, contending in zip(part.tolist(), found, strict=True):
                    pool.renew(row, contending, self._corpus.order)

        return gather(standing, queries, k, renew, tick, self._corpus.chunks, self.name)

    def _scan(self, queries: Sequence[str], k: int, mask: Mask) -> Best:
        """Score every chunk for every query."""
        slots = np.full((len(queries), max(k, 0)), -1, dtype=np.int32)
        values = np.zeros(slots.shape)
        every = contenders(self._embedded(queries), self._blocks(mask), k) if k > 0 else ()
        for row, found in enumerate(every):
            places = best_rows(found.scores, k, order=self._corpus.order[found.slots])
            slots[row, : len(places)] = found.slots[places]
            values[row, : len(places)] = found.scores[places]
        return Best(slots, values, new_marks(len(queries)), self._corpus.chunks, self.name)

    def _embedded(self, queries: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of queries, zeros for such as cannot be embedded."""
        vectors = np.zeros((len(queries), self.model.dim), dtype=np.float32)
        usable = [place for place, query in enumerate(queries) if unusable_reason(query) is None]
        vectors[usable] = self.model.embed_batch([queries[place] for place in usable])
        return vectors

    def _blocks(self, mask: Mask) -> Iterator[Block]:
        """The slots in `mask` with their units, many documents at a time."""
        parts: list[Part] = []
        held = 0
        for part in self._corpus.parts.values():
            parts.append(part)
            held += len(part.slots)
            if held >= _ROWS:
                yield _allowed(parts, mask)
                parts, held = [], 0
        if held:
            yield _allowed(parts, mask)


def _allowed(parts: Sequence[Part], mask: Mask) -> Block:
    slots = np.concatenate([part.slots for part in parts])
    units = [part.digest.units for part in parts]
    allowed = mask[slots]
    return (slots, units) if allowed.all() else (slots[allowed], [np.concatenate(units)[allowed]])


def _telling(blocks: Iterable[Block], tell: Callable[[], None]) -> Iterator[Block]:
    """The blocks; before each it is told how far the search is."""
    for block in blocks:
        tell()
        yield block
