"""Words → stems, by the Snowball algorithms. Invariant: a stem depends on its word and the algorithm alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import Stemmer

ALGORITHMS: tuple[str, ...] = tuple(sorted(Stemmer.algorithms()))
"""Names of the stemming algorithms, such as `russian`."""

_CODES = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian",
    "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch", "nn": "norwegian",
    "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "st": "sesotho", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

ALGORITHM_OF_LANG = {lang: name for lang, name in _CODES.items() if name in ALGORITHMS}
"""Language code → its algorithm."""


@cache
def stemmer(algorithm: str) -> Callable[[str], str]:
    """The function that stems one lower-case word. Raises KeyError for an algorithm that is not of ALGORITHMS."""
    stem: Callable[[str], str] = Stemmer.Stemmer(algorithm, 0).stemWord
    return stem
