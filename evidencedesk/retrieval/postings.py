"""Which slot holds which term. Invariant: all counts are whole numbers, so they are the same however they came about.

Like Lucene's index it has a large part that is never altered and a small one behind it, for the texts that came since;
texts that went are masked. Terms are numbered by one dictionary that only grows and that all versions share: a version
knows nothing of terms that came later, since its arrays end before them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.digest import Bags

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Filed:
    """Some rows of bags, and the slots they stand in."""

    bags: Bags
    rows: NDArray[np.intp]
    slots: Ints

    def entries(self, terms: dict[str, int]) -> tuple[Ints, Ints, Ints]:
        """Term, slot and count of everything they hold; unknown terms get the next numbers in `terms`."""
        vocabulary = self.bags.vocabulary
        numbers = np.fromiter(map(terms.__getitem__, vocabulary), np.int32, len(vocabulary))
        sizes = np.diff(self.bags.starts)[self.rows]
        places = ranges(self.bags.starts[self.rows], sizes)
        return numbers[self.bags.terms[places]], np.repeat(self.slots, sizes), self.bags.counts[places]

    @property
    def lengths(self) -> Ints:
        """The number of tokens of each text."""
        return self.bags.lengths[self.rows]


@dataclass(frozen=True, eq=False)
class Postings:
    """Term `t` stands in `slots[starts[t]:starts[t + 1]]`, ascending, `counts` times, and where `tail_terms` is `t`.

    `df[t]` is the number of live texts that hold it. `lengths` are by slot, `total` is that of all live texts.
    """

    terms: dict[str, int]
    df: NDArray[np.int64]
    starts: NDArray[np.int64]
    slots: Ints
    counts: Ints
    tail_terms: Ints
    tail_slots: Ints
    tail_counts: Ints
    lengths: Ints
    live: NDArray[np.bool_]
    n: int
    total: int
    packed: int
    """How many slots stand in the large part; the others stand in the tail."""
    old: int = 0
    """How many entries of the tail the state before had."""

    @classmethod
    def of(cls, filed: Iterable[Filed], live: NDArray[np.bool_], terms: dict[str, int] | None = None) -> Postings:
        """The postings of texts that fill all `live` slots; `terms` are numbers to go on from."""
        # A term gets the next number when it is first looked up.
        terms = defaultdict(count().__next__) if terms is None else terms
        size = len(live)
        lengths = np.zeros(size, dtype=np.int32)
        entries = []
        for one in filed:
            entries.append(one.entries(terms))
            lengths[one.slots] = one.lengths
        numbers, slots, counts = _joined(entries)
        if (slots[1:] >= slots[:-1]).all():
            order = _stable(numbers)
        else:
            order = np.argsort(numbers.astype(np.int64) * size + slots)
        df = np.bincount(numbers, minlength=len(terms))
        return cls(
            terms,
            df,
            np.append(0, np.cumsum(df)),
            slots[order],
            counts[order],
            *_joined([]),
            lengths,
            live,
            int(np.count_nonzero(live)),
            int(lengths.sum()),
            size,
        )

    def changed(self, gone: Sequence[Filed], come: Sequence[Filed], live: NDArray[np.bool_]) -> Postings:
        """The postings after some texts went and others came, these in the slots behind all others."""
        lengths = np.concatenate([self.lengths, np.zeros(len(live) - len(self.lengths), dtype=np.int32)])
        for one in come:
            lengths[one.slots] = one.lengths
        left, _, _ = _joined([one.entries(self.terms) for one in gone])
        new = [one.entries(self.terms) for one in come]
        joined = _joined(new)
        df = np.concatenate([self.df, np.zeros(len(self.terms) - len(self.df), dtype=np.int64)])
        np.subtract.at(df, left, 1)
        np.add.at(df, joined[0], 1)
        tail = _joined([(self.tail_terms, self.tail_slots, self.tail_counts), joined])
        total = self.total - sum(int(one.lengths.sum()) for one in gone) + sum(int(one.lengths.sum()) for one in come)
        n = self.n - sum(len(one.slots) for one in gone) + sum(len(one.slots) for one in come)
        return Postings(
            self.terms,
            df,
            self.starts,
            self.slots,
            self.counts,
            *tail,
            lengths,
            live,
            n,
            total,
            self.packed,
            len(self.tail_terms),
        )

    def number(self, term: str) -> int:
        """The term's number, a new one where it has none."""
        return self.terms[term]

    def frequency(self, number: int) -> int:
        """How many live texts hold the term of this number."""
        return int(self.df[number]) if number < len(self.df) else 0

    def frequency_of(self, term: str) -> int:
        """How many live texts hold the term."""
        number = self.terms.get(term)
        return 0 if number is None else self.frequency(number)

    def of_term(self, number: int) -> tuple[Ints, Ints]:
        """The live slots that hold the term, ascending, and how often each does."""
        if number >= len(self.df) or not self.df[number]:
            return self.slots[:0], self.counts[:0]
        slots, counts = self.slots[:0], self.counts[:0]
        if number + 1 < len(self.starts):
            part = slice(self.starts[number], self.starts[number + 1])
            slots, counts = self.slots[part], self.counts[part]
        if len(self.tail_terms):
            behind = np.flatnonzero(self.tail_terms == number)
            slots = np.concatenate([slots, self.tail_slots[behind]])
            counts = np.concatenate([counts, self.tail_counts[behind]])
        if self.n < len(self.live):
            alive = self.live[slots]
            slots, counts = slots[alive], counts[alive]
        return slots, counts

    def counts_at(self, number: int, slots: Ints) -> Ints:
        """How often the text in each slot holds one term; all are alive."""
        own, counts = self.of_term(number)
        if not len(own):
            return np.zeros(len(slots), dtype=np.int32)
        places = np.minimum(np.searchsorted(own, slots), len(own) - 1)
        return np.where(own[places] == slots, counts[places], np.int32(0))

    def of_terms(self, terms: NDArray[np.int64]) -> tuple[NDArray[np.intp], Ints, Ints]:
        """For many terms, some of which may be -1, which is none: the place in `terms`, a slot, dead or alive, and how
        often it holds the term.
        """
        starts, sizes = self._part(terms)
        order, tail_terms = self._tail
        tail_starts = np.searchsorted(tail_terms, terms)
        tail_sizes = np.searchsorted(tail_terms, terms, side="right") - tail_starts
        places, behind = ranges(starts, sizes), order[ranges(tail_starts, tail_sizes)]
        every = np.arange(len(terms))
        return (
            np.concatenate([np.repeat(every, sizes), np.repeat(every, tail_sizes)]),
            np.concatenate([self.slots[places], self.tail_slots[behind]]),
            np.concatenate([self.counts[places], self.tail_counts[behind]]),
        )

    def counts_of(self, terms: NDArray[np.int64], slots: Ints) -> Ints:
        """How often the text in each slot holds the term beside it; 0 for -1, which is none."""
        counts = np.zeros(len(slots), dtype=np.int32)
        low, sizes = self._part(terms)
        high = end = low + sizes
        for _ in range(int(sizes.max(initial=0)).bit_length()):
            middle = (low + high) >> 1
            is_before = (low < high) & (self.slots[np.minimum(middle, len(self.slots) - 1)] < slots)
            low, high = np.where(is_before, middle + 1, low), np.where(is_before, high, np.minimum(middle, high))
        at = np.flatnonzero(low < end)
        at = at[self.slots[low[at]] == slots[at]]
        counts[at] = self.counts[low[at]]
        behind = np.flatnonzero(slots >= self.packed)
        if len(behind):
            order, _ = self._tail
            # Entries of a term came with ascending slots.
            held = self.tail_terms[order].astype(np.int64) * len(self.live) + self.tail_slots[order]
            wanted = terms[behind] * len(self.live) + slots[behind]
            places = np.minimum(np.searchsorted(held, wanted), len(held) - 1)
            is_there = held[places] == wanted
            counts[behind[is_there]] = self.tail_counts[order[places[is_there]]]
        return counts

    def _part(self, terms: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the entries of terms begin in the large part, and how many there are."""
        is_packed = (terms >= 0) & (terms < len(self.starts) - 1)
        numbers = np.where(is_packed, terms, 0)
        starts = self.starts[numbers]
        return starts, np.where(is_packed, self.starts[np.minimum(numbers + 1, len(self.starts) - 1)] - starts, 0)

    @cached_property
    def _tail(self) -> tuple[NDArray[np.intp], Ints]:
        """The tail in the order of its terms, and these."""
        order = np.argsort(self.tail_terms, kind="stable")
        return order, self.tail_terms[order]

    def in_use(self) -> Iterator[tuple[str, int]]:
        """The terms that some live text holds, with the number of texts."""
        return ((term, df) for term, df in zip(self.terms, self.df.tolist(), strict=False) if df)


def _stable(numbers: Ints) -> NDArray[np.intp]:
    """The stable order of whole numbers from 0 on, by 16 bits at a time: those numpy sorts several times faster."""
    order = np.argsort((numbers & 0xFFFF).astype(np.uint16), kind="stable")
    high = (numbers >> 16).astype(np.uint16)
    return order[np.argsort(high[order], kind="stable")] if high.any() else order


def _joined(entries: Sequence[tuple[Ints, Ints, Ints]]) -> tuple[Ints, Ints, Ints]:
    if not entries:
        nothing = np.zeros(0, dtype=np.int32)
        return nothing, nothing, nothing
    terms, slots, counts = zip(*entries, strict=True)
    return np.concatenate(terms), np.concatenate(slots), np.concatenate(counts)


def ranges(starts: NDArray[np.integer], sizes: NDArray[np.integer]) -> NDArray[np.intp]:
    """`starts[i]`, `starts[i] + 1` … `sizes[i]` numbers each, one after the other."""
    ends = np.cumsum(sizes)
    numbers: NDArray[np.intp] = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - sizes), sizes)
    return numbers
