"""The chunks of an index in slots. Invariant: as long as a slot lives, its chunk says the same.

A slot is a chunk's place in every array of an index. Where a document changes, the slots of what it no longer says die
and the new chunks get slots behind all others: nothing moves, so a change costs what it changes. `packed` numbers the
slots anew, which changes no result; it is for idle moments and for when the tail has grown long.

A `Corpus` is never altered. It says in `step` how it came from the one before, and whoever keeps something per slot
follows by that.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.changes import changed_keys, same_keys
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.digest import Digest
from evidencedesk.retrieval.leaves import Leaves
from evidencedesk.retrieval.scope import Scope

Slots = NDArray[np.int32]
Mask = NDArray[np.bool_]

_TAIL = 4096
"""How many slots may be put behind the packed ones, and half as many die among these, before packing is due."""

# The ranks of packed ids are so far apart that the ids of the tail have room between any two.
_GAP_BITS = 32

_content = attrgetter("id", "text", "title", "section", "kind", "path", "status", "audience", "lang")


class Cut(Protocol):
    """A document as it comes from the chunker; `digest` is None where nobody has made it yet."""

    @property
    def chunks(self) -> tuple[Chunk, ...]: ...

    @property
    def digest(self) -> Digest | None: ...


Digesting = Callable[[Sequence[Chunk]], Digest]


@dataclass(frozen=True, eq=False)
class Part:
    """A document in a corpus: chunk `i`, digested in row `i`, stands in slot `slots[i]`."""

    chunks: tuple[Chunk, ...]
    digest: Digest
    slots: Slots

    @cached_property
    def row_of(self) -> Mapping[str, int]:
        """The row of each chunk, by its id."""
        return {chunk.id: row for row, chunk in enumerate(self.chunks)}

    @cached_property
    def langs(self) -> frozenset[str]:
        """The languages of the chunks."""
        return frozenset(chunk.lang for chunk in self.chunks)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Some rows of a part."""

    part: Part
    rows: NDArray[np.intp]

    @property
    def slots(self) -> Slots:
        """Where they stand."""
        return self.part.slots[self.rows]


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """How a corpus came from the one before: what went, what came, and which slots hold another Chunk of equal content.

    After packing, `moved` holds the new slot of each old one, -1 for dead ones, and nothing else has happened. `since`
    marks the one before, None when there is none.
    """

    since: object = None
    gone: tuple[Rows, ...] = ()
    come: tuple[Rows, ...] = ()
    touched: tuple[int, ...] = ()
    moved: Slots | None = None


class InScope(AbstractSet[str]):
    """The ids of a corpus's chunks inside a scope, as a set that is not made until it is looked at."""

    def __init__(self, corpus: Corpus, scope: Scope) -> None:
        self.corpus = corpus
        self.scope = scope

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> AbstractSet[Any]:
        return set(it)

    def __contains__(self, chunk_id: object) -> bool:
        chunk = self.corpus.by_id.get(chunk_id) if isinstance(chunk_id, str) else None
        return chunk is not None and _admits(self.scope, chunk)

    def __len__(self) -> int:
        return int(np.count_nonzero(self.corpus.mask(self)))

    def __iter__(self) -> Iterator[str]:
        return (self.corpus.chunks[slot].id for slot in np.flatnonzero(self.corpus.mask(self)).tolist())


