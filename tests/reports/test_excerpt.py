"""The marked source line, for every kind of line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from evidencedesk.reports.excerpt import excerpt, visible
from evidencedesk.text.spans import LineIndex, Span


def marked(text: str, wanted: str, width: int = 100) -> tuple[str, str]:
    start = text.index(wanted)
    shown = excerpt(LineIndex(text), Span(start, start + len(wanted)), width)
    return shown.text, shown.marks


@pytest.mark.parametrize(
    ("text", "wanted", "line", "marks"),
    [
        ("one two three\n", "two", "one two three", "    ^^^"),
        ("a\r\nbike shop\rlast", "shop", "bike shop", "     ^^^^"),
        ("\tif x:\n", "x", "    if x:", "       ^"),
        ("価格は三十日\n", "三十", "価格は三十日", "      ^^^^"),
        ("go 🚲 fast\n", "fast", "go 🚲 fast", "      ^^^^"),
        ("cafe\u0301 au lait\n", "au", "cafe\u0301 au lait", "     ^^"),
        ("a\x1b[31mred\n", "red", "a␛[31mred", "      ^^^"),
        ("a\u202eb c\n", "c", "a␦b c", "    ^"),
        ("a\u00a0b c\n", "c", "a b c", "    ^"),
    ],
)
def test_marks_stand_under_the_words(text: str, wanted: str, line: str, marks: str) -> None:
    assert marked(text, wanted) == (line, marks)


def test_an_empty_span_gets_one_mark_even_at_the_end_of_the_text() -> None:
    shown = excerpt(LineIndex("abc"), Span(3, 3))
    assert (shown.text, shown.marks) == ("abc", "   ^")


def test_a_span_of_several_lines_is_marked_to_the_end_of_the_first() -> None:
    shown = excerpt(LineIndex("one\ntwo\nthree\n"), Span(1, 8))
    assert (shown.line, shown.last_line, shown.text, shown.marks) == (1, 2, "one", " ^^")


def test_a_long_line_is_cut_to_a_window_around_the_span() -> None:
    text = "x" * 1_000_000 + "NEEDLE" + "y" * 1_000_000
    shown, marks = marked(text, "NEEDLE", width=60)
    assert shown.startswith("…xxx") and shown.endswith("yyy…")
    assert shown[len(marks) - 6 :].startswith("NEEDLE")
    assert cell_len(shown) <= 62


def test_a_span_longer_than_the_window_is_marked_as_far_as_it_is_shown() -> None:
    shown, marks = marked("a " + "b" * 500, "b" * 500, width=40)
    assert shown == "a " + "b" * 38 + "…"
    assert marks == "  " + "^" * 38


@given(st.text(max_size=300), st.integers(0, 300), st.integers(0, 300), st.integers(8, 60))
def test_any_text_gives_one_printable_line_within_the_width(text: str, one: int, other: int, width: int) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    shown = excerpt(LineIndex(text), Span(start, end), width)
    assert cell_len(shown.text) <= width + 2
    assert len(shown.text.splitlines()) <= 1
    assert shown.marks.strip(" ").strip("^") == "" and "^" in shown.marks
    assert len(shown.marks) <= width + 3


@given(st.text())
def test_visible_text_holds_no_character_that_a_terminal_obeys(text: str) -> None:
    assert all(char.isprintable() or char in "\u200c\u200d" for char in visible(text))
