"""Folded text that maps back to its source. Invariant: a part folds as it does inside the whole text."""

from __future__ import annotations

from dataclasses import dataclass

from evidencedesk.text.spans import Span


@dataclass(frozen=True, slots=True)
class Match:
    """An occurrence of a searched text: where it stands in the source, and whether it stands there letter by letter."""

    span: Span
    verbatim: bool
