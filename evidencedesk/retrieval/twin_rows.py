"""The chunks of many documents as numbered rows. Invariant: immutable; a row keeps its number and its chunk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.likeness import ROUNDING, SIMILAR
from evidencedesk.retrieval.twin_keys import TEXT_DTYPE, TripleKeys, TwinKeys

RowNumbers = NDArray[np.int32]
Flags = NDArray[np.bool_]

_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Rarity:
    """How many keys there were with the same lower bits as a key: rare keys have low counts."""

    counts: NDArray[np.uint16]

    @classmethod
    def among(cls, keys: TripleKeys) -> Rarity:
        """The counts of these keys."""
        size = 1 << min(max(len(keys).bit_length(), 10), 22)
        return cls(np.minimum(np.bincount(keys & np.uint32(size - 1), minlength=size), 0xFFFF).astype(np.uint16))

    def of(self, keys: TripleKeys) -> NDArray[np.uint16]:
        """The count of each key."""
        counts: NDArray[np.uint16] = self.counts[keys & np.uint32(len(self.counts) - 1)]
        return counts


@dataclass(frozen=True, slots=True, eq=False)
class TwinRows:
    """Row `r` is chunk `r - starts[slot[r]]` of `pages[slot[r]]` (None: gone), with the text of digest `texts[r]`.

    The keys of its `sizes[r]` triples begin at `offsets[r]` of the page's, and `names[r]` is its id. `bodies` are the
    digests of the pages.
    """

    pages: tuple[TwinKeys | None, ...]
    bodies: NDArray[np.bytes_]
    starts: RowNumbers
    slot: RowNumbers
    names: NDArray[np.object_]
    texts: NDArray[np.bytes_]
    sizes: NDArray[np.int32]
    offsets: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.slot)

    @classmethod
    def empty(cls) -> TwinRows:
        """No rows."""
        none = np.empty(0, dtype=np.int32)
        digests = np.empty(0, dtype=TEXT_DTYPE)
        return cls((), digests, none, none, np.empty(0, dtype=np.object_), digests, none, none)

    def after(self, gone: Iterable[int], new: Sequence[TwinKeys]) -> TwinRows:
        """With the chunks of `new` pages at the end, each in the next slot. Pages in slots that are `gone` are let go;
        their rows keep their numbers, but have no chunks."""
        pages = [*self.pages, *new]
        for slot in gone:
            pages[slot] = None
        names = np.array([chunk.id for page in new for chunk in page.chunks], dtype=np.object_)
        counts = np.fromiter((len(page.chunks) for page in new), dtype=np.int32, count=len(new))
        slots = np.arange(len(self.pages), len(pages), dtype=np.int32)
        return TwinRows(
            tuple(pages),
            np.append(self.bodies, np.array([page.body for page in new], dtype=TEXT_DTYPE)),
            np.append(self.starts, len(self) + np.cumsum(counts, dtype=np.int32) - counts),
            np.append(self.slot, np.repeat(slots, counts)),
            np.append(self.names, names),
            np.concatenate([self.texts, *(page.texts for page in new)]),
            np.concatenate([self.sizes, *(page.sizes for page in new)]),
            np.concatenate([self.offsets, *(np.cumsum(page.sizes, dtype=np.int32) - page.sizes for page in new)]),
        )

    def of(self, slot: int) -> range:
        """The rows of a page."""
        return range(self.starts[slot], self.starts[slot + 1] if slot + 1 < len(self.starts) else len(self))

    def page(self, slot: int) -> TwinKeys:
        """The page in a slot that is not gone."""
        page = self.pages[slot]
        assert page is not None
        return page

    def chunk(self, row: int) -> Chunk:
        """The chunk of a row."""
        slot = int(self.slot[row])
        return self.page(slot).chunks[row - int(self.starts[slot])]

    def triples(self, rows: RowNumbers) -> TripleKeys:
        """The keys of these rows' triples, one row after the other."""
        places = zip(self.slot[rows].tolist(), self.offsets[rows].tolist(), self.sizes[rows].tolist(), strict=True)
        parts = (self.page(slot).triples[offset : offset + size] for slot, offset, size in places)
        return np.concatenate([np.empty(0, dtype=np.uint32), *parts])

    def prefixes(self, rows: RowNumbers, rarity: Rarity) -> tuple[TripleKeys, RowNumbers]:
        """The keys of the first triples of each row, as many as it must share one of with a twin; and their rows.

        Triples go by rarity, then by key.
        """
        keys: list[TripleKeys] = [np.empty(0, dtype=np.uint32)]
        owners: list[RowNumbers] = [np.empty(0, dtype=np.int32)]
        for block in (rows[start : start + _BLOCK] for start in range(0, len(rows), _BLOCK)):
            sizes = self.sizes[block]
            own = self.triples(block)
            owner = np.repeat(np.arange(len(block), dtype=np.uint64), sizes)
            ordered = np.sort(owner << np.uint64(48) | rarity.of(own).astype(np.uint64) << np.uint64(32) | own)
            place = np.arange(len(own)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            taken = place <= np.repeat(sizes - np.ceil(SIMILAR * sizes - ROUNDING).astype(np.int32), sizes)
            keys.append(ordered[taken].astype(np.uint32))
            owners.append(block[owner[taken].astype(np.intp)])
        return np.concatenate(keys), np.concatenate(owners)
