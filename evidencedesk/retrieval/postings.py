"""Which slot holds which term. Invariant: all counts are whole numbers, so they are the same however they came about.

Like Lucene's index it has a large part that is never altered and a small one behind it, for the texts that came since;
texts that went are masked. Terms are numbered by one dictionary that only grows and that all versions share: a version
knows nothing of terms that came later, since its arrays end before them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

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
        numbers = np.fromiter(
            (terms.setdefault(term, len(terms)) for term in self.bags.vocabulary), np.int32, len(self.bags.vocabulary)
        )
        sizes = np.diff(self.bags.starts)[self.rows]
        ends = np.cumsum(sizes)
        places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(
            self.bags.starts[self.rows] - (ends - sizes), sizes
        )
        return numbers[self.bags.terms[places]], np.repeat(self.slots, sizes), self.bags.counts[places]

    @property
    def lengths(self) -> Ints:
        """The number of tokens of each text."""
        return self.bags.lengths[self.rows]


@dataclass(frozen=True, slots=True, eq=False)
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
        terms = {} if terms is None else terms
        size = len(live)
        lengths = np.zeros(size, dtype=np.int32)
        entries = []
        for one in filed:
            entries.append(one.entries(terms))
            lengths[one.slots] = one.lengths
        numbers, slots, counts = _joined(entries)
        order = np.argsort(numbers.astype(np.int64) * max(size, 1) + slots)
        starts = np.searchsorted(numbers[order], np.arange(len(terms) + 1))
        return cls(
            terms,
            np.diff(starts),
            starts,
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
        return self.terms.setdefault(term, len(self.terms))

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
        """How often the texts in some slots, ascending and live, hold the term."""
        counts = np.zeros(len(slots), dtype=np.int32)
        if number >= len(self.df) or not self.df[number]:
            return counts
        packed = int(np.searchsorted(slots, self.packed))
        if number + 1 < len(self.starts):
            part = slice(self.starts[number], self.starts[number + 1])
            _look_up(self.slots[part], self.counts[part], slots[:packed], counts[:packed])
        if packed < len(slots):
            behind = np.flatnonzero(self.tail_terms == number)
            _look_up(self.tail_slots[behind], self.tail_counts[behind], slots[packed:], counts[packed:])
        return counts

    def in_use(self) -> Iterator[tuple[str, int]]:
        """The terms that some live text holds, with the number of texts."""
        return ((term, df) for term, df in zip(self.terms, self.df.tolist(), strict=False) if df)


def _joined(entries: Sequence[tuple[Ints, Ints, Ints]]) -> tuple[Ints, Ints, Ints]:
    if not entries:
        nothing = np.zeros(0, dtype=np.int32)
        return nothing, nothing, nothing
    terms, slots, counts = zip(*entries, strict=True)
    return np.concatenate(terms), np.concatenate(slots), np.concatenate(counts)


def _look_up(slots: Ints, counts: Ints, wanted: Ints, found: Ints) -> None:
    """Write into `found` the counts of the `wanted` slots; both lists of slots ascend."""
    if len(slots):
        places = np.minimum(np.searchsorted(slots, wanted), len(slots) - 1)
        held = slots[places] == wanted
        found[held] = counts[places[held]]
