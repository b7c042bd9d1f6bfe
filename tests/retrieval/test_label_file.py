"""Label files: what is read, where it stands, and how faults are told."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidencedesk.retrieval.catalog import Scope
from evidencedesk.retrieval.label_file import LabelFile, looks_like_labels, parse_label_file
from evidencedesk.retrieval.labels import Gold, Label

FULL = {
    "id": "q1",
    "question": "Wie lange?",
    "tags": ["a", "b"],
    "answerable": True,
    "gold": [
        {"section": "doc#Frist", "evidence": "30 Tage"},
        {"section": "C#-guide#C# guide", "evidence": "x", "grade": 1, "group": "g"},
    ],
    "reason": "",
    "ignore": ["ED301"],
    "scope": {"audiences": ["staff"], "langs": ["de"]},
    "alternatives": [{"section": "old#Frist", "evidence": "vier Wochen", "group": "g"}],
    "$schema": "labels.schema.json",
    "note": "ours",
    "x-owner": 5,
}
LABEL = Label(
    "q1",
    "Wie lange?",
    ("a", "b"),
    True,
    (
        Gold("doc#Frist", "30 Tage"),
        Gold("C#-guide#C# guide", "x", 1, group="g"),
        Gold("old#Frist", "vier Wochen", group="g", alternative=True),
    ),
    ignore=("ED301",),
    scope=Scope(audiences=frozenset({"staff"}), langs=frozenset({"de"})),
)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("labels.json", json.dumps([FULL, FULL | {"id": "q2"}], indent=1)),
        ("labels.json", json.dumps({"labels": [FULL, FULL | {"id": "q2"}], "$schema": "s"})),
        ("labels.jsonl", json.dumps(FULL) + "\r\n\r\n" + json.dumps(FULL | {"id": "q2"}) + "\r\n"),
        ("labels.json", json.dumps(FULL) + "\n" + json.dumps(FULL | {"id": "q2"})),
        ("labels.jsonl", json.dumps([FULL, FULL | {"id": "q2"}], indent=1)),
    ],
    ids=["array", "object", "lines", "lines-named-json", "array-named-jsonl"],
)
def test_all_three_forms_of_a_label_file_are_read(path: str, text: str) -> None:
    file = parse_label_file(path, text)
    assert file.defects == ()
    assert [entry.label.id for entry in file.entries] == ["q1", "q2"]
    assert file.entries[0].label == LABEL
    assert looks_like_labels(path, text)


def test_a_single_label_may_stand_alone_even_broken() -> None:
    file = parse_label_file("label.json", '{\n "id": "q1",\n "question": "Who?"\n "gold": []\n}')
    assert [entry.label.id for entry in file.entries] == ["q1"]
    assert [defect.message for defect in file.defects] == ["a comma is missing after this value"]


def test_every_value_has_its_place() -> None:
    text = json.dumps([FULL], indent=1)
    (entry,) = parse_label_file("labels.json", text).entries
    assert json.loads(entry.span.of(text)) == FULL
    places = {key: json.loads(span.of(text)) for key, span in entry.spans.items()}
    assert places.items() >= {key: FULL[key] for key in ("id", "question", "tags", "answerable", "gold")}.items()
    assert places["gold[0].section"] == "doc#Frist"
    assert places["gold[1].grade"] == 1
    assert (places["gold[1].group"], places["gold[2].evidence"]) == ("g", "vier Wochen")
    assert places["ignore[0]"] == "ED301"
    assert places["tags[1]"] == "b"
    assert places["scope.langs"] == ["de"]
    assert "gold[0].grade" not in places
    assert entry.place("gold[0].grade") == entry.spans["question"]


BASE = '"id": "q1", "question": "Who?"'
FAULTS: list[tuple[str, list[tuple[str, str]]]] = [
    # rest of the entry; (text at the defect, message)
    (', "answerable": "yes"', [('"yes"', '`answerable` must be true or false, not "yes"')]),
    (', "answerable": null', [("null", "`answerable` must be true or false, not null")]),
    (', "answerable": 1', [("1", "`answerable` must be true or false, not 1")]),
    (', "anwserable": true', [('"anwserable"', "there is no key `anwserable` here; did you mean `answerable`?")]),
    (', "tags": "a"', [('"a"', '`tags` must be a list of texts, not "a"')]),
    (', "tags": ["a", 7]', [("7", "`tags[1]` must be text in quotation marks, not 7")]),
    (', "gold": {}', [("{}", "`gold` must be a list of objects with `section` and `evidence`, not an object")]),
    (', "gold": ["x"]', [('"x"', '`gold[0]` must be an object with `section` and `evidence`, not "x"')]),
    (', "gold": [{"evidence": "x"}]', [("{", "this gold entry has no `section`")]),
    (', "gold": [{"section": "d#h", "evidence": " "}]', [('" "', "`evidence` is empty")]),
    (', "scope": "staff"', [('"staff"', "`scope` must be an object with `statuses`, `audiences` or `langs`")]),
    (', "reason": ["x"]', [('["x"]', "`reason` must be text in quotation marks, not a list")]),
    (', "question": "When?"', [('"question"', "`question` is written twice here; the last one counts")]),
] + [
    (
        f', "gold": [{{"section": "d#h", "evidence": "x", "grade": {grade}}}]',
        [(grade, f"`grade` must be 2 (the whole answer) or 1 (a part of it), not {grade}")],
    )
    for grade in ("0", "3", "1.0", "true", '"2"')
]


@pytest.mark.parametrize(("rest", "defects"), FAULTS, ids=[rest for rest, _ in FAULTS])
def test_a_defective_value_is_told_at_its_place_and_counts_as_absent(rest: str, defects: list[tuple[str, str]]) -> None:
    text = f"[{{{BASE}{rest}}}]"
    file = parse_label_file("labels.json", text)
    found = [(defect.span.of(text), defect.message) for defect in file.defects]
    assert [place for place, _ in found] == [place for place, _ in defects]
    assert all(message.startswith(wanted) for (_, message), (_, wanted) in zip(found, defects, strict=True))
    assert {defect.kind for defect in file.defects} == {"schema"}
    label = file.entries[0].label
    assert (label.id, label.answerable, label.reason, label.scope) == ("q1", True, "", None)
    assert all(gold.grade == 2 for gold in label.gold)


@pytest.mark.parametrize(
    ("entry", "place", "message"),
    [
        ('{"question": "Who?"}', "{", "this label has no `id`"),
        ('{"id": "q1"}', "{", "this label has no `question`"),
        ('{"id": 5, "question": "Who?"}', "5", "`id` must be text in quotation marks, not 5"),
        ('{"id": "", "question": "Who?"}', '""', "`id` is empty"),
        ('{"id": "q1", "question": "  "}', '"  "', "`question` is empty"),
        ('"q1"', '"q1"', 'a label is an object in braces, not "q1"'),
        ("[1]", "[1]", "a label is an object in braces, not a list"),
    ],
)
def test_an_unusable_entry_loses_only_itself(entry: str, place: str, message: str) -> None:
    text = f'[{{"id": "a", "question": "A?"}}, {entry}, {{"id": "z", "question": "Z?"}}]'
    file = parse_label_file("labels.json", text)
    assert [found.label.id for found in file.entries] == ["a", "z"]
    assert [(defect.span.of(text), defect.message) for defect in file.defects] == [(place, message)]


def test_indices_of_places_follow_the_label_and_not_the_file() -> None:
    text = '[{"id": "q", "question": "Q?", "gold": [{"section": "a"}, {"section": "d#h", "evidence": "found"}]}]'
    (entry,) = parse_label_file("labels.json", text).entries
    assert [gold.evidence for gold in entry.label.gold] == ["found"]
    assert entry.spans["gold[0].evidence"].of(text) == '"found"'
    assert "gold[1]" not in entry.spans


def test_a_half_typed_value_is_one_fault_of_syntax_and_none_of_the_schema() -> None:
    text = '[{"id": "q1", "question": }, {"id": "q2", "question": "Who?", "answerable": }]'
    file = parse_label_file("labels.json", text)
    assert [entry.label.id for entry in file.entries] == ["q2"]
    assert [(defect.kind, defect.message) for defect in file.defects] == [
        ("syntax", "`question` has no value"),
        ("syntax", "`answerable` has no value"),
    ]


@pytest.mark.parametrize("text", ["{}", "5", '{"questions": []}', '"labels"'])
def test_a_file_that_holds_no_list_says_what_a_label_file_is(text: str) -> None:
    file = parse_label_file("labels.json", text)
    assert file.entries == ()
    assert [defect.message for defect in file.defects] == [
        "a label file is a list of labels, or an object with such a list as `labels`"
    ]


def test_labels_that_are_not_a_list_are_told_at_their_place() -> None:
    text = '{"labels": {"id": "q1", "question": "Who?"}}'
    (defect,) = parse_label_file("labels.json", text).defects
    assert defect.span.start == text.index('{"id"')


@given(st.text(alphabet='[]{}:,"\\ \nidquestiongold12'), st.sampled_from(["a.json", "a.jsonl"]))
def test_any_text_gives_a_label_file(text: str, path: str) -> None:
    file = parse_label_file(path, text)
    assert isinstance(file, LabelFile)
    assert all(0 <= defect.span.start <= defect.span.end <= len(text) for defect in file.defects)


SMALL = st.fixed_dictionaries(
    {"id": st.sampled_from(["a", "b", ""])},
    optional={
        "question": st.sampled_from(["Who?", "\ud800", "[{}]"]),
        "answerable": st.sampled_from([True, "yes", float("nan")]),
        "gold": st.lists(st.sampled_from([{"id": "d"}, {"section": "d#h", "evidence": "x"}, {}]), max_size=2),
        "x": st.just({}),
    },
)
FORMS = {
    "array": lambda labels: json.dumps(labels),
    "lines": lambda labels: "\n".join(map(json.dumps, labels)),
    "object": lambda labels: json.dumps({"$schema": "s", "labels": labels}, indent=1),
}
PIECES = [
    "",
    *'[]{},:" \n',
    '"labels"',
    '"gold": [',
    '"id": "c"',
    "// no",
    '{"id": "n", "question": "New?"}, ',
    '{"id"',
]
EDITS = st.lists(st.tuples(st.integers(0, 200), st.integers(0, 2), st.sampled_from(PIECES)), min_size=1, max_size=6)


@settings(max_examples=300)
@given(
    st.lists(SMALL, min_size=1, max_size=5), st.sampled_from([*FORMS]), st.sampled_from(["a.json", "a.jsonl"]), EDITS
)
def test_a_text_is_read_the_same_whatever_was_read_before(
    labels: list[dict[str, Any]], form: str, path: str, edits: list[tuple[int, int, str]]
) -> None:
    text = FORMS[form](labels)
    file = parse_label_file(path, text)
    for at, length, new in edits:
        # At the marks by which the text hangs together.
        marks = [mark.start() for mark in re.finditer(r'[][{}:,"]|$', text)]
        start = marks[at % len(marks)]
        text = text[:start] + new + text[start + length :]
        file = parse_label_file(path, text, file)
        assert file == parse_label_file(path, text)


PLAIN = '{"id": "a", "question": "Who?"}'
KNOWN = '{"id": "a", "question": "Who?", "gold": [{"id": 1}]}'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"[{KNOWN}, {KNOWN}]", f"[{KNOWN}, {{{KNOWN}]"),
        (f"[{KNOWN}, {KNOWN}, {KNOWN}]", f"[{KNOWN} {KNOWN} {KNOWN}]"),
        (f"[{KNOWN} {KNOWN}]", f"[{KNOWN} {KNOWN}] "),
        (f'[{PLAIN}, {{"question": "Q?", "gold": [{PLAIN}]', f'[{PLAIN}, {{"question": "Q?", "gold": [{PLAIN}] '),
        (f'{{"labels": [{KNOWN}]}}', f'{{"id": "b", "question": "Q?", "gold": [{KNOWN}]}}'),
        (
            f'[{{"id": "b", "question": "Q?", "gold": [{KNOWN}, 5]',
            f'[{{"id": "b", "question": "Q?", "gold": [{KNOWN}]}}, 5]',
        ),
        (f'[{{"id": "b", "question": "\\ud800"}}, {KNOWN}]', f'[{{"id": "b", "question": "\\ud800"}}, {KNOWN},]'),
        (f'[{KNOWN[:-1]}, x": {{}}, "y": {KNOWN}}}]', f'[{KNOWN[:-1]}, x": {{}}, "y": {KNOWN}}}] '),
    ],
    ids=[
        "an inner object like an entry",
        "commas missing",
        "a comma missing before",
        "another first key",
        "the list of a label alone",
        "the list of a label",
        "half a pair",
        "never closed",
    ],
)
def test_a_text_is_read_the_same_after_one_that_hid_something(before: str, after: str) -> None:
    assert parse_label_file("a.json", after, parse_label_file("a.json", before)) == parse_label_file("a.json", after)


def test_labels_that_are_not_edited_are_taken_over_and_move() -> None:
    before = json.dumps([FULL | {"id": str(number), "answerable": "yes"} for number in range(3)])
    old = parse_label_file("a.json", before)
    after = before.replace('"id": "1"', '"id": "one"')
    new = parse_label_file("a.json", after, old)
    assert new == parse_label_file("a.json", after)
    taken_over = [entry.label is last.label for entry, last in zip(new.entries, old.entries, strict=True)]
    assert taken_over == [True, False, True]


@pytest.mark.parametrize(
    "head",
    [
        '[{"id": "q1", "question": "',
        '[{"id": "q1", "question": "Who?", "gold": [{"section": "a#b", "evi',
        '[{"question": "Who?"}]',
        '{"labels": [{"id": "q1", "question": "W',
        '[{"id": "q1", "question": "Who?", "answerable": true, "difficulty": 3}]',
        '[{"id": "new"}, {"id": "q1", "question": "Who?", "gold": []}]',
        '[{"id": "q1" "question": "Who?",, "gold": [}]',
    ],
)
def test_a_label_list_is_recognised_while_it_is_typed(head: str) -> None:
    assert looks_like_labels("any.json", head)


@pytest.mark.parametrize(
    "head",
    [
        "",
        "[]",
        '[{"id": "two-lists", "k": 60, "lists": [["d1"]], "expected": [["d1", "1/61"]]}]',
        '{"name": "package", "version": "1.0.0", "scripts": {"question": "x"}}',
        '{\n // comment\n "compilerOptions": {"strict": true}}',
        '{"cells": [{"cell_type": "markdown", "source": ["# \\"question\\""]}]}',
        '[{"question": "Who?", "answer": "Me."}]',
        '[{"id": "5", "question": "Who?", "context": "…", "answers": {"text": ["x"]}}]',
        '{"labels": [{"name": "bug", "question": "x", "color": "f00"}]}',
        '{"id": "q1", "spans": [{"doc": "d", "start": 1}]}\n{"id": "q2", "spans": []}',
        '["question", "id"]',
    ],
)
def test_other_json_is_no_label_list(head: str) -> None:
    assert not looks_like_labels("any.json", head)
