"""Rerankers: a second look at the candidates of a search. Invariant: reranking keeps the set, ranks run from 1."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from evidencedesk.retrieval.candidates import RankedList
from evidencedesk.text.analysis import index_terms, query_terms


class Reranker(Protocol):
    """Orders candidates anew for a query."""

    def rerank(self, query: str, candidates: RankedList) -> RankedList:
        """All candidates, best first, with new scores and ranks."""


class OverlapReranker:
    """Scores a candidate by the share of the query's distinct words, stop words aside, that its text holds.

    Equal shares keep the order they came in; chunk, source and parts stay as they were.
    """

    def rerank(self, query: str, candidates: RankedList) -> RankedList:
        """See Reranker. A query of stop words alone scores every candidate 0."""
        wanted = set(query_terms(query))
        shares = [
            len(wanted.intersection(index_terms(candidate.chunk.text))) / max(1, len(wanted))
            for candidate in candidates
        ]
        order = sorted(range(len(candidates)), key=lambda place: -shares[place])
        return [replace(candidates[place], score=shares[place], rank=rank) for rank, place in enumerate(order, start=1)]
