"""Chunks and pages that say the same. Invariant: exact, and numbers must agree: "FM 1506" is no twin of "FM 1507"."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NearTwin:
    """Two chunk ids (first < second in catalog order) and the Jaccard similarity of their word shingles."""

    first: str
    second: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Twins:
    """`equal`: groups (two or more ids, in catalog order) of chunks whose normalised text is the same; `near`: pairs
    that are not equal but similar; `pages`: groups of document paths whose whole normalised body is the same."""

    equal: tuple[tuple[str, ...], ...]
    near: tuple[NearTwin, ...]
    pages: tuple[tuple[str, ...], ...]
