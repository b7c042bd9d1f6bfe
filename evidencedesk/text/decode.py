"""Bytes of a file → text. Invariant: decoding never fails; what is no text becomes U+FFFD at a known place."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from evidencedesk.text.spans import Span

REPLACEMENT = "\ufffd"

# What "surrogateescape" and "surrogatepass" leave behind for bytes and code units that are no character.
_NO_CHARACTER = re.compile("[\ud800-\udfff]+")


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a file without its byte order mark, and the spans of the U+FFFD that stand for undecodable bytes."""

    text: str
    bad: tuple[Span, ...] = ()


def decode(data: bytes) -> Decoded:
    """Decode UTF-8, or UTF-16 when a byte order mark says so; each run of undecodable bytes becomes one U+FFFD."""
    if data.startswith(codecs.BOM_UTF16_LE):
        return _mark(_utf16(data[2:], "utf-16-le"))
    if data.startswith(codecs.BOM_UTF16_BE):
        return _mark(_utf16(data[2:], "utf-16-be"))
    return _mark(data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape"))


def encode_like(data: bytes, text: str) -> bytes | None:
    """`text` in the encoding of a file that holds `data`, byte order mark included; None for data that is no text."""
    if decode(data).bad:
        return None
    for mark, codec in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if data.startswith(mark):
            return mark + text.encode(codec, "replace")
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    return mark + text.encode("utf-8", "replace")


def _utf16(data: bytes, codec: str) -> str:
    even = len(data) & ~1
    return data[:even].decode(codec, "surrogatepass") + "\udc80" * (len(data) - even)


def _mark(text: str) -> Decoded:
    if text.isascii():
        return Decoded(text)
    bad: list[Span] = []
    dropped = 0
    for match in _NO_CHARACTER.finditer(text):
        start = match.start() - dropped
        bad.append(Span(start, start + 1))
        dropped += match.end() - match.start() - 1
    return Decoded(_NO_CHARACTER.sub(REPLACEMENT, text) if bad else text, tuple(bad))
