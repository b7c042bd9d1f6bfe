"""Why a chunk has its score. Invariant: the parts are the very numbers that the search added, in that order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from evidencedesk.retrieval.bm25 import BM25
from evidencedesk.retrieval.candidates import Candidate
from evidencedesk.retrieval.fusion import K


@dataclass(frozen=True, slots=True)
class TermPart:
    """What one query term gives: it occurs `tf` times in the text and in `df` texts; `length` is the text's.

    `weight` is what the query gives the term, 1 unless it stands for another.
    """

    term: str
    tf: int
    df: int
    idf: float
    length: int
    contribution: float
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class FusionPart:
    """What one ranking gives to a fused score: `share` = 1 / (k + rank)."""

    source: str
    rank: int
    score: float
    share: Fraction


def explain_bm25(bm25: BM25, terms: Iterable[str], chunk_id: str) -> tuple[TermPart, ...]:
    """A part per distinct term, in query order; added from the first to the last they are the score, bit for bit.

    A term that the text does not hold has tf 0 and gives 0. A mapping gives terms with their weights. Raises
    ValueError for an id that is not indexed.
    """
    row = bm25.ids.index(chunk_id)
    weights = terms if isinstance(terms, Mapping) else dict.fromkeys(terms, 1.0)
    return tuple(_term_part(bm25, term, weight, row) for term, weight in weights.items())


def explain_rrf(candidate: Candidate, k: int = K) -> tuple[FusionPart, ...]:
    """The parts of a fused candidate as exact fractions; their sum, as a float, is its score under this `k`."""
    return tuple(FusionPart(part.source, part.rank, part.score, Fraction(1, k + part.rank)) for part in candidate.parts)


def _term_part(bm25: BM25, term: str, weight: float, row: int) -> TermPart:
    rows, counts = bm25.postings(term)
    _, given = bm25.contributions(term)
    place = int(np.searchsorted(rows, row))
    holds = place < len(rows) and rows[place] == row
    return TermPart(
        term=term,
        tf=int(counts[place]) if holds else 0,
        df=len(rows),
        idf=bm25.idf(term),
        length=int(bm25.lengths[row]),
        contribution=float(given[place]) * weight if holds else 0.0,
        weight=weight,
    )
