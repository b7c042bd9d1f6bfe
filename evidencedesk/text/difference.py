"""Where two texts differ, as one edit. Invariant: before and behind it stand the same characters."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from evidencedesk.text.spans import Span


class Difference(NamedTuple):
    """All that differs between two texts lies in `[start, end)` of the old one; what is behind moves by `by`."""

    start: int
    end: int
    by: int

    def moved(self, span: Span) -> Span | None:
        """Where the same characters stand now; None when some are edited, or there are none."""
        if span.start < span.end <= self.start:
            return span
        if self.end <= span.start < span.end:
            return Span(span.start + self.by, span.end + self.by)
        return None


def difference(old: str, new: str) -> Difference:
    """The shortest edit that makes one text of the other; the first one where several are as short."""
    shorter = min(len(old), len(new))
    start = _longest(shorter, lambda low, high: old[low:high] == new[low:high])
    rest = _longest(
        shorter - start,
        lambda low, high: old[len(old) - high : len(old) - low] == new[len(new) - high : len(new) - low],
    )
    return Difference(start, len(old) - rest, len(new) - len(old))


def _longest(most: int, agree: Callable[[int, int], bool]) -> int:
    """The greatest number up to `most` so that the texts `agree` from 0 to there: comparing slices is the fast way."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if agree(low, middle) else (low, middle - 1)
    return low
