"""How alike two texts are. Invariant: numbers must agree: "FM 1506" is no twin of "FM 1507"."""

from __future__ import annotations

import re
from functools import cached_property

from evidencedesk.text.words import words

SIMILAR = 0.8
"""Near twins share at least this part of their word triples (Jaccard)."""

ROUNDING = 1e-9
"""What a product of SIMILAR and a count may be off by."""

MIN_WORDS = 8
"""Shorter chunks are no near twins: "See the table below." says nothing twice."""

MAX_WORDS = 1 << 16
"""Nor are longer ones, which no prompt holds; so many distinct words have numbers of 16 bits."""

# A word that may have a capital and stands inside a sentence: after a word, a comma or a closing bracket and a space,
# or right after a character of a script that sets no spaces.
_INNER = re.compile(r"(?:(?<=[\w,;)’'] )|(?<=[、\u3005-\u9fff]))[^\W\d_a-z][\w-]*")
_CODE = re.compile(r"`([^`\n]+)`")


def holds_digit(word: str) -> bool:
    """Whether the word counts as a number."""
    return not word.isalpha() and any(map(str.isdigit, word))


class Likeness:
    """A text as it is compared with others."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = words(text)
        self._triples = frozenset(zip(self._words, self._words[1:], self._words[2:], strict=False))

    @cached_property
    def _numbers(self) -> list[str]:
        return sorted(filter(holds_digit, self._words))

    @cached_property
    def _names(self) -> frozenset[str]:
        """The words of capitalised words inside sentences and of inline code."""
        named = [word for word in _INNER.findall(self._text) if word[0].isupper()]
        return frozenset(words(" ".join([*named, *_CODE.findall(self._text)])))

    def similarity(self, other: Likeness) -> float:
        """The Jaccard similarity of the word triples, 0 when the texts are no near twins."""
        shared = len(self._triples & other._triples)
        union = len(self._triples) + len(other._triples) - shared
        if shared < SIMILAR * union - ROUNDING or self._numbers != other._numbers:
            return 0.0
        if not (self._names.issubset(other._words) and other._names.issubset(self._words)):
            return 0.0
        return shared / union
