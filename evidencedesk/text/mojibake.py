"""UTF-8 that was read as windows-1252, found and read again. Invariant: what could be meant is left alone."""

from __future__ import annotations

import re

from evidencedesk.text.spans import Span

# What windows-1252 shows for the bytes 80 to 9F; it leaves five of them empty, which then stay control characters.
_HIGH = {bytes([byte]).decode("cp1252", "ignore") or chr(byte): byte for byte in range(0x80, 0xA0)}
_REST = "".join(_HIGH) + "".join(map(chr, range(0xA0, 0xC0)))
# UTF-8 read as windows-1252 has these shapes: a lead letter, then as many of the rest as the lead announces.
_SEQUENCE = (
    f"(?:[\xc2-\xdf][{re.escape(_REST)}]|[\xe0-\xef][{re.escape(_REST)}]{{2}}|[\xf0-\xf4][{re.escape(_REST)}]{{3}})"
)
_MOJIBAKE = re.compile(f"{_SEQUENCE}+")
_EACH = re.compile(_SEQUENCE)
_HINT = re.compile(f"[\xc2-\xf4][{re.escape(_REST)}]")  # looks much quicker, and mostly finds nothing
# Characters of the rest that stand behind a capital in sound text too: "MAÇÃ”", "0.5 Å–1 Å", "Å²", "NÄ®".
_QUOTING = "\xa0«»‹›‘’‚“”„–—…"
_ORDINARY = _QUOTING + "·•°²³¹®©™§ªº"

_CONTROL = re.compile("[\x80-\x9f]")


def find_mojibake(text: str) -> list[Span]:
    """Runs of damaged characters, in order."""
    if text.isascii() or not _HINT.search(text):
        return []
    return [Span(*run.span()) for run in _MOJIBAKE.finditer(text) if _is_damage(run)]


def restored(text: str) -> str:
    """The text before it was read in the wrong encoding, once or several times."""
    while _MOJIBAKE.fullmatch(text) and (decoded := _decoded(text)):
        text = decoded
    return text.replace("\ufeff", "")


def _is_damage(run: re.Match[str]) -> bool:
    """Whether text of this shape can hardly be meant: single pairs must show it by themselves, several in a row do."""
    before, after = run.string[max(0, run.start() - 1) : run.start()], run.string[run.end() : run.end() + 1]
    decoded, sequences = _decoded(run[0]), _EACH.findall(run[0])
    if not decoded or _CONTROL.search(decoded):
        return False
    for sequence in sequences:
        lead, rest = sequence[0], sequence[1:]
        odd = any(char not in _QUOTING for char in rest)
        if lead in "âïð" and odd:
            return True
        if lead in "ÃÂ" and (odd or not (before.isupper() or (before or " ") in _QUOTING)):
            return True
        inside = lead.isupper() and before.islower()
        if inside and (after.isalpha() or not any(char in _ORDINARY for char in rest)):
            return True
        before = rest[-1]
    odd_ones = sum(any(char not in _ORDINARY for char in sequence[1:]) for sequence in sequences)
    return len(sequences) > 2 or (len(sequences) == 2 and odd_ones > 0)


def _decoded(text: str) -> str:
    """The text's windows-1252 bytes read as UTF-8; "" when they are none."""
    data = bytes(_HIGH.get(char, ord(char) & 0xFF) for char in text)
    decoded = data.decode("utf-8", "ignore")
    return decoded if decoded.encode("utf-8") == data else ""
