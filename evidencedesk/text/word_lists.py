"""Texts as lists of numbered words. Invariant: a list reads back as the words that it was made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, count

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class WordLists:
    """List after list, `lengths[i]` long: `numbers` say which of `vocabulary`, in order of first occurrence."""

    vocabulary: tuple[str, ...]
    numbers: NDArray[np.int64]
    lengths: NDArray[np.int64]

    @classmethod
    def of(cls, lists: Iterable[Sequence[str]]) -> WordLists:
        """The lists with their words numbered."""
        lists = list(lists)
        lengths = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
        number: defaultdict[str, int] = defaultdict(count().__next__)
        flat = map(number.__getitem__, chain.from_iterable(lists))
        numbers = np.fromiter(flat, dtype=np.int64, count=int(lengths.sum()))
        return cls(tuple(number), numbers, lengths)

    def slice(self, start: int, stop: int) -> WordLists:
        """The lists `[start, stop)`, with a vocabulary that may hold more words than theirs."""
        before, through = int(self.lengths[:start].sum()), int(self.lengths[:stop].sum())
        return WordLists(self.vocabulary, self.numbers[before:through], self.lengths[start:stop])

    @property
    def owners(self) -> NDArray[np.int64]:
        """The list of each of `numbers`."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)
