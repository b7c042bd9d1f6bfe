"""Groups of phrases that mean the same. Invariant: terms that a group adds to a question call for no other group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

WEIGHT = 0.7
"""What a whole phrase weighs that a question does not hold itself; its terms share it."""


class Synonyms:
    """Synonym groups over terms.

    `related` maps a term to all other terms of its groups, those of its own phrase included.
    """

    def __init__(self, groups: Iterable[Iterable[Sequence[str]]]) -> None:
        """A group holds phrases, a phrase its terms; a phrase without terms says nothing."""
        self._groups = [[tuple(phrase) for phrase in group if phrase] for group in groups]
        related: dict[str, set[str]] = {}
        for group in self._groups:
            members = {term for phrase in group for term in phrase}
            for term in members:
                related.setdefault(term, set()).update(members - {term})
        self.related: Mapping[str, frozenset[str]] = {term: frozenset(others) for term, others in related.items()}

    def expand(self, tokens: Iterable[str]) -> dict[str, float]:
        """A question's terms with their weights, in order: its own weigh their number, then come those it stands for.

        For every group with a phrase that the question holds whole, each term of each phrase that it does not hold
        weighs `WEIGHT / len(phrase)`, the greatest where several do.
        """
        weights: dict[str, float] = {term: float(count) for term, count in Counter(iter(tokens)).items()}
        own = frozenset(weights)
        for group in self._groups:
            if any(own.issuperset(phrase) for phrase in group):
                for phrase in group:
                    share = WEIGHT / len(phrase)
                    for term in phrase:
                        if term not in own:
                            weights[term] = max(weights.get(term, 0.0), share)
        return weights
