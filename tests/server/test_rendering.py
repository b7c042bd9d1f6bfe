"""Snapshots as differences of ready-made answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from lsprotocol.converters import get_converter

from answer_making import FOLDER, PAGE, STYLE, label, workspace
from evidencedesk.text.spans import LineIndex
from evidencedesk.workspace import Change
from evidencedesk_server.messages import Style, text_hash
from evidencedesk_server.rendering import FolderView

SPLIT = "within 30 days of delivery, and we will refund the full price"
LABELS = [label("q1", "How long can I send it back?", SPLIT)]
BOTH = {"returns.md": f"{FOLDER}/returns.md", "labels.json": f"{FOLDER}/labels.json"}


def test_diagnostics_are_valid_lsp_and_point_at_each_other(tmp_path: Path) -> None:
    opened = workspace(tmp_path, LABELS)
    files, _ = FolderView(FOLDER, STYLE).answers(opened.snapshot, {})
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
    style = Style(encoding=encoding, markdown=True, related=True, document_changes=True)  # type: ignore[typeddict-item]
    files, _ = FolderView(FOLDER, style).answers(opened.snapshot, {})
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
    first, _ = view.answers(opened.snapshot, {})
    assert {answer["path"] for answer in first} == {"returns.md", "labels.json"}
    assert view.answers(opened.snapshot, {}) == ([], [])
    opened.apply([Change("returns.md", PAGE + "\nMore words.\n")])
    assert view.answers(opened.snapshot, {})[0] == []
    opened.apply([Change("returns.md", PAGE.replace(",\n\nand", ", and"))])
    cleared, _ = view.answers(opened.snapshot, {})
    assert {answer["path"]: answer["diagnostics"] for answer in cleared if not answer["diagnostics"]} == {
        "returns.md": [],
        "labels.json": [],
    }
    opened.apply([Change("returns.md", PAGE)])
    again, _ = view.answers(opened.snapshot, {})
    assert {answer["path"]: answer["diagnostics"] for answer in again if answer["path"] == "returns.md"} == {
        answer["path"]: answer["diagnostics"] for answer in first if answer["path"] == "returns.md"
    }


def test_places_move_with_lines_inserted_above(tmp_path: Path) -> None:
    opened = workspace(tmp_path, LABELS)
    view = FolderView(FOLDER, STYLE)
    first, _ = view.answers(opened.snapshot, {})
    opened.apply([Change("returns.md", PAGE.replace("# Returns\n", "# Returns\n\n\n"))])
    moved, _ = view.answers(opened.snapshot, {})
    lines = [
        answer["diagnostics"][0]["range"]["start"]["line"]
        for answers in (first, moved)
        for answer in answers
        if answer["path"] == "returns.md"
    ]
    assert lines[1] == lines[0] + 2
    # The label's problem points into the page, so it moved as well.
    assert "labels.json" in {answer["path"] for answer in moved}


def test_result_ids_name_the_content(tmp_path: Path) -> None:
    opened = workspace(tmp_path, LABELS)
    one, other = (FolderView(FOLDER, STYLE).answers(opened.snapshot, {})[0] for _ in range(2))
    assert [answer["id"] for answer in one] == [answer["id"] for answer in other]
    assert len({answer["id"] for answer in one}) == len(one)


def test_open_documents_are_named_as_the_client_spells_them(tmp_path: Path) -> None:
    opened = workspace(tmp_path, LABELS)
    view = FolderView(FOLDER, STYLE)
    view.answers(opened.snapshot, {})
    files, _ = view.answers(opened.snapshot, {"returns.md": "file:///kb/%72eturns.md"})
    assert {answer["uri"] for answer in files} == {"file:///kb/%72eturns.md", f"{FOLDER}/labels.json"}
    assert "%72eturns" in str(next(answer for answer in files if answer["path"] == "labels.json")["diagnostics"])


def test_hover_texts_are_sent_once_and_buffers_only_when_they_differ(tmp_path: Path) -> None:
    opened = workspace(tmp_path, LABELS)
    view = FolderView(FOLDER, STYLE)
    _, buffers = view.answers(opened.snapshot, BOTH)
    assert {buffer["path"] for buffer in buffers} == set(BOTH)
    assert all(entry["key"] in buffer["texts"] for buffer in buffers for entry in buffer["hovers"])
    assert view.answers(opened.snapshot, BOTH) == ([], [])
    opened.apply([Change("returns.md", PAGE.replace("is free.", "is free of charge."))])
    _, buffers = view.answers(opened.snapshot, BOTH)
    page = next(buffer for buffer in buffers if buffer["path"] == "returns.md")
    known = {entry["key"] for entry in page["hovers"]} - page["texts"].keys()
    assert known
    assert any("returns:c2" in text for text in page["texts"].values())


def test_every_fix_says_which_texts_it_needs(tmp_path: Path) -> None:
    opened = workspace(tmp_path, LABELS)
    _, buffers = FolderView(FOLDER, STYLE).answers(opened.snapshot, BOTH)
    page = next(buffer for buffer in buffers if buffer["path"] == "returns.md")
    actions = get_converter().structure([entry["action"] for entry in page["actions"]], list[types.CodeAction])
    assert "Ignore ED201 here" in [action.title for action in actions]
    for entry, action in zip(page["actions"], actions, strict=True):
        assert action.edit is not None
        assert action.diagnostics
        edited = {change.text_document.uri for change in action.edit.document_changes or []}  # type: ignore[union-attr]
        assert entry["needs"].keys() == edited
        assert entry["needs"].get(f"{FOLDER}/returns.md", text_hash(PAGE)) == text_hash(PAGE)


def test_a_regression_offers_to_accept_the_present_state(tmp_path: Path) -> None:
    opened = workspace(tmp_path, [label("q1", "Is the parcel label free?", "The parcel label is free.")])
    opened.apply([Change("returns.md", PAGE.replace("The parcel label is free.", "The parcel\n\nlabel is free."))])
    _, buffers = FolderView(FOLDER, STYLE).answers(opened.snapshot, BOTH)
    commands = [
        entry["action"]["command"] for buffer in buffers for entry in buffer["actions"] if "command" in entry["action"]
    ]
    assert commands
    assert all(command["arguments"] == [FOLDER] for command in commands)


def test_a_folder_speaks_only_for_its_own_paths(tmp_path: Path) -> None:
    opened = workspace(tmp_path, LABELS)
    files, _ = FolderView(FOLDER, STYLE, lambda path: path != "returns.md").answers(opened.snapshot, {})
    assert [answer["path"] for answer in files] == ["labels.json"]
