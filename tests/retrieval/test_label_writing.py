"""New labels are written as a file writes its own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.retrieval.label_file import parse_label_file
from evidencedesk.retrieval.label_writing import appended, next_id
from evidencedesk.text.spans import apply_edits

NEW: dict[str, Any] = {"id": "new", "question": "", "gold": [{"section": "a#b", "evidence": "“x”\n\ty"}]}
OLD = [
    {"id": "q1", "question": "How?", "tags": ["t"], "gold": [{"section": "a#b", "evidence": "x"}]},
    {"id": "q2", "question": "Why?", "answerable": False},
]
SPREAD = '{\n    "id": "q1",\n    "question": "How?",\n    "gold": [{"section": "a", "evidence": "x"}]\n  }'
NEW_LINE = '{"id": "new", "question": "", "gold": [{"section": "a#b", "evidence": "“x”\\n\\ty"}]}'


@pytest.mark.parametrize(
    ("ids", "taken", "wanted"),
    [
        (["tv-0001", "tv-0120", "x"], {"tv-0121"}, "tv-0122"),
        (["q9", "q10", "q3"], set(), "q11"),
        (["rc01", "h02"], set(), "h03"),
        (["a1b", "a7b"], set(), "a8b"),
        (["alpha"], {"q1"}, "q2"),
        ([], set(), "q1"),
    ],
)
def test_the_next_id_follows_the_pattern_and_is_free(ids: list[str], taken: set[str], wanted: str) -> None:
    assert next_id(ids, taken) == wanted


def add(path: str, text: str) -> str:
    inserted = appended(path, text, NEW)
    assert inserted is not None
    after = apply_edits(text, [inserted.edit])
    assert after[inserted.question - 1 : inserted.question + 1] == '""'
    return after


@pytest.mark.parametrize("indent", [1, 2, 4, "\t"])
@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_spread_file_grows_as_its_own_writer_would_write_it(indent: Any, wrap: bool, line_end: str) -> None:
    def write(labels: list[Any]) -> str:
        text = json.dumps({"labels": labels} if wrap else labels, indent=indent, ensure_ascii=False) + "\n"
        return text.replace("\n", line_end)

    assert add("labels.json", write(OLD)) == write([*OLD, NEW])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('[\n  {"id": "q1", "question": "How?"}\n]\n', f'[\n  {{"id": "q1", "question": "How?"}},\n  {NEW_LINE}\n]\n'),
        (
            '[{"id":"q1","question":"How?"}]',
            '[{"id":"q1","question":"How?"},' + json.dumps(NEW, ensure_ascii=False, separators=(",", ":")) + "]",
        ),
        (
            f"[\n  {SPREAD}\n]\n",
            f"[\n  {SPREAD},\n"
            '  {\n    "id": "new",\n    "question": "",\n'
            '    "gold": [{"section": "a#b", "evidence": "“x”\\n\\ty"}]\n  }\n]\n',
        ),
        ('[{"id": "q1", "question": "\\u00e9?"}]', '[{"id": "q1", "question": "\\u00e9?"}, ' + json.dumps(NEW) + "]"),
    ],
    ids=["a-label-a-line", "minified", "gold-on-a-line", "escaped"],
)
def test_the_layout_of_the_file_is_kept(before: str, after: str) -> None:
    assert add("labels.json", before) == after


@pytest.mark.parametrize("text", ["", "\n", "[]", "[\n]\n", '{"labels": []}'])
def test_an_empty_file_or_list_gets_its_first_label(text: str) -> None:
    after = json.loads(add("labels.json", text))
    assert (after["labels"] if isinstance(after, dict) else after) == [NEW]


@pytest.mark.parametrize("text", ["", '{"id": "q1", "question": "How?"}', '{"id": "q1", "question": "How?"}\n\n'])
def test_files_of_one_label_a_line_get_one_more_line(text: str) -> None:
    after = add("labels.jsonl", text)
    assert after.rstrip("\n").endswith(NEW_LINE) and after.endswith("\n")
    assert [json.loads(line) for line in after.splitlines() if line][-1] == NEW


@pytest.mark.parametrize("text", ['[{"id": "q1",]', '[{"id": "q1"', '{"questions": {}}', '"text"'])
def test_nothing_is_added_to_a_file_that_is_not_sound(text: str) -> None:
    assert appended("labels.json", text, NEW) is None


entries = st.lists(
    st.fixed_dictionaries(
        {"id": st.text(min_size=1), "question": st.text(min_size=1)}, optional={"tags": st.lists(st.text())}
    )
)


@given(entries, st.sampled_from([None, 1, 2, 4]), st.booleans(), st.text(), st.text())
def test_what_is_added_reads_back_and_the_rest_stays(
    labels: list[Any], indent: int | None, escapes: bool, section: str, evidence: str
) -> None:
    text = json.dumps(labels, indent=indent, ensure_ascii=escapes)
    label = {"id": "n", "question": "", "gold": [{"section": section, "evidence": evidence}]}
    inserted = appended("labels.json", text, label)
    assert inserted is not None
    after = apply_edits(text, [inserted.edit])
    assert json.loads(after) == [*labels, label]
    assert not [one for one in parse_label_file("labels.json", after).defects if one.kind == "syntax"]
