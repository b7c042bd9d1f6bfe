"""Ranked candidates. Invariant: ranks run from 1 without gaps, in the order of the list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evidencedesk.retrieval.chunk import Chunk


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one ranking gave to a fused score: its name, the chunk's position in it, and the chunk's score there."""

    source: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Doc:
    """A hit as those see it who know no chunks: one id a hit, and its text."""

    doc_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk at a rank. `score` belongs to `source` (BM25, cosine, RRF …) and compares only within it.

    `passage` is the part of the text that decided the score, where the searcher says so.
    """

    chunk: Chunk
    score: float
    rank: int
    source: str
    parts: tuple[Contribution, ...] = ()
    passage: str = ""

    @property
    def doc(self) -> Doc:
        """The chunk as a hit: its `doc_id` is the chunk's id, since the document's own would merge all its chunks."""
        return Doc(self.chunk.id, self.chunk.text)


RankedList = list[Candidate]


def ranked(pairs: Iterable[tuple[Chunk, float]], source: str) -> RankedList:
    """Candidates for `(chunk, score)` pairs in the order given; only `.id` of a chunk is ever needed downstream."""
    return [Candidate(chunk, score, rank, source) for rank, (chunk, score) in enumerate(pairs, start=1)]


def ids(candidates: Iterable[Candidate]) -> list[str]:
    """The chunk ids, best first."""
    return [candidate.chunk.id for candidate in candidates]
