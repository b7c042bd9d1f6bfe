"""Text → terms of an index or a question, per language. Invariant: both sides of a match are analysed alike.

Without any setting every word is indexed as it stands, and stop words leave the question only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import Protocol

from evidencedesk.text.stemming import ALGORITHM_OF_LANG, stemmer
from evidencedesk.text.stop_words import STOP_WORDS_BY_LANG
from evidencedesk.text.synonyms import Synonyms
from evidencedesk.text.words import words

STOP_WORDS: frozenset[str] = STOP_WORDS_BY_LANG["en"] | STOP_WORDS_BY_LANG["bn"]
"""English and Bangla words that a question is built with, not about."""

_REMEMBERED = 1 << 17


def index_terms(text: str) -> list[str]:
    """All words of `text`, in order and with repetitions."""
    return words(text)


def query_terms(text: str) -> list[str]:
    """The distinct words of a question in order of first occurrence, without stop words."""
    return [word for word in dict.fromkeys(words(text)) if word not in STOP_WORDS]


class Analyzer(Protocol):
    """How the texts of one language become terms."""

    @property
    def synonyms(self) -> tuple[tuple[str, ...], ...]:
        """Groups of phrases that mean the same, as written."""

    def terms(self, text: str) -> list[str]:
        """What is indexed of a text, in order and with repetitions."""

    def content(self, question: str) -> list[str]:
        """What a question asks about, in order and with repetitions."""

    def expand(self, tokens: Iterable[str]) -> dict[str, float]:
        """Terms to search for, with their weights: the tokens by their number, and what stands for them."""

    def related(self, term: str) -> frozenset[str]:
        """Terms that stand for this one."""


@dataclass(frozen=True, slots=True)
class PlainAnalyzer:
    """Words as they stand; English and Bangla stop words leave the question only."""

    synonyms: tuple[tuple[str, ...], ...] = ()

    def terms(self, text: str) -> list[str]:
        """See Analyzer."""
        return index_terms(text)

    def content(self, question: str) -> list[str]:
        """See Analyzer."""
        return [word for word in words(question) if word not in STOP_WORDS]

    def expand(self, tokens: Iterable[str]) -> dict[str, float]:
        """See Analyzer."""
        return Synonyms(()).expand(tokens)

    def related(self, term: str) -> frozenset[str]:
        """See Analyzer."""
        return frozenset()


@dataclass(frozen=True)
class StemmingAnalyzer:
    """Stems without stop words, and synonyms.

    A word with hyphens gives its parts. A part counts that is no stop word and is longer than one character or a
    digit; when two or more count, the compound of their stems comes before them. Stop words are looked at before
    stemming; `ё` reads as `е`. `algorithm` is one of `stemming.ALGORITHMS`, "" leaves words unstemmed; `find` finds
    the words of a lower-case text.
    """

    algorithm: str = ""
    stop_words: frozenset[str] = frozenset()
    synonyms: tuple[tuple[str, ...], ...] = ()
    find: Callable[[str], list[str]] = words

    def terms(self, text: str) -> list[str]:
        """See Analyzer."""
        found: list[str] = []
        terms_of = self._terms_of
        for word in self.find(text.lower().replace("ё", "е")):
            found += terms_of(word)
        return found

    def content(self, question: str) -> list[str]:
        """See Analyzer."""
        return self.terms(question)

    def expand(self, tokens: Iterable[str]) -> dict[str, float]:
        """See Analyzer."""
        return self._groups.expand(tokens)

    def related(self, term: str) -> frozenset[str]:
        """See Analyzer."""
        return self._groups.related.get(term, frozenset())

    @cached_property
    def _terms_of(self) -> Callable[[str], tuple[str, ...]]:
        """The terms of one word, remembered: a language has few words that come often."""
        stem = stemmer(self.algorithm) if self.algorithm else str

        @lru_cache(_REMEMBERED)
        def terms_of(word: str) -> tuple[str, ...]:
            parts = tuple(
                stem(part)
                for part in word.split("-")
                if part not in self.stop_words and (len(part) > 1 or part.isdigit())
            )
            return ("-".join(parts), *parts) if len(parts) > 1 else parts

        return terms_of

    @cached_property
    def _groups(self) -> Synonyms:
        return Synonyms([[self.terms(phrase) for phrase in group] for group in self.synonyms])


PLAIN = PlainAnalyzer()


@cache
def snowball(lang: str) -> StemmingAnalyzer:
    """The analyzer of a language with nothing configured: its Snowball algorithm and stop words, where it has them."""
    return StemmingAnalyzer(ALGORITHM_OF_LANG.get(lang, ""), STOP_WORDS_BY_LANG.get(lang, frozenset()))


@dataclass(frozen=True, slots=True)
class Analysis:
    """Which analyzer reads which language; `other` gives one for a language that `by_lang` does not name.

    A text is read by the analyzer of its own language. A question names none: it is read by the analyzers of all
    languages present in the index, and what they find is searched for together, each term at its greatest weight.
    """

    by_lang: Mapping[str, Analyzer] = field(default_factory=dict)
    other: Callable[[str], Analyzer] = lambda lang: PLAIN

    def of(self, lang: str) -> Analyzer:
        """The analyzer of a language code; `pt-BR` is read as `pt` when only that is named."""
        code = lang.lower()
        base = code.replace("_", "-").split("-")[0]
        return self.by_lang.get(code) or self.by_lang.get(base) or self.other(base)

    def synonyms_of(self, question: str) -> list[str]:
        """The phrases, as configured, that mean the same as one the question holds; those it holds left out."""
        found: dict[str, None] = {}
        for analyzer in self.by_lang.values():
            held = frozenset(analyzer.terms(question))
            for group in analyzer.synonyms:
                present = {phrase for phrase in group if held.issuperset(analyzer.terms(phrase) or ("",))}
                if present:
                    found.update((phrase, None) for phrase in group if phrase not in present)
        return list(found)


def weigh(question: str, analyzers: Iterable[Analyzer], *, repeats: bool = False) -> dict[str, float]:
    """What a question is searched by: the terms that each analyzer finds, at the greatest weight that one gives.

    With `repeats` a term that the question holds twice weighs double.
    """
    weights: dict[str, float] = {}
    for analyzer in dict.fromkeys(analyzers):
        tokens = analyzer.content(question)
        for term, weight in analyzer.expand(tokens if repeats else list(dict.fromkeys(tokens))).items():
            weights[term] = max(weights.get(term, 0.0), weight)
    return weights