class Corpus:
    """Documents in slots, by their ids and in their order. Make one with `Corpus.of` and then with `changed`.

    `chunks[slot]` is the chunk in a slot, `live` says which slots are in use, and live slots in the order of `order`
    are in the order of their chunks' ids.
    """

    def __init__(
        self,
        parts: Mapping[str, Part],
        chunks: Leaves[Chunk],
        live: Mask,
        packed_names: list[str],
        order: NDArray[np.int64],
        tail: list[int],
        step: Step,
        documents: Mapping[str, Cut] | None = None,
    ) -> None:
        self.parts = parts
        self.chunks = chunks
        self.live = live
        self.order = order
        self.step = step
        self._mark = object()
        self._packed_names = packed_names
        self._tail = tail
        self._documents: Mapping[str, Cut] = documents or {}
        self._masks: dict[Scope, Mask] = {}

    @classmethod
    def of(cls, documents: Mapping[str, Cut], make: Digesting) -> Corpus:
        """The corpus of these documents; `make` digests those that nobody has digested."""
        return cls._packed(
            {name: (cut.chunks, cut.digest or make(cut.chunks)) for name, cut in documents.items()}, Step(), documents
        )

    @classmethod
    def of_chunks(cls, chunks: Iterable[Chunk], make: Digesting) -> Corpus:
        """The corpus of chunks in any order, two of which may share an id."""
        grouped: dict[str, list[Chunk]] = {}
        for chunk in chunks:
            grouped.setdefault(chunk.doc_id, []).append(chunk)
        return cls._packed({name: (tuple(own), make(own)) for name, own in grouped.items()}, Step())

    @classmethod
    def _packed(
        cls,
        documents: Mapping[str, tuple[tuple[Chunk, ...], Digest]],
        step: Step,
        cuts: Mapping[str, Cut] | None = None,
    ) -> Corpus:
        parts: dict[str, Part] = {}
        chunks: list[Chunk] = []
        for name, (own, digest) in documents.items():
            parts[name] = Part(own, digest, np.arange(len(chunks), len(chunks) + len(own), dtype=np.int32))
            chunks.extend(own)
        by_name = sorted(range(len(chunks)), key=lambda slot: chunks[slot].id)
        order = np.empty(len(chunks), dtype=np.int64)
        order[by_name] = np.arange(1, len(chunks) + 1) << _GAP_BITS
        names = [chunks[slot].id for slot in by_name]
        return cls(parts, Leaves(chunks), np.ones(len(chunks), dtype=np.bool_), names, order, [], step, cuts)

    def changed(self, documents: Mapping[str, Cut], make: Digesting) -> Corpus:
        """The corpus of these documents; of those whose chunks are the very same tuple nothing is looked at.

        The mapping is kept, so nobody may change it.
        """
        # A look into each document takes long, so the mappings are compared first.
        has_same_langs = is_alike = len(self.parts) == len(self._documents) and same_keys(self._documents, documents)
        parts = dict(self.parts) if is_alike else {}
        end = len(self.chunks)
        gone: list[Rows] = []
        come: list[Rows] = []
        added: list[Chunk] = []
        touched: dict[int, Chunk] = {}
        for name in changed_keys(self._documents, documents) if is_alike else documents:
            old, cut = self.parts.get(name), documents[name]
            if old is None or old.chunks is not cut.chunks:
                part, kept = _replaced(old, cut, make, end + len(added))
                for slot, row in zip(part.slots[kept].tolist(), kept.tolist(), strict=True):
                    if self.chunks[slot] != part.chunks[row]:
                        touched[slot] = part.chunks[row]
                new = np.setdiff1d(np.arange(len(part.chunks)), kept)
                added.extend(part.chunks[row] for row in new.tolist())
                come += [Rows(part, new)] * bool(len(new))
                lost = np.flatnonzero(~np.isin(old.slots, part.slots)) if old else new[:0]
                gone += [Rows(old, lost)] if old and len(lost) else []
                has_same_langs = has_same_langs and old is not None and old.langs == part.langs
                old = part
            parts[name] = old
        lost_parts = () if is_alike else (part for name, part in self.parts.items() if name not in parts)
        gone += [Rows(part, np.arange(len(part.slots))) for part in lost_parts]

        chunks = self.chunks.after(touched, added)
        live = np.concatenate([self.live, np.ones(len(added), dtype=np.bool_)])
        for rows in gone:
            live[rows.slots] = False
        ranks = [bisect_left(self._packed_names, chunk.id) for chunk in added]
        order = np.concatenate([self.order, np.array(ranks, dtype=np.int64) << _GAP_BITS])
        tail = [slot for slot in self._tail if live[slot]] + list(range(end, len(chunks)))
        tail.sort(key=lambda slot: chunks[slot].id)
        order[tail] = (order[tail] >> _GAP_BITS << _GAP_BITS) + np.arange(1, len(tail) + 1)
        step = Step(self._mark, tuple(gone), tuple(come), tuple(touched))
        after = Corpus(parts, chunks, live, self._packed_names, order, tail, step, documents)
        if has_same_langs:
            after.langs = self.langs
        for scope, mask in self._masks.items():
            after._masks[scope] = after._renewed(scope, mask)
        return after

    def numbering(self) -> Slots:
        """The slot that each one's chunk has in a corpus just made of the same documents; -1 for dead slots."""
        moved = np.full(len(self.chunks), -1, dtype=np.int32)
        end = 0
        for part in self.parts.values():
            moved[part.slots] = np.arange(end, end + len(part.slots))
            end += len(part.slots)
        return moved

    def packed(self) -> Corpus:
        """The same documents with their slots numbered without gaps."""
        moved = np.full(len(self.chunks), -1, dtype=np.int32)
        documents = {name: (part.chunks, part.digest) for name, part in self.parts.items()}
        after = Corpus._packed(documents, Step(self._mark, moved=moved), self._documents)
        for name, part in self.parts.items():
            moved[part.slots] = after.parts[name].slots
        olds = np.argsort(moved)[len(moved) - len(after.chunks) :]
        after.chunks = Leaves(map(self.chunks.__getitem__, olds.tolist()))
        return after

    @property
    def wants_packing(self) -> bool:
        """Whether so much has changed since the slots were numbered that numbering them anew pays."""
        dead = len(self.chunks) - int(np.count_nonzero(self.live))
        return len(self.chunks) - len(self._packed_names) > _TAIL or dead > _TAIL + len(self.chunks) // 2

    @property
    def is_packed(self) -> bool:
        """Whether nothing has changed since the slots were numbered."""
        return len(self.chunks) == len(self._packed_names) and bool(self.live.all())

    @cached_property
    def size(self) -> int:
        """The number of chunks."""
        return int(np.count_nonzero(self.live))

    @cached_property
    def langs(self) -> tuple[str, ...]:
        """The languages that some chunk is in, sorted."""
        return tuple(sorted(frozenset().union(*{part.langs for part in self.parts.values()})))

    @cached_property
    def by_id(self) -> Mapping[str, Chunk]:
        """The chunks by their ids."""
        return _ById(self.parts, self.size)

    def follows(self, other: Corpus) -> bool:
        """Whether `step` leads here from the other one."""
        return self.step.since is other._mark

    def slot_of(self, chunk: Chunk) -> int:
        """Where a chunk of this corpus stands."""
        part = self.parts[chunk.doc_id]
        return int(part.slots[part.row_of[chunk.id]])

    def units_at(self, slots: Slots, dim: int) -> NDArray[np.int16]:
        """The vectors of the chunks in some slots, in units of the grid, shape (number of slots, dim)."""
        units = np.empty((len(slots), dim), dtype=np.int16)
        for row, slot in enumerate(slots.tolist()):
            chunk = self.chunks[slot]
            part = self.parts[chunk.doc_id]
            units[row] = part.digest.units[part.row_of[chunk.id]]
        return units

    def names(self) -> list[str]:
        """The id of the chunk in each slot, "" for dead ones."""
        return [chunk.id if alive else "" for chunk, alive in zip(self.chunks, self.live.tolist(), strict=True)]

    def all_chunks(self) -> list[Chunk]:
        """The chunks, document by document."""
        found: list[Chunk] = []
        for part in self.parts.values():
            found.extend(part.chunks)
        return found

    def mask(self, allowed: AbstractSet[str] | None) -> Mask:
        """Which slots hold an allowed chunk (None: any)."""
        if allowed is None:
            return self.live
        if isinstance(allowed, InScope) and allowed.corpus is self:
            if allowed.scope not in self._masks:
                self._masks[allowed.scope] = self._renewed(allowed.scope, np.zeros(0, dtype=np.bool_))
            return self._masks[allowed.scope]
        named = np.fromiter((chunk.id in allowed for chunk in self.chunks), np.bool_, len(self.chunks))
        return named & self.live

    def _renewed(self, scope: Scope, known: Mask) -> Mask:
        """The mask of a scope, of which that of the first slots is known but for those that died."""
        new = self.chunks[len(known) :]
        mask = np.concatenate([known, np.fromiter((_admits(scope, chunk) for chunk in new), np.bool_, len(new))])
        return mask & self.live


