"""A text's script → its probable language. Invariant: Latin letters alone tell nothing."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter

import numpy as np

# First and last letter of a script, its language, and the letters that only another language of the script has; by the
# first letter.
_SCRIPTS: tuple[tuple[str, str, str, dict[str, str]], ...] = (
    ("\u0370", "\u03ff", "el", {}),
    ("\u0400", "\u052f", "ru", {"uk": "іїєґ"}),
    ("\u0530", "\u058f", "hy", {}),
    ("\u0590", "\u05ff", "he", {}),
    ("\u0600", "\u06ff", "ar", {"fa": "پچژگ", "ur": "ٹڈڑں"}),
    ("\u0900", "\u097f", "hi", {}),
    ("\u0980", "\u09ff", "bn", {}),
    ("\u0a00", "\u0a7f", "pa", {}),
    ("\u0a80", "\u0aff", "gu", {}),
    ("\u0b80", "\u0bff", "ta", {}),
    ("\u0c00", "\u0c7f", "te", {}),
    ("\u0c80", "\u0cff", "kn", {}),
    ("\u0d00", "\u0d7f", "ml", {}),
    ("\u0d80", "\u0dff", "si", {}),
    ("\u0e00", "\u0e7f", "th", {}),
    ("\u0e80", "\u0eff", "lo", {}),
    ("\u1000", "\u109f", "my", {}),
    ("\u10a0", "\u10ff", "ka", {}),
    ("\u1780", "\u17ff", "km", {}),
    ("\u3041", "\u30ff", "ja", {}),
    ("\u3400", "\u9fff", "zh", {}),
    ("\uac00", "\ud7a3", "ko", {}),
)

_FIRSTS = [first for first, *_ in _SCRIPTS]
# Punctuation, symbols and brackets stand between these two; below and above them all are the scripts.
_BEFORE, _BEHIND = 0x2000, 0x3040
_LOWEST, _HIGHEST = ord(_FIRSTS[0]), ord(_SCRIPTS[-1][1])

# A technical page in any script is full of Latin names and code: this share of its letters makes it a page of a script.
_ENOUGH = 0.15
# Japanese is written with more Han than kana; Chinese has none but in quotations.
_KANA_SHARE = 0.1


def guess_language(text: str) -> str:
    """The language code that the letters of `text` suggest, "" when they are mostly Latin or too few to tell.

    Of scripts with equally many letters it is the one that comes first in Unicode.
    """
    if text.isascii():
        return ""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    foreign = codes[(codes >= _LOWEST) & (codes <= _HIGHEST) & ((codes < _BEFORE) | (codes > _BEHIND))]
    if not len(foreign):
        return ""
    found, numbers = np.unique(foreign, return_counts=True)
    letters = dict(zip(map(chr, found.tolist()), numbers.tolist(), strict=True))
    counts: Counter[str] = Counter()
    for letter, count in letters.items():
        script = bisect_right(_FIRSTS, letter) - 1
        if script >= 0 and letter <= _SCRIPTS[script][1]:
            counts[_SCRIPTS[script][2]] += count
    if not counts:
        return ""
    if counts["ja"] >= _KANA_SHARE * counts["zh"]:
        counts["ja"] += counts.pop("zh", 0)
    lang, most = max(counts.items(), key=lambda pair: pair[1])
    # Setting one bit makes small letters of capital ones; U+00C0 to U+024F are the accented ones.
    latin = np.count_nonzero((codes | 0x20) - ord("a") < 26) + np.count_nonzero((codes >= 0xC0) & (codes < 0x250))
    if most < _ENOUGH * (most + latin):
        return ""
    others = next(others for _, _, script_lang, others in _SCRIPTS if script_lang == lang)
    shares = {other: sum(letters.get(letter, 0) for letter in only) / most for other, only in others.items()}
    likely = max(shares, key=lambda other: shares[other], default="")
    return likely if likely and shares[likely] > 0.01 else lang
