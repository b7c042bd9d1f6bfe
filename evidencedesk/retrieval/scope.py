"""Which documents a search may return. Invariant: it depends on a document's front matter alone."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scope:
    """Which documents a search may return: by status, audience and language (None: any language)."""

    statuses: frozenset[str] = frozenset({"current"})
    audiences: frozenset[str] = frozenset({"public"})
    langs: frozenset[str] | None = None

    def admits(self, status: str, audience: str, lang: str) -> bool:
        """Whether a document with these is inside."""
        return status in self.statuses and audience in self.audiences and (self.langs is None or lang in self.langs)
