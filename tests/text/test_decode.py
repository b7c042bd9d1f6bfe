"""Bytes become text whatever they are, and each replacement character that stands for bytes is known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.text.decode import Decoded, decode
from evidencedesk.text.spans import Span


@pytest.mark.parametrize(
    ("data", "text", "bad"),
    [
        (b"", "", []),
        (b"\xef\xbb\xbf# Foo", "# Foo", []),
        (b"\xef\xbb\xbf", "", []),
        ("é😀".encode("utf-16"), "é😀", []),
        (b"\xfe\xff" + "é😀".encode("utf-16-be"), "é😀", []),
        (b"\xff\xfea\0b", "a\ufffd", [(1, 2)]),
        (b"\xff\xfe\x00\xd8a\0", "\ufffda", [(0, 1)]),
        (b"caf\xe9 na\xefve", "caf\ufffd na\ufffdve", [(3, 4), (7, 8)]),
        (b"a\xff\xfe\xfdb\xff", "a\ufffdb\ufffd", [(1, 2), (3, 4)]),
        ("own \ufffd".encode() + b"\x80", "own \ufffd\ufffd", [(5, 6)]),
        (b"\xed\xa0\x80", "\ufffd", [(0, 1)]),
        (b"a\0b", "a\0b", []),
    ],
)
def test_undecodable_runs_become_one_replacement_each(data: bytes, text: str, bad: list[tuple[int, int]]) -> None:
    assert decode(data) == Decoded(text, tuple(Span(*span) for span in bad))


@given(st.text())
def test_sound_utf8_decodes_to_itself(text: str) -> None:
    assert decode(b"\xef\xbb\xbf" + text.encode()) == Decoded(text)


@given(st.binary())
def test_any_bytes_decode_to_encodable_text_with_replacements_where_told(data: bytes) -> None:
    decoded = decode(data)
    decoded.text.encode()
    assert all(span.of(decoded.text) == "\ufffd" for span in decoded.bad)
