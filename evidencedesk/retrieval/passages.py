"""BM25 with weighted terms and a second look at passages. Invariant: what is quoted is what raised the score."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.bm25 import BM25, Formula
from evidencedesk.retrieval.selection import best_rows

_SENTENCE = re.compile(r"(?<=[.!?…])\s+")

# What a word of the question is worth that the text holds only through a synonym or a common beginning.
_ALMOST = 0.8
_BEGINNING = 6


@dataclass(frozen=True, slots=True)
class RetrievalConfig:
    """How a passage index searches.

    `bm25_k1`, `bm25_b`: the BM25 constants. `min_score`: the least BM25 score of a hit. `top_k`: how many hits a search
    returns that does not say. `rerank_candidates`: how many chunks, best by BM25, get the second look. In it a chunk
    gains `window_weight` times the score of its best window of `window_sentences` sentences. `title_weight`: how many
    times the words of a section's title count. `section_boost`: audience ("" for none) → beginning of a section's
    title → factor of the score; the first beginning that fits, in the order given, counts.
    """

    bm25_k1: float = 1.5
    bm25_b: float = 0.75
    min_score: float = 0.5
    top_k: int = 5
    rerank_candidates: int = 20
    window_sentences: int = 2
    window_weight: float = 0.3
    title_weight: int = 2
    section_boost: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


class Scored(NamedTuple):
    """A row with its final score, its BM25 score, and the passage that decided between the two."""

    row: int
    score: float
    bm25: float
    passage: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A text to be indexed with the title above it, and the function that gives the terms of its language (`lang`)."""

    text: str
    title: str
    terms: Callable[[str], list[str]]
    lang: str = ""


Sentences = dict[tuple[str, str], list[tuple[str, frozenset[str]]]]
"""The sentences of texts with their distinct terms, by language and text."""


def entry_terms(entry: Entry, config: RetrievalConfig) -> list[str]:
    """What is indexed of an entry."""
    return entry.terms(entry.text) + entry.terms(entry.title) * config.title_weight


def formula_of(config: RetrievalConfig) -> Formula:
    """The classic form, with the configured constants."""
    return Formula(k1=config.bm25_k1, b=config.bm25_b, gain=config.bm25_k1 + 1)


def sentences(text: str) -> list[str]:
    """The sentences of each line: they end after `.`, `!`, `?` or `…` with white space; empty ones are left out."""
    return [part for line in text.splitlines() for part in _SENTENCE.split(line.strip()) if part]


class PassageIndex:
    """Texts in rows: BM25 over their terms and those of their titles, then the densest passage of the best."""

    def __init__(self, entries: Sequence[Entry], config: RetrievalConfig) -> None:
        names = [str(row) for row in range(len(entries))]
        bm25 = BM25(names, [entry_terms(entry, config) for entry in entries], formula_of(config))
        self._begin(bm25, config, entries.__getitem__, {})

    @classmethod
    def over(
        cls, bm25: BM25, config: RetrievalConfig, entry: Callable[[int], Entry], memory: Sentences
    ) -> PassageIndex:
        """The index of entries whose terms (see `entry_terms`) `bm25` holds; `memory` may be that of an earlier one."""
        made = cls.__new__(cls)
        made._begin(bm25, config, entry, memory)
        return made

    def _begin(self, bm25: BM25, config: RetrievalConfig, entry: Callable[[int], Entry], memory: Sentences) -> None:
        self.bm25 = bm25
        self.config = config
        self._entry = entry
        self._memory = memory
        self._weight_of: dict[int, float] = {}

    @cached_property
    def idf(self) -> Mapping[str, float]:
        """The weight of every term of the index."""
        return {term: self.bm25.idf(term) for term in self.bm25.df}

    @cached_property
    def unseen(self) -> float:
        """The weight of a term that no text holds: twice the greatest there is, 2 for an empty index."""
        df = self.bm25.held.df
        rarest = int(df[df > 0].min(initial=self.bm25.n + 1))
        return 2 * (self.bm25.formula.idf(self.bm25.n, rarest) if rarest <= self.bm25.n else 1.0)

    def weight(self, term: str) -> float:
        """The term's idf; `unseen` when the index does not know it."""
        df = self.bm25.held.frequency_of(term)
        if df not in self._weight_of:
            self._weight_of[df] = self.bm25.formula.idf(self.bm25.n, df) if df else self.unseen
        return self._weight_of[df]

    def rank(
        self,
        weights: Mapping[str, float],
        pool: int,
        min_score: float,
        allowed: NDArray[np.bool_] | None = None,
        boost: Callable[[int], float] = lambda row: 1.0,
    ) -> list[Scored]:
        """The `pool` best allowed rows with BM25 `>= min_score`, in the order of their final score.

        That is `(bm25 + window_weight · best window) · boost(row)`; ties keep the order of BM25, then of the rows.
        Nothing for a question without terms, and where no text has any.
        """
        if not weights or not self.bm25.avg_len:
            return []
        scores = self.bm25.scores(weights)
        passing = scores >= min_score
        rows = best_rows(scores, pool, np.flatnonzero(passing if allowed is None else passing & allowed))
        return self.look_again(zip(rows.tolist(), scores[rows].tolist(), strict=True), weights, boost)

    def look_again(
        self,
        found: Iterable[tuple[int, float]],
        weights: Mapping[str, float],
        boost: Callable[[int], float] = lambda row: 1.0,
    ) -> list[Scored]:
        """Rows with their BM25 scores, best first, in the order of their final scores (see `rank`)."""
        scored = []
        for row, plain in found:
            bonus, passage = self._densest(row, weights)
            scored.append(Scored(row, (plain + self.config.window_weight * bonus) * boost(row), plain, passage))
        return sorted(scored, key=lambda one: -one.score)

    def overlap(self, terms: AbstractSet[str], weights: Mapping[str, float]) -> float:
        """What a text with these distinct terms holds of a question: the sum of `idf · weight` over what both have."""
        return sum(self.weight(term) * weight for term, weight in weights.items() if term in terms)

    def coverage(
        self, terms: AbstractSet[str], wanted: Sequence[str], related: Callable[[str], AbstractSet[str]]
    ) -> float:
        """The share, by weight, of the distinct `wanted` terms that a text with `terms` holds; 0 when none is wanted.

        A term counts 0.8 that the text holds only through a term related to it, or, from six characters on, through
        one with the same first six.
        """
        total = covered = 0.0
        for term in dict.fromkeys(wanted):
            weight = self.weight(term)
            total += weight
            if term in terms:
                covered += weight
            elif not terms.isdisjoint(related(term)) or _shares_beginning(term, terms):
                covered += _ALMOST * weight
        return min(1.0, covered / total) if total else 0.0

    def _densest(self, row: int, weights: Mapping[str, float]) -> tuple[float, str]:
        """The score of the row's best window, the earliest of equals, and its text; its first sentence for none."""
        entry = self._entry(row)
        key = entry.lang, entry.text
        if key not in self._memory:
            self._memory[key] = [(one, frozenset(entry.terms(one))) for one in sentences(entry.text)]
        split = self._memory[key]
        best, passage = 0.0, split[0][0] if split else ""
        for start in range(len(split)):
            window = split[start : start + max(1, self.config.window_sentences)]
            score = self.overlap(frozenset().union(*(terms for _, terms in window)), weights)
            if score > best:
                best, passage = score, " ".join(one for one, _ in window)
        return best, passage


def _shares_beginning(term: str, terms: AbstractSet[str]) -> bool:
    return len(term) >= _BEGINNING and any(other.startswith(term[:_BEGINNING]) for other in terms)
