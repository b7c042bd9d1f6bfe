"""Character classes that `re` lacks, as the inside of a `[…]`. Invariant: they depend on the Unicode version only."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

# Joiners, variation selectors, soft hyphen, byte order mark: invisible, and typed or left out at random.
INVISIBLE = "\xad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef"

# Han, kana, bopomofo, Thai, Lao, Myanmar, Khmer without their digits: scripts written without spaces between words.
NO_SPACES = (
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00016fe4\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecf\u0edc-\u0edf"
    "\u1000-\u103f\u1050-\u108f\u109a-\u109d\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f\u1780-\u17d3\u17d7\u17dc\u17dd"
)


def category(initials: str, last: int, without: str = "") -> str:
    """All characters up to code point `last` whose category begins with one of `initials`, but not in `without`."""
    excluded = re.compile(f"[{without}]") if without else None
    return _ranges(
        code
        for code in range(last + 1)
        if unicodedata.category(chr(code))[0] in initials and not (excluded and excluded.match(chr(code)))
    )


@cache
def composable() -> re.Pattern[str]:
    """Matches every stretch that NFC may change: a character with its marks or jamo, or one that NFC replaces."""
    follows = category("M", 0x1FFFF) + "\u1161-\u1175\u11a8-\u11c2"
    replaced = _ranges(code for code in range(0x300, 0x30000) if not unicodedata.is_normalized("NFC", chr(code)))
    return re.compile(f"[^{follows}]?[{follows}]+|[{replaced}]")


def _ranges(codes: Iterable[int]) -> str:
    parts: list[str] = []
    start = last = -2
    for code in [*codes, -9]:
        if code != last + 1:
            if start >= 0:
                parts.append(f"{re.escape(chr(start))}-{re.escape(chr(last))}")
            start = code
        last = code
    return "".join(parts)
