"""BM25 over token lists. Invariant: statistics are of the whole index, and a score has one order of additions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.digest import bags
from evidencedesk.retrieval.postings import Filed, Postings
from evidencedesk.text.word_lists import WordLists


def plus_one_idf(n: int, df: int) -> float:
    """`ln(1 + (n - df + 0.5) / (df + 0.5))`: never negative, whatever the share of texts that hold the term."""
    return math.log(1 + (n - df + 0.5) / (df + 0.5))


@dataclass(frozen=True, slots=True)
class Formula:
    """The variant: a term gives `idf · tf · gain / (tf + k1 · (1 - b + b · length / avg_len))`.

    `gain` is 1 here and `k1 + 1` in the classic form, which scales every score alike.
    """

    k1: float = 1.2
    b: float = 0.75
    gain: float = 1.0
    idf: Callable[[int, int], float] = plus_one_idf

    def penalty(self, lengths: NDArray[np.integer], avg_len: float | NDArray[np.float64]) -> NDArray[np.float64]:
        """`k1 · (1 - b + b · length / avg_len)`; a mean of 0, where no text has a term, counts as 1."""
        made: NDArray[np.float64] = self.k1 * (1 - self.b + self.b * lengths / np.where(avg_len, avg_len, 1.0))
        return made


class BM25:
    """An index of token lists, one a row. A term that a text does not hold adds nothing, also where the formula would
    divide zero by zero. In an index that has changed, rows of texts that went score 0.
    """

    def __init__(self, ids: Sequence[str], texts: Sequence[Sequence[str]], formula: Formula | None = None) -> None:
        """`texts[i]` holds the tokens, repeated ones included, of the text named `ids[i]`."""
        every = np.arange(len(texts))
        postings = Postings.of(
            [Filed(bags(WordLists.of(texts)), every, every.astype(np.int32))], np.ones(len(texts), dtype=np.bool_)
        )
        self._begin(postings, formula or Formula(), lambda: ids)

    @classmethod
    def over(cls, held: Postings, formula: Formula, ids: Callable[[], Sequence[str]]) -> BM25:
        """The index with these postings; `ids` names the rows when that is asked for."""
        made = cls.__new__(cls)
        made._begin(held, formula, ids)
        return made

    def _begin(self, held: Postings, formula: Formula, ids: Callable[[], Sequence[str]]) -> None:
        self.held = held
        self.formula = formula
        self.n = held.n
        self.avg_len = held.total / held.n if held.n else 0.0
        self._ids = ids

    @cached_property
    def ids(self) -> Sequence[str]:
        """The name of each row, "" where the text went."""
        return self._ids()

    @property
    def lengths(self) -> NDArray[np.int32]:
        """Number of tokens of each row."""
        return self.held.lengths

    @cached_property
    def length(self) -> Mapping[str, int]:
        """Number of tokens of each text, by id."""
        named = zip(self.ids, self.lengths.tolist(), self.held.live.tolist(), strict=True)
        return {name: length for name, length, is_live in named if is_live}

    @cached_property
    def df(self) -> Mapping[str, int]:
        """In how many texts each term occurs."""
        return dict(self.held.in_use())

    def idf(self, term: str) -> float:
        """The term's weight; that of a term in no text is the greatest there is."""
        return self.formula.idf(self.n, self.held.frequency_of(term))

    def postings(self, term: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The rows that hold the term, ascending, and how often each does."""
        return self.held.of_term(self.held.terms.get(term, len(self.held.df)))

    def contributions(self, term: str) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The rows that hold the term, and what it gives to the score of each."""
        rows, counts = self.postings(term)
        return rows, self.given(self.idf(term), counts, self.penalty[rows])

    def given(
        self,
        idf: float | NDArray[np.float64],
        counts: NDArray[np.integer] | NDArray[np.floating],
        penalty: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """What a term gives that occurs `counts` times: the one place that computes it, since the order of operations
        decides the last bit. Counts of 0 need a penalty above 0.
        """
        made: NDArray[np.float64] = idf * counts.astype(np.float64, copy=False) * self.formula.gain / (counts + penalty)
        return made

    @cached_property
    def penalty(self) -> NDArray[np.float64]:
        """What a row's length adds to the denominator."""
        return self.formula.penalty(self.lengths, self.avg_len)

    def scores(self, terms: Iterable[str]) -> NDArray[np.float64]:
        """The score of every row: terms add up from the first to the last, a repeated one once.

        A mapping gives terms with their weights, by which their contributions are multiplied.
        """
        scores = np.zeros(len(self.lengths))
        for term, weight in weighted(terms).items():
            rows, given = self.contributions(term)
            scores[rows] += given * weight
        return scores


def weighted(terms: Iterable[str]) -> Mapping[str, float]:
    """Distinct terms with their weights, 1 unless a mapping gives them."""
    return terms if isinstance(terms, Mapping) else dict.fromkeys(terms, 1.0)
