"""The analyzers that an index is read and asked with. Invariant: a question is read by those of languages present."""

from __future__ import annotations

from collections.abc import Iterable

from evidencedesk.text.analysis import Analysis, Analyzer


class Analyzers:
    """The analyzers of the languages that some chunks are in."""

    def __init__(self, langs: Iterable[str], analysis: Analysis) -> None:
        self._analysis = analysis
        self._by_lang = {lang: analysis.of(lang) for lang in sorted(langs)}
        self.present = tuple(dict.fromkeys(self._by_lang.values()))
        """Those that a question is read by, each once."""

    def of(self, lang: str) -> Analyzer:
        """The one that reads texts of a language."""
        return self._by_lang.get(lang) or self._analysis.of(lang)
