from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.text.nearest import Names, nearest_passage

PAGE = """# Returns

You can return a bike within 14 days of delivery, if it is clean.

## Refunds

The amount is back on your card within 5 business days.
"""


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("return-v3", "returns-v3"),
        ("Returns-V3", "returns-v3"),
        ("kestrel-warranty", "warranty"),
        ("shipping", "shipping-v1"),
        ("battery", ""),
        ("", ""),
    ],
)
def test_the_nearest_name_is_similar_or_none(wanted: str, expected: str) -> None:
    assert Names(["returns-v2", "returns-v3", "warranty", "shipping-v1"]).nearest(wanted) == expected


def test_equally_near_names_go_to_the_first() -> None:
    assert Names(["page-a", "page-b"]).nearest("page-c") == "page-a"
    assert Names(["page-b", "page-a"]).nearest("page-c") == "page-b"


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=8))
def test_a_name_is_nearest_to_itself(names: list[str]) -> None:
    for name in names:
        assert Names(names).nearest(name).casefold() == name.casefold()


@pytest.mark.parametrize(
    ("wanted", "found", "changes"),
    [
        ("return a bike within 30 days of delivery", "return a bike within 14 days of delivery", [("30", "14")]),
        ("the amount will be back on your card", "The amount is back on your card", [("will be", "is")]),
        (
            "return a bike within 14 days, if it is clean",
            "return a bike within 14 days of delivery, if it is clean",
            None,
        ),
        ("within 5 business days.", "within 5 business days.", []),
    ],
)
def test_the_nearest_passage_shows_what_differs(wanted: str, found: str, changes: list[tuple[str, str]] | None) -> None:
    passage = nearest_passage(PAGE, wanted)
    assert passage
    assert passage.span.of(PAGE) == found
    if changes is not None:
        assert list(passage.changes) == changes


@pytest.mark.parametrize("wanted", ["", "...", "days", "A warranty covers the frame for two years", "刀 剑"])
def test_a_text_that_resembles_nothing_has_no_nearest_passage(wanted: str) -> None:
    assert nearest_passage(PAGE, wanted) is None


def test_scripts_without_spaces_are_compared_by_character() -> None:
    text = "序文。自転車は三十日以内に返品できます。"
    passage = nearest_passage(text, "自転車は十四日以内に返品できます。")
    assert passage
    assert passage.span.of(text) == "自転車は三十日以内に返品できます。"


def test_combining_marks_stay_inside_their_words() -> None:
    text = "আপনি ৩০ দিনের মধ্যে ফেরত দিতে পারেন।"
    passage = nearest_passage(text, "আপনি ১৪ দিনের মধ্যে ফেরত দিতে পারেন।")
    assert passage
    assert passage.changes == (("১৪", "৩০"),)
    assert passage.span.of(text) == text


@given(st.lists(st.integers(0, 99).map(str), min_size=4, max_size=40, unique=True), st.data())
def test_a_passage_that_is_there_is_found_unchanged(words: list[str], data: st.DataObject) -> None:
    # Words that repeat may be matched elsewhere first; evidence that stands verbatim never gets here.
    text = " ".join(words)
    start = data.draw(st.integers(0, len(words) - 4))
    wanted = " ".join(words[start : start + 4])
    passage = nearest_passage(text, wanted)
    assert passage
    assert passage.span.of(text) == wanted
    assert passage.changes == ()
