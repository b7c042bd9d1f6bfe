"""Text → words. Invariant: the same words whatever the letter case, Unicode form and invisible characters."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from evidencedesk.text.unicode import INVISIBLE, NO_SPACES, category

_ASCII_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_INVISIBLE = re.compile(f"[{INVISIBLE}]+")

# Where letters and digits stand above U+FFFF; a class with those is ten times slower, so it serves only their texts.
_HIGH = re.compile("[\U00010000-\U0001efff\U0001fbf0-\U0001fbf9]")


def words(text: str) -> list[str]:
    """The words of `text` in order, casefolded and NFC.

    A word is a run of letters, marks and digits (Unicode categories L, M, N) with single inner hyphens kept, so
    `RD2-24` is one word and vowel signs never split one. Scripts without spaces (Chinese, Japanese, Thai, Lao,
    Burmese, Khmer) give overlapping pairs of characters, and a character that stands alone gives itself.
    """
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    text = _INVISIBLE.sub("", text).replace("\u2010", "-").replace("\u2011", "-")
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    found: list[str] = []
    for spaced_word, run in _word(0xE01EF if _HIGH.search(text) else 0xFFFF).findall(text):
        if spaced_word or len(run) == 1:
            found.append(spaced_word or run)
        else:
            found += map(str.__add__, run, run[1:])
    return found


@cache
def _word(last: int) -> re.Pattern[str]:
    # A mark that follows no letter (an enclosing circle after an emoji) begins no word.
    run = f"[{category('LN', last, NO_SPACES)}][{category('LMN', last, NO_SPACES)}]*"
    return re.compile(f"({run}(?:-{run})*)|([{NO_SPACES}]+)")
