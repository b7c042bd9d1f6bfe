"""How well a typed word fits a name. Invariant: pure."""

from __future__ import annotations

NO_MATCH = 4


def quality(wanted: str, text: str) -> int:
    """0 for equal texts, 1 for a beginning, 2 for a part, 3 for letters in order, `NO_MATCH` for none of it.

    Both casefolded.
    """
    if wanted == text:
        return 0
    at = text.find(wanted)
    if at >= 0:
        return 1 if at == 0 else 2
    letters = iter(text)
    return 3 if all(letter in letters for letter in wanted) else NO_MATCH
