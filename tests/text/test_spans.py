"""Offsets, lines and edits: one answer for every encoding, checked against Python's own encoders."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.text.spans import Encoding, LineIndex, Position, Span, TextEdit, apply_edits

TEXTS = st.text(st.sampled_from(["a", "é", "ফ", "😀", "\n", "\r", "\u2028", "\x0c", "\x85"]), max_size=30)
UNITS: dict[Encoding, tuple[str, int]] = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a", ""]),
        ("a\r\nb", ["a", "b"]),
        ("a\rb", ["a", "b"]),
        ("a\n\rb", ["a", "", "b"]),
        ("a\r\r\nb", ["a", "", "b"]),
        ("a\u2028b\x0cc\x85d\x0be", ["a\u2028b\x0cc\x85d\x0be"]),
    ],
)
def test_lines_end_at_lf_crlf_and_cr_only(text: str, lines: list[str]) -> None:
    index = LineIndex(text)
    assert [index.line_span(line).of(text) for line in range(index.line_count)] == lines


@given(TEXTS, st.sampled_from(sorted(UNITS)))
def test_positions_count_the_units_of_the_encoding_and_lead_back(text: str, encoding: Encoding) -> None:
    index = LineIndex(text)
    codec, width = UNITS[encoding]
    for offset in range(len(text) + 1):
        line, column = index.position(offset, encoding)
        span = index.line_span(line)
        inside = min(offset, span.end)
        assert column == len(text[span.start : inside].encode(codec)) // width
        assert index.offset(line, column, encoding) == inside


@pytest.mark.parametrize(
    ("encoding", "column", "offset"),
    [("utf-16", 1, 0), ("utf-16", 2, 1), ("utf-8", 3, 0), ("utf-8", 4, 1), ("utf-32", 1, 1)],
)
def test_a_column_inside_a_character_rounds_down_to_it(encoding: Encoding, column: int, offset: int) -> None:
    assert LineIndex("😀b").offset(0, column, encoding) == offset


def test_positions_outside_the_text_clamp() -> None:
    index = LineIndex("ab\ncd")
    assert [index.offset(-1, 5), index.offset(0, 99), index.offset(0, -3), index.offset(7, 0)] == [0, 2, 0, 5]
    assert (index.position(-4), index.position(99)) == (Position(0, 0), Position(1, 2))
    with pytest.raises(IndexError):
        index.line_span(2)


@pytest.mark.parametrize(
    ("first", "second", "overlaps", "contains"),
    [
        (Span(0, 3), Span(1, 2), True, True),
        (Span(0, 3), Span(3, 4), False, False),
        (Span(0, 3), Span(2, 4), True, False),
        (Span(0, 3), Span(3, 3), True, True),
        (Span(2, 2), Span(2, 2), True, True),
    ],
)
def test_spans_overlap_and_contain(first: Span, second: Span, overlaps: bool, contains: bool) -> None:
    assert (first.overlaps(second), second.overlaps(first)) == (overlaps, overlaps)
    assert first.contains(second) is contains


def test_edits_apply_at_the_offsets_of_the_text_as_it_was() -> None:
    edits = [TextEdit(Span(4, 5), "E"), TextEdit(Span(0, 1), ""), TextEdit(Span(2, 2), "x"), TextEdit(Span(2, 2), "y")]
    assert apply_edits("abcdef", edits) == "bxycdEf"


def test_overlapping_edits_are_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        apply_edits("abc", [TextEdit(Span(0, 2), ""), TextEdit(Span(1, 3), "")])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_columns_of_a_line_of_many_thousand_characters_are_as_exact_as_those_of_a_short_one(encoding: Encoding) -> None:
    line = "a😀é\ud83d" * 2500
    index = LineIndex(f"first 😀\n{line}\nlast")
    start = len("first 😀\n")
    sizes = {"utf-8": (1, 4, 2, 3), "utf-16": (1, 2, 1, 1), "utf-32": (1, 1, 1, 1)}[encoding]
    column = 0
    for offset in range(len(line)):
        if offset % 97 == 0 or offset % 2048 in (0, 1, 2047):
            assert index.position(start + offset, encoding) == (1, column)
            assert index.offset(1, column, encoding) == start + offset
        column += sizes[offset % 4]
    assert index.position(start + len(line), encoding) == (1, column)
