"""Which chunks and pages say the same. Invariant: the order of documents and chunks is that of the catalog."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class NearTwin:
    """Two chunk ids (first < second in catalog order) and the Jaccard similarity of their word triples."""

    first: str
    second: str
    similarity: float


@dataclass(frozen=True)
class Twins:
    """`equal`: groups (two or more ids, in catalog order) of chunks whose normalised text is the same; `near`: pairs
    that are not equal but similar; `pages`: groups of document paths whose whole normalised body is the same.

    Groups and pairs go by their first members, and are the same objects as long as they say the same.
    """

    equal: tuple[tuple[str, ...], ...]
    near: tuple[NearTwin, ...]
    pages: tuple[tuple[str, ...], ...]

    @cached_property
    def equal_of(self) -> Mapping[str, tuple[str, ...]]:
        """The group of each chunk id that is in one."""
        return {chunk_id: group for group in self.equal for chunk_id in group}

    @cached_property
    def near_of(self) -> Mapping[str, tuple[NearTwin, ...]]:
        """The pairs of each chunk id that is in one."""
        found: dict[str, list[NearTwin]] = defaultdict(list)
        for pair in self.near:
            found[pair.first].append(pair)
            found[pair.second].append(pair)
        return {chunk_id: tuple(pairs) for chunk_id, pairs in found.items()}

    @cached_property
    def pages_of(self) -> Mapping[str, tuple[str, ...]]:
        """The group of each path that is in one."""
        return {path: group for group in self.pages for path in group}