class _ById(Mapping[str, Chunk]):
    """The chunks of parts by their ids, of which each begins with its document's and a colon."""

    def __init__(self, parts: Mapping[str, Part], size: int) -> None:
        self._parts = parts
        self._size = size

    def __getitem__(self, chunk_id: str) -> Chunk:
        part = self._parts[chunk_id.rpartition(":")[0]]
        return part.chunks[part.row_of[chunk_id]]

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[str]:
        return (chunk.id for part in self._parts.values() for chunk in part.chunks)


def _admits(scope: Scope, chunk: Chunk) -> bool:
    return scope.admits(chunk.status, chunk.audience, chunk.lang)


def _replaced(old: Part | None, cut: Cut, make: Digesting, end: int) -> tuple[Part, NDArray[np.intp]]:
    """A document's new part, new chunks in slots from `end` on, and its rows that keep their slot."""
    slots = np.empty(len(cut.chunks), dtype=np.int32)
    kept: list[int] = []
    for row, chunk in enumerate(cut.chunks):
        there = old.row_of.get(chunk.id) if old else None
        if old and there is not None and _content(old.chunks[there]) == _content(chunk):
            slots[row] = old.slots[there]
            kept.append(row)
        else:
            slots[row] = end
            end += 1
    digest = cut.digest
    if digest is None:
        unchanged = old and len(kept) == len(old.chunks) == len(cut.chunks) and np.array_equal(slots, old.slots)
        digest = old.digest if old and unchanged else make(cut.chunks)
    return Part(cut.chunks, digest, slots), np.array(kept, dtype=np.intp)
