"""BM25 over token lists. Invariant: statistics are of the whole index, and a score has one order of additions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


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


@dataclass(frozen=True, slots=True)
class Known:
    """Texts that another index holds: the one in row `here[i]` is that in row `there[i]` of `bm25`; both ascend."""

    bm25: BM25
    there: NDArray[np.intp]
    here: NDArray[np.intp]

    def postings(self, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The keys, ascending, and counts of their postings in an index of `n` texts that numbers terms alike."""
        moved = np.full(self.bm25.n, -1)
        moved[self.there] = self.here
        rows = moved[self.bm25._rows]
        owners = np.repeat(np.arange(len(self.bm25._terms)), np.diff(self.bm25._starts))
        kept = rows >= 0
        return owners[kept] * max(n, 1) + rows[kept], self.bm25._counts[kept].astype(np.int64)


class BM25:
    """An index of token lists, one a row, with its postings as arrays.

    Postings of term `t` are `rows[starts[t]:starts[t + 1]]`, ascending, and `counts` at the same places. A term that a
    text does not hold adds nothing, also where the formula would divide zero by zero.
    """

    def __init__(
        self,
        ids: Sequence[str],
        texts: Sequence[Sequence[str]],
        formula: Formula | None = None,
        known: Known | None = None,
    ) -> None:
        """`texts[i]` holds the tokens, repeated ones included, of the text named `ids[i]`; of known rows, nothing."""
        self.ids = ids
        self.formula = formula or Formula()
        self.n = len(texts)
        self.lengths = np.fromiter(map(len, texts), dtype=np.int64, count=self.n)
        self._terms: dict[str, int] = dict(known.bm25._terms) if known else {}
        terms = self._terms
        flat = np.fromiter(
            (terms.setdefault(token, len(terms)) for tokens in texts for token in tokens),
            dtype=np.int64,
            count=int(self.lengths.sum()),
        )
        # A posting's key orders it by term, then by row.
        keys, counts = np.unique(flat * max(self.n, 1) + np.repeat(np.arange(self.n), self.lengths), return_counts=True)
        if known:
            self.lengths[known.here] = known.bm25.lengths[known.there]
            old_keys, old_counts = known.postings(self.n)
            places = np.searchsorted(old_keys, keys)
            keys, counts = np.insert(old_keys, places, keys), np.insert(old_counts, places, counts)
        self.avg_len = int(self.lengths.sum()) / self.n if self.n else 0.0
        owners, rows = np.divmod(keys, max(self.n, 1))
        self._rows = rows.astype(np.intp)
        self._counts = counts.astype(np.float64)
        self._starts = np.searchsorted(owners, np.arange(len(terms) + 1))
        in_use = np.diff(self._starts) > 0
        if not in_use.all():
            kept = (term for term, is_in_use in zip(terms, in_use.tolist(), strict=True) if is_in_use)
            self._terms = {term: place for place, term in enumerate(kept)}
            self._starts = np.append(self._starts[:-1][in_use], self._starts[-1])
        k1, b = self.formula.k1, self.formula.b
        self._penalty = k1 * (1 - b + b * self.lengths / (self.avg_len or 1.0))

    @cached_property
    def length(self) -> Mapping[str, int]:
        """Number of tokens of each text, by id."""
        return dict(zip(self.ids, self.lengths.tolist(), strict=True))

    @cached_property
    def df(self) -> Mapping[str, int]:
        """In how many texts each term occurs."""
        return dict(zip(self._terms, np.diff(self._starts).tolist(), strict=True))

    def idf(self, term: str) -> float:
        """The term's weight; that of a term in no text is the greatest there is."""
        return self.formula.idf(self.n, len(self.postings(term)[0]))

    def postings(self, term: str) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The rows that hold the term, ascending, and how often each does."""
        place = self._terms.get(term)
        if place is None:
            return self._rows[:0], self._counts[:0]
        part = slice(self._starts[place], self._starts[place + 1])
        return self._rows[part], self._counts[part]

    def contributions(self, term: str) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The rows that hold the term, and what it gives to the score of each."""
        place = self._terms.get(term)
        if place is None:
            return self._rows[:0], self._counts[:0]
        part = slice(self._starts[place], self._starts[place + 1])
        return self._rows[part], self._given[part]

    @cached_property
    def _given(self) -> NDArray[np.float64]:
        """What each posting gives to a score."""
        df = np.diff(self._starts)
        idf_of = {count: self.formula.idf(self.n, count) for count in np.unique(df).tolist()}
        idf = np.fromiter((idf_of[count] for count in df.tolist()), dtype=np.float64, count=len(df))
        return np.repeat(idf, df) * self._counts * self.formula.gain / (self._counts + self._penalty[self._rows])

    def scores(self, terms: Iterable[str]) -> NDArray[np.float64]:
        """The score of every row: terms add up from the first to the last, a repeated one once.

        A mapping gives terms with their weights, by which their contributions are multiplied.
        """
        return next(self.scores_many([terms]))

    def scores_many(self, queries: Iterable[Iterable[str]]) -> Iterator[NDArray[np.float64]]:
        """The scores for each query, in order; the caller leaves the arrays as they are.

        A query that begins with the same terms as the one before it starts from their sums.
        """
        begun: list[tuple[str, float]] = []
        sums = [np.zeros(self.n)]
        for query in queries:
            terms = list((query if isinstance(query, Mapping) else dict.fromkeys(query, 1.0)).items())
            shared = 0
            while shared < min(len(begun), len(terms)) and begun[shared] == terms[shared]:
                shared += 1
            del sums[shared + 1 :]
            for term, weight in terms[shared:]:
                rows, given = self.contributions(term)
                scores = sums[-1].copy()
                scores[rows] += given * weight
                sums.append(scores)
            begun = terms
            yield sums[-1]
