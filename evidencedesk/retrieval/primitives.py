"""Hybrid retrieval on plain ids, token lists and vectors. Invariant: the arithmetic is that of the searchers.

Ids are numbers of documents, from 0, unless said otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evidencedesk.retrieval.bm25 import BM25, Formula, plus_one_idf
from evidencedesk.retrieval.diversity import check_lambda, dot_rows, pick_diverse
from evidencedesk.retrieval.embedding import trigrams
from evidencedesk.retrieval.fusion import K, fuse
from evidencedesk.retrieval.selection import best_rows, positive_rows

__all__ = [
    "HashedNGramEmbedder",
    "bm25_idf",
    "bm25_scores",
    "mmr",
    "rank_by_score",
    "reciprocal_rank_fusion",
    "tokenize",
]

_TOKEN = re.compile(r"[a-z0-9]+")


def tokenize(text: str) -> list[str]:
    """The runs of ASCII letters and digits in the lower-cased text; everything else separates."""
    return _TOKEN.findall(text.lower())


def bm25_idf(n_docs: int, df: int) -> float:
    """The weight of a token that `df` of `n_docs` documents hold: never negative."""
    return plus_one_idf(n_docs, df)


def bm25_scores(
    query_tokens: Sequence[str], corpus_tokens: Sequence[Sequence[str]], k1: float = 1.5, b: float = 0.75
) -> NDArray[np.float64]:
    """The classic BM25 score, with the factor `k1 + 1`, of every document, shape `(len(corpus_tokens),)`.

    A repeated query token counts once; one that a document does not hold adds exactly 0.
    """
    names = [str(row) for row in range(len(corpus_tokens))]
    return BM25(names, corpus_tokens, Formula(k1=k1, b=b, gain=k1 + 1)).scores(query_tokens)


def rank_by_score(scores: ArrayLike) -> list[int]:
    """The documents with a positive score, best first, ties by id."""
    values = np.asarray(scores, dtype=np.float64)
    ranking: list[int] = best_rows(values, len(values), positive_rows(values)).tolist()
    return ranking


def reciprocal_rank_fusion(rankings: Sequence[Sequence[int]], k: int = K) -> list[int]:
    """All ids of the rankings by their sum of `1 / (k + position)`, the greatest first, ties by id alone.

    Sums are compared as exact fractions; an id that a ranking holds twice counts twice. Ids may be of any one type
    that sorts. Raises ValueError for a negative `k`.
    """
    totals = fuse(rankings, k)
    return sorted(totals, key=lambda key: (-totals[key].weight, key))


def mmr(
    query_vec: ArrayLike, doc_vecs: ArrayLike, candidate_ids: Sequence[int], lambda_: float = 0.5, k: int = 5
) -> list[int]:
    """At most `k` of the candidates by maximal marginal relevance, see `pick_diverse`.

    `doc_vecs` has a row per document and ids name rows; likeness is the dot product, which for vectors of length 1 is
    their cosine. Ties go to the earlier position in `candidate_ids`, where a repeated id counts at its first. Raises
    ValueError for a `lambda_` outside 0 to 1 before anything else is looked at.
    """
    check_lambda(lambda_)
    candidates = list(dict.fromkeys(candidate_ids))
    if not candidates:
        return []
    vectors = np.asarray(doc_vecs, dtype=np.float64)[candidates]
    relevance = dot_rows(vectors, np.asarray(query_vec, dtype=np.float64))
    return [candidates[row] for row in pick_diverse(relevance, vectors, lambda_, k)]


@dataclass(frozen=True, slots=True)
class HashedNGramEmbedder:
    """Character n-grams hashed into `dim` buckets, as `embedding.trigrams` does, scaled to length 1 in full precision.

    A text without an n-gram (an empty one, for n = 3) has the zero vector. Raises ValueError for a `dim` or `n` < 1.
    """

    dim: int = 256
    n: int = 3

    def __post_init__(self) -> None:
        if self.dim < 1 or self.n < 1:
            raise ValueError("dim and n must be at least 1")

    def embed(self, text: str) -> NDArray[np.float64]:
        """The vector of one text, shape (dim,)."""
        vector: NDArray[np.float64] = self.embed_batch([text])[0]
        return vector

    def embed_batch(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """A row per text, shape (len(texts), dim); a text's row does not depend on the others."""
        rows = trigrams.embed(texts, self.dim, self.n)
        lengths = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
        vectors: NDArray[np.float64] = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
        return vectors
