"""Escapes in JSON strings. Invariant: every escape stands for one character, so offsets map both ways."""

from __future__ import annotations

import re

from evidencedesk.text.spans import Span

_ESCAPE = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([\s\S]))|([\x00-\x1f])"
)
_LETTERS = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def decode_string(text: str, span: Span, *, closed: bool = True) -> tuple[str, list[tuple[Span, str]]]:
    """The string written at `span`, quotation marks included (`closed` False: without the last), and its defects.

    An unknown escape stands for its letter; half of a surrogate pair, which no text can hold, for U+FFFD.
    """
    start = span.start + 1
    raw = text[start : span.end - 1] if closed else text[start : span.end]
    defects: list[tuple[Span, str]] = []

    def replace(match: re.Match[str]) -> str:
        place = Span(start + match.start(), start + match.end())
        high, low, unit, letter, control = match.groups()
        if high:
            return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
        if unit:
            code = int(unit, 16)
            if 0xD800 <= code < 0xE000:
                defects.append((place, f"`{match[0]}` is half a character; the other half of the pair is missing"))
                return "\ufffd"
            return chr(code)
        if control:
            name = r"\t" if control == "\t" else f"\\u{ord(control):04x}"
            defects.append((place, f"a control character inside a text is written `{name}`"))
            return control
        if letter not in _LETTERS:
            defects.append((place, rf"`{match[0]}` is no escape; a backslash itself is written `\\`"))
        return _LETTERS.get(letter, letter)

    return _ESCAPE.sub(replace, raw), defects


def part_of_string(text: str, string: Span, part: Span) -> Span:
    """Where characters `part` of the decoded string stand in `text`; `string` is its span, quotation marks included.

    Offsets past the end of the decoded string clamp to the end.
    """
    raw = text[string.start + 1 : string.end]
    raw = raw[:-1] if raw.endswith('"') else raw
    ends = []
    for offset in part:
        decoded = source = 0
        for match in _ESCAPE.finditer(raw):
            plain = match.start() - source
            if decoded + plain >= offset:
                break
            decoded += plain + 1
            source = match.end()
        ends.append(string.start + 1 + min(source + max(0, offset - decoded), len(raw)))
    return Span(*ends)
