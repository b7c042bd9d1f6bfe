"""What is being typed in JSON, however broken it is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.text.json_cursor import Wants, json_cursor

MARK = "¦"

CASES = [
    # text with the cursor, keys and lists around it, what is wanted, the key, typed so far, replaced
    ('[{"id":"a","gold":[{"section":"ret¦urns"}]}]', "[{[gold {", "VALUE", "section", "ret", "returns"),
    ('[{"id":"a","gold":[{"section":"ret¦\n', "[{[gold {", "VALUE", "section", "ret", "ret"),
    ('[{"id":"a","gold":[{"section":"ret, "evidence":"x¦"}]}]', "[{[gold {", "VALUE", "evidence", "x", "x"),
    ('[{"id":"a","question":"b", "ans¦"}]', "[{", "KEY", "", "ans", "ans"),
    ('[{"id":"a", "answerable": tr¦ue}]', "[{", "VALUE", "answerable", "tr", "true"),
    ('[{"id":"a"}, ¦]', "[", "VALUE", "", "", ""),
    ("¦", "", "VALUE", "", "", ""),
    ('{"labels":[{"tags":["x","¦"]}]}', "{[labels {[tags ", "VALUE", "", "", ""),
    ('[{"id":"a"\n  "¦"\n},{"id":"b"}]', "[{", "KEY", "", "", ""),
    ('[{"id":"a",\n "gold":[ ¦\n {"id":"b"}]', "[{[gold ", "VALUE", "", "", ""),
    ('[{"id":"a" ¦', "[{", "KEY", "", "", ""),
    (r'[{"id":"a","question":"say \"hi\" ¦', "[{", "VALUE", "question", 'say "hi" ', r"say \"hi\" "),
    ('[{"id":"a"}\n{"id":"b", "tags": ["¦', "[{[tags ", "VALUE", "", "", ""),
]


@pytest.mark.parametrize(("marked", "around", "wants", "key", "typed", "replaced"), CASES)
def test_the_cursor_knows_what_is_around_it(
    marked: str, around: str, wants: str, key: str, typed: str, replaced: str
) -> None:
    text = marked.replace(MARK, "")
    cursor = json_cursor(text, marked.index(MARK))
    shown = "".join("{["[not one.is_object] + (f"{one.key} " if one.key else "") for one in cursor.around)
    assert (shown, cursor.wants, cursor.key, cursor.typed, cursor.span.of(text)) == (
        around,
        Wants[wants],
        key,
        typed,
        replaced,
    )


def test_members_on_both_sides_of_the_cursor_are_known() -> None:
    marked = '[{"id": "a", "tags": ["x"], "¦", "question": "why?", "gold": [{"section": "s"}]}, {"reason": ""}]'
    values = json_cursor(marked.replace(MARK, ""), marked.index(MARK)).around[-1].values
    assert values == {"id": "a", "tags": ["x"], "question": "why?", "gold": None}


def test_a_missing_comma_is_known_where_the_value_before_ends() -> None:
    marked = '[{"id": "a"\n "¦'
    cursor = json_cursor(marked.replace(MARK, ""), marked.index(MARK))
    assert cursor.last_end == marked.index("\n")
    marked = '[{"id": "a",\n "¦'
    assert json_cursor(marked.replace(MARK, ""), marked.index(MARK)).last_end is None


def test_one_value_a_line_is_read_by_its_line_alone() -> None:
    marked = '{"id": "a", "broken\n{"id": "b", "tags": ["¦"]}'
    cursor = json_cursor(marked.replace(MARK, ""), marked.index(MARK), lines=True)
    assert [one.key for one in cursor.around] == ["", "tags"]
    assert dict(cursor.around[0].values) == {"id": "b"}


def test_a_cursor_deep_in_a_long_text_is_placed_as_in_a_short_one() -> None:
    entry = '{"id": "q", "question": "How?", "gold": [{"section": "a#b", "evidence": "%s"}]}' % ("word " * 200)
    long = "[" + ",\n".join([entry] * 300) + ',\n{"id": "z", "gold": [{"section": "a#b", "evidence": "'
    short = '[{"id": "z", "gold": [{"section": "a#b", "evidence": "'
    deep, near = json_cursor(long, len(long)), json_cursor(short, len(short))
    assert deep.around[-3:] == near.around[-3:]
    assert (deep.wants, deep.key, deep.typed, deep.quoted) == (near.wants, near.key, near.typed, near.quoted)


@given(
    st.text(alphabet='{}[]":, \n\\aé😀0t', max_size=80),
    st.integers(min_value=0, max_value=80),
    st.booleans(),
)
def test_any_text_has_a_cursor_and_what_it_replaces_holds_the_cursor(text: str, at: int, lines: bool) -> None:
    offset = min(at, len(text))
    cursor = json_cursor(text, offset, lines=lines)
    assert 0 <= cursor.span.start <= offset <= cursor.span.end <= len(text)
    assert "\n" not in cursor.span.of(text)


@given(st.recursive(st.none() | st.text(max_size=5), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_a_value_written_at_the_cursor_reads_back(value: object) -> None:
    text = json.dumps([{"before": value, "x": "typed"}], ensure_ascii=False)
    offset = text.rindex('"')
    cursor = json_cursor(text, offset)
    assert (cursor.typed, cursor.closed, cursor.key) == ("typed", True, "x")
    assert cursor.around[-1].values.get("before") == value
