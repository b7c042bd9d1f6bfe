"""The tolerant JSON reader: equal to json.loads on valid text, and hard to break with anything else."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.text.json_source import Array, Node, Object, Scalar, plain, read_json, read_json_lines
from evidencedesk.text.json_strings import part_of_string
from evidencedesk.text.spans import Span

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_valid_json_reads_as_json_loads_reads_it(value: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    node, defects = read_json(text)
    assert defects == ()
    assert plain(node) == json.loads(text)


@given(VALUES)
def test_every_span_holds_the_text_of_its_value(value: Any) -> None:
    text = json.dumps(value, indent=1)
    work: list[Node | None] = [read_json(text)[0]]
    while work:
        node = work.pop()
        assert node is not None
        assert json.loads(node.span.of(text)) == plain(node)
        if isinstance(node, Array):
            work += node.items
        elif isinstance(node, Object):
            for member in node.members:
                assert json.loads(member.key_span.of(text)) == member.key
                work.append(member.value)


@given(st.text(alphabet='[]{}:,"\\ab1 \n\t/*'))
def test_any_text_at_all_is_read_and_its_defects_stand_inside_it(text: str) -> None:
    for _, defects in (read_json(text), read_json_lines(text)):
        assert all(0 <= span.start <= span.end <= len(text) for span, _ in defects)
        assert list(defects) == sorted(defects)
    try:
        json.loads(text)
    except ValueError:
        assert read_json(text)[1]


@given(
    st.lists(VALUES.filter(lambda value: value is not None), min_size=1, max_size=4),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_json_lines_reads_a_value_a_line(values: list[Any], line_end: str) -> None:
    text = line_end.join(json.dumps(value) for value in values)
    nodes, defects = read_json_lines(text)
    assert [plain(node) for node in nodes] == values
    assert defects == ()


def test_a_defect_in_json_lines_never_leaves_its_line() -> None:
    nodes, defects = read_json_lines('{"a": 1}\n{"b": "x\n\n  \n{"c": [}\n{"d": 4}\n')
    assert [plain(node) for node in nodes] == [{"a": 1}, {"b": "x"}, {"c": []}, {"d": 4}]
    assert [message for _, message in defects] == [
        "this text has no closing quotation mark",
        "this `[` is never closed",
    ]


NEXT = '{"id": "q2", "gold": [{"s": 1}]}'
BROKEN: list[tuple[str, object, list[tuple[str, str]]]] = [
    # text, what is read, (text under the defect, message)
    ("", None, [("", "the text is empty")]),
    ("[1, 2", [1, 2], [("[", "this `[` is never closed")]),
    ("[1 2]", [1, 2], [("1", "a comma is missing after this value")]),
    ("[1,]", [1], [(",", "remove this comma: nothing follows it")]),
    ('{"a": 1,}', {"a": 1}, [(",", "remove this comma: nothing follows it")]),
    ("[1,,2]", [1, 2], [(",", "one comma too many")]),
    ('{"a" 1, "b": 2}', {"b": 2}, [('"a"', "a key needs a `:` and a value after it")]),
    ('{"a": }', {"a": None}, [('"a"', "`a` has no value")]),
    ('{"a": , "b": 2}', {"a": None, "b": 2}, [('"a"', "`a` has no value")]),
    ('{"a":\n"b": 2}', {"a": None, "b": 2}, [('"a"', "`a` has no value")]),
    ("{a: 1}", {"a": 1}, [("a", "a key stands in double quotation marks")]),
    ('{"a": True}', {"a": None}, [("True", "`True` is no JSON value: write true")]),
    ("[01]", [], [("01", "`01` is no JSON value: write numbers as 12 or 0.5")]),
    ("// note\n[1]", [1], [("// note", "JSON has no comments; remove this one")]),
    ("[1]]", [1], [("]", "`]` does not belong here")]),
    ('{"a": [1, 2}', {"a": [1, 2]}, [("[", "this `[` is never closed")]),
    ('["a\tb"]', ["a\tb"], [("\t", r"a control character inside a text is written `\t`")]),
    (r'["a\q"]', ["aq"], [(r"\q", r"`\q` is no escape; a backslash itself is written `\\`")]),
    (r'["\ud800"]', ["\ufffd"], [(r"\ud800", r"`\ud800` is half a character; the other half of the pair is missing")]),
    # What stands around a broken entry survives.
    (f'[{{"id": "q1"}}}}, {NEXT}]', [{"id": "q1"}, json.loads(NEXT)], [("}", "`}` does not belong here")]),
    (
        f'[{{"id": "q1", "tags": "a"], "x": 1}}, {NEXT}]',
        [{"id": "q1", "tags": "a", "x": 1}, json.loads(NEXT)],
        [("]", "`]` closes the whole file's value, but more follows")],
    ),
    (
        f'[{{"id": "q1", "question": "How , "tags": []}}, {NEXT}]',
        [{"id": "q1", "question": "How", "tags": []}, json.loads(NEXT)],
        [('"How', "this text has no closing quotation mark")],
    ),
    (
        f'[{{"id": "q1", "question": "How?,\n "tags": []}}, {NEXT}]',
        [{"id": "q1", "question": "How?", "tags": []}, json.loads(NEXT)],
        [('"How?', "this text has no closing quotation mark")],
    ),
    (
        f'[{{"id: "q1", "x": 1}}, {NEXT}]',
        [{"id": "q1", "x": 1}, json.loads(NEXT)],
        [('"id', "this text has no closing quotation mark")],
    ),
    (
        f'[{{"q": "what is "it" then?", "x": 1}}, {NEXT}]',
        [{"q": "what is ", "x": 1}, json.loads(NEXT)],
        [("it", "`it` does not belong here")],
    ),
    (
        f'[{{"q": "5" wide", "x": 1}}, {NEXT}]',
        [{"q": "5", "x": 1}, json.loads(NEXT)],
        [("wide", "`wide` does not belong here")],
    ),
    (f'["id": "q1"}}, {NEXT}]', [{"id": "q1"}, json.loads(NEXT)], [('"', "`{` is missing before this key")]),
    (
        f'[{{"id": "q1" {NEXT}]',
        [{"id": "q1"}, json.loads(NEXT)],
        [("{", "this `{` is never closed")],
    ),
    (
        f'[{{"id": "q1", "gold": [\n{NEXT},\n{{"id": "q3"}}]',
        [{"id": "q1", "gold": []}, json.loads(NEXT), {"id": "q3"}],
        [("[", "this `[` is never closed")],
    ),
    (
        f'[{{"id": "q1", "gold":\n{NEXT},\n{{"id": "q3"}}]',
        [{"id": "q1", "gold": None}, json.loads(NEXT), {"id": "q3"}],
        [("{", "this `{` is never closed")],
    ),
    (
        f'{{"labels": [{{"id": "q1", "gold": [{{"s": "x\n{NEXT},\n{{"id": "q3"}}]}}',
        {"labels": [{"id": "q1", "gold": [{"s": "x"}]}, json.loads(NEXT), {"id": "q3"}]},
        [('"x', "this text has no closing quotation mark")],
    ),
    (
        '[{"id": "q1", "tags": ["x", "question": "y"}, {"id": "q2"}]',
        [{"id": "q1", "tags": ["x"], "question": "y"}, {"id": "q2"}],
        [("[", "this `[` is never closed")],
    ),
]


@pytest.mark.parametrize(("text", "value", "defects"), BROKEN, ids=[text for text, *_ in BROKEN])
def test_a_fault_is_named_once_and_costs_little(text: str, value: object, defects: list[tuple[str, str]]) -> None:
    node, found = read_json(text)
    assert plain(node) == value
    assert [(span.of(text), message) for span, message in found] == defects


def test_cutting_a_label_list_anywhere_keeps_every_whole_entry_before_the_cut() -> None:
    entries = [{"id": f"q{n}", "question": "Wie?", "gold": [{"section": "a#b", "evidence": "x"}]} for n in range(3)]
    text = json.dumps(entries, indent=1)
    ends = [text.index(f'"q{n}"') for n in range(3)] + [len(text)]
    for cut in range(len(text)):
        node, defects = read_json(text[:cut])
        assert defects
        whole = max(0, sum(end <= cut for end in ends) - 1)
        value = plain(node)
        assert (value[:whole] if isinstance(value, list) else []) == entries[:whole]


def test_deleting_one_character_of_a_label_list_loses_no_other_entry() -> None:
    entries = [{"id": f"q{n}", "question": "Wie?", "gold": [{"section": "a#b", "evidence": "x"}]} for n in range(3)]
    for indent in (None, 1):
        text = json.dumps(entries, indent=indent)
        second = range(text.index('"q1"') - 7, text.index('"q2"') - 12)
        for cut in second:
            value = plain(read_json(text[:cut] + text[cut + 1 :])[0])
            assert isinstance(value, list)
            assert value[0] == entries[0], text[:cut]
            assert value[-1] == entries[2], text[:cut]


def test_duplicate_keys_are_kept_and_the_last_one_counts() -> None:
    node, defects = read_json('{"a": 1, "a": 2}')
    assert isinstance(node, Object)
    assert [member.key for member in node.members] == ["a", "a"]
    assert plain(node) == {"a": 2}
    assert defects == ()


@pytest.mark.parametrize(
    "text",
    [
        "[" * 10_000,
        "[{" * 6_000,
        '{"a":' * 10_000,
        "[" * 5_000 + "}" * 5_000,
        "[{" + "]" * 10_000 + "x",
        '"a' * 5_000,
    ],
    ids=["arrays", "stray-arrays", "objects", "mismatched", "early-closers", "quotes"],
)
def test_hostile_text_neither_recurses_nor_raises(text: str) -> None:
    _, defects = read_json(text)
    assert defects


def test_an_integer_too_long_for_python_becomes_a_float() -> None:
    node, _ = read_json("9" * 5000)
    assert node == Scalar(float("inf"), Span(0, 5000))


@given(st.text(min_size=1), st.booleans(), st.data())
def test_a_part_of_a_string_maps_back_to_its_source(value: str, ascii_only: bool, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(value)))
    end = data.draw(st.integers(start, len(value)))
    text = "[" + json.dumps(value, ensure_ascii=ascii_only) + "]"
    part = part_of_string(text, Span(1, len(text) - 1), Span(start, end))
    assert json.loads(f'"{part.of(text)}"') == value[start:end]
