"""Snapshots as differences of ready-made answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from lsprotocol.converters import get_converter

from answer_making import FOLDER, PAGE, STYLE, label, workspace
from evidencedesk.text.spans import LineIndex
from evidencedesk.workspace import Change
from evidencedesk_server.messages import Style
from evidencedesk_server.rendering import FolderView

SPLIT = "within 30 days of delivery, and we will refund the full price"
LABELS = [label("q1", "How long can I send it back?", SPLIT)]
BOTH = {"returns.md": f"{FOLDER}/returns.md", "labels.json": f"{FOLDER}/labels.json"}


def test_diagnostics_are_valid_lsp_and_point_at_each_other(tmp_path: Path) -> None:
    opened = workspace(tmp_path, LABELS)
    files = FolderView(FOLDER, STYLE).answers(opened.snapshot, {})
    shown = {
        answer["path"]: get_converter().structure(answer["diagnostics"], list[types.Diagnostic]) for answer in files
    }
    split = next(diagnostic for diagnostic in shown["returns.md"] if diagnostic.code == "ED201")
    assert split.source == "evidencedesk"
    assert split.severity is not None
    assert split.related_information is not None
    assert {place.location.uri for place in split.related_information} == {f"{FOLDER}/labels.json"}
    back = [place.location.uri for diagnostic in shown["labels.json"] for place in diagnostic.related_information or []]
    assert f"{FOLDER}/returns.md" in back


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_columns_are_counted_in_the_clients_encoding(tmp_path: Path, encoding: str) -> None:
    page = PAGE.replace("Send it back", "😀 é Send it back")
    opened = workspace(tmp_path, LABELS, {"returns.md": page})
    style = Style(**{**STYLE, "encoding": encoding})  # type: ignore[typeddict-item]
    files = FolderView(FOLDER, style).answers(opened.snapshot, {})
    (diagnostic,) = [
        found
        for answer in files
        if answer["path"] == "returns.md"
        for found in answer["diagnostics"]
        if found["code"] == "ED201"
    ]
    index = LineIndex(page)
    start, end = (
        index.offset(diagnostic["range"][edge]["line"], diagnostic["range"][edge]["character"], encoding)  # type: ignore[arg-type]
        for edge in ("start", "end")
    )
    assert " ".join(page[start:end].split()) == SPLIT


def test_only_differences_are_said_and_a_clean_file_is_said_once(tmp_path: Path) -> None:
    opened = workspace(tmp_path, LABELS)
    view = FolderView(FOLDER, STYLE)
    first = view.answers(opened.snapshot, {})
    assert {answer["path"] for answer in first} == {"returns.md", "labels.json"}
    assert view.answers(opened.snapshot, {}) == []
    opened.apply([Change("returns.md", PAGE + "\nMore words.\n")])
    assert view.answers(opened.snapshot, {}) == []
    opened.apply([Change("returns.md", PAGE.replace(",\n\nand", ", and"))])
    cleared = view.answers(opened.snapshot, {})
    assert {answer["path"]: answer["diagnostics"] for answer in cleared if not answer["diagnostics"]} == {
        "returns.md": [],
        "labels.json": [],
    }
    opened.apply([Change("returns.md", PAGE)])
    again = view.answers(opened.snapshot, {})
    assert {answer["path"]: answer["diagnostics"] for answer in again if answer["path"] == "returns.md"} == {
        answer["path"]: answer["diagnostics"] for answer in first if answer["path"] == "returns.md"
    }


def test_places_move_with_lines_inserted_above(tmp_path: Path) -> None:
    opened = workspace(tmp_path, LABELS)
    view = FolderView(FOLDER, STYLE)
    first = view.answers(opened.snapshot, {})
    opened.apply([Change("returns.md", PAGE.replace("# Returns\n", "# Returns\n\n\n"))])
    moved = view.answers(opened.snapshot, {})
    lines = [
        answer["diagnostics"][0]["range"]["start"]["line"]
        for answers in (first, moved)
        for answer in answers
        if answer["path"] == "returns.md"
    ]
    assert lines[1] == lines[0] + 2
    # The label's problem points into the page, so it moved as well.
    assert "labels.json" in {answer["path"] for answer in moved}


def test_a_problem_leads_to_its_rule_and_says_what_its_text_is(tmp_path: Path) -> None:
    words = "Every single bicycle is checked and adjusted in our workshop before it leaves."
    opened = workspace(tmp_path, LABELS, {"a.md": f"# A\n\n{words}\n\nOne.\n", "b.md": f"# B\n\n{words}\n\nTwo.\n"})
    files = [answer for answer in FolderView(FOLDER, STYLE).answers(opened.snapshot, {}) if answer["path"] == "a.md"]
    (copy,) = [found for found in files[0]["diagnostics"] if found["code"] == "ED205"]
    assert copy["tags"] == [types.DiagnosticTag.Unnecessary]
    page, line = copy["codeDescription"]["href"].removeprefix("file://").split("#L")
    assert Path(page).read_text(encoding="utf-8").split("\n")[int(line) - 1] == "## ED205 duplicate-chunk"
    plain = FolderView(FOLDER, Style(**{**STYLE, "tags": False, "rule_links": False})).answers(opened.snapshot, {})  # type: ignore[typeddict-item]
    assert not any({"tags", "codeDescription"} & found.keys() for answer in plain for found in answer["diagnostics"])


def test_result_ids_name_the_content(tmp_path: Path) -> None:
    opened = workspace(tmp_path, LABELS)
    one, other = (FolderView(FOLDER, STYLE).answers(opened.snapshot, {}) for _ in range(2))
    assert [answer["id"] for answer in one] == [answer["id"] for answer in other]
    assert len({answer["id"] for answer in one}) == len(one)


def test_open_documents_are_named_as_the_client_spells_them(tmp_path: Path) -> None:
    opened = workspace(tmp_path, LABELS)
    view = FolderView(FOLDER, STYLE)
    view.answers(opened.snapshot, {})
    files = view.answers(opened.snapshot, {"returns.md": "file:///kb/%72eturns.md"})
    assert {answer["uri"] for answer in files} == {"file:///kb/%72eturns.md", f"{FOLDER}/labels.json"}
    assert "%72eturns" in str(next(answer for answer in files if answer["path"] == "labels.json")["diagnostics"])


def test_a_folder_speaks_only_for_its_own_paths(tmp_path: Path) -> None:
    opened = workspace(tmp_path, LABELS)
    files = FolderView(FOLDER, STYLE, lambda path: path != "returns.md").answers(opened.snapshot, {})
    assert [answer["path"] for answer in files] == ["labels.json"]
