"""Symbols and folds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answer_making import FOLDER, PAGE, STYLE, label, read, shown, workspace
from evidencedesk.documents.markdown import parse_document
from evidencedesk.workspace import Workspace
from evidencedesk_server.messages import Question
from evidencedesk_server.readings.outline import _with_subsections
from evidencedesk_server.rendering import FolderView

NESTED = """---
id: nested
---
# One

First.

### Deep

Second.

Third.

## Two

#

Fourth.


# Last
"""
SPLIT = "within 30 days of delivery, and we will refund the full price"


@pytest.fixture
def opened(tmp_path: Path) -> Workspace:
    labels = [
        label("q1", "Is the parcel label free?", "The parcel label is free."),
        label("q2", "How long can I send it back?", SPLIT),
        label("q2", "The same id again?", SPLIT),
        label("q3", "Do you sell tandems " + "and tricycles " * 10 + "?"),
    ]
    return workspace(tmp_path, labels, {"returns.md": PAGE, "deep/nested.md": NESTED})


def tree(symbols: list[Any]) -> list[Any]:
    return [(symbol["name"], symbol["detail"], tree(symbol["children"])) for symbol in symbols]


def test_sections_nest_as_their_headings_do_and_count_their_chunks(opened: Workspace) -> None:
    assert tree(read(opened, "symbols", "deep/nested.md")) == [
        ("One", "1 chunk", [("Deep", "2 chunks", []), ("Two", "0 chunks", [])]),
        ("(empty heading)", "1 chunk", []),
        ("Last", "0 chunks", []),
    ]


def test_labels_tell_their_question_and_what_became_of_it(opened: Workspace) -> None:
    found = read(opened, "symbols", "labels.json")
    assert [(symbol["name"], symbol["detail"]) for symbol in found[:3]] == [
        ("q1: Is the parcel label free?", "the answer is at rank 1"),
        ("q2: How long can I send it back?", "the answer is split: no chunk holds it whole"),
        ("q2: The same id again?", "not evaluated: its id is taken"),
    ]
    assert len(found[3]["name"]) == 70
    assert shown(opened, "labels.json", found[0]["selectionRange"]) == '"Is the parcel label free?"'


def test_a_symbol_holds_its_name_and_its_children(opened: Workspace) -> None:
    def check(symbol: Any) -> None:
        start, end = symbol["range"]["chars"]
        for inner in (symbol["selectionRange"], *(child["range"] for child in symbol.get("children", ()))):
            assert start <= inner["chars"][0] <= inner["chars"][1] <= end
        for child in symbol.get("children", ()):
            check(child)

    for path in ("deep/nested.md", "returns.md", "labels.json"):
        for symbol in read(opened, "symbols", path):
            check(symbol)


def test_files_that_are_neither_pages_nor_labels_have_no_outline(opened: Workspace) -> None:
    assert read(opened, "symbols", "evidencedesk.toml") == read(opened, "folds", "evidencedesk.toml") == []


def test_folds_leave_the_lines_between_and_the_closing_brace(opened: Workspace) -> None:
    folded = [shown(opened, "deep/nested.md", fold["range"]) for fold in read(opened, "folds", "deep/nested.md")]
    assert folded == [
        "---\nid: nested\n---",
        "# One\n\nFirst.\n\n### Deep\n\nSecond.\n\nThird.\n\n## Two",
        "### Deep\n\nSecond.\n\nThird.",
        "## Two",
        "#\n\nFourth.",
        "# Last",
    ]
    labels = [shown(opened, "labels.json", fold["range"]) for fold in read(opened, "folds", "labels.json")]
    assert len(labels) == 4
    assert all(text.startswith("{") and text.endswith(("]", "false")) for text in labels)


@given(st.lists(st.integers(1, 6), max_size=12))
def test_a_section_reaches_to_the_next_heading_that_is_not_below_it(levels: list[int]) -> None:
    lines = [f"{'#' * level} H{number}" for number, level in enumerate(levels)]
    document = parse_document("a.md", "\n".join(lines))
    for number, (section, span) in enumerate(_with_subsections(document)):
        deeper = 0
        while number + deeper + 1 < len(levels) and levels[number + deeper + 1] > levels[number]:
            deeper += 1
        assert section.heading == f"H{number}"
        assert span.of(document.text) == "\n".join(lines[number : number + deeper + 1])


def found_names(opened: Workspace, query: str) -> list[str]:
    return [symbol["name"] for symbol in read(opened, "workspace-symbols", "", "", query)]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("q1", "q1: Is the parcel label free?"),
        ("how long", "q2: How long can I send it back?"),
        ("nested", "nested"),
        ("DEEP", "Deep"),
        ("deep/nested.md", "nested"),
        ("returns:c2", "returns:c2"),
        ("rtnsc2", "returns:c2"),
        ("no such thing at all", None),
    ],
)
def test_the_workspace_is_searched_by_label_document_heading_and_chunk(
    opened: Workspace, query: str, first: str | None
) -> None:
    assert next(iter(found_names(opened, query)), None) == first


def test_without_a_word_everything_is_listed_labels_first(opened: Workspace) -> None:
    names = found_names(opened, "")
    assert names[0].startswith("q1: ")
    assert {"nested", "Costs", "returns:c0"} <= set(names)


def test_a_found_place_can_be_opened_and_files_of_other_folders_are_left_to_them(opened: Workspace) -> None:
    (heading,) = [one for one in read(opened, "workspace-symbols", "", "", "Deep") if one["name"] == "Deep"]
    assert heading["location"]["uri"] == f"{FOLDER}/deep/nested.md"
    assert shown(opened, "deep/nested.md", heading["location"]["range"]) == "### Deep"
    view = FolderView(FOLDER, STYLE, lambda path: not path.startswith("deep/"))
    view.show(opened)
    found = view.look(Question("workspace-symbols", FOLDER, "", words=("nested",)))
    assert [one for one in found if "nested.md" in one["location"]["uri"]] == []
