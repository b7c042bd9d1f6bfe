"""Snapshots as differences of ready-made answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from lsprotocol import types
from lsprotocol.converters import get_converter

from answer_making import FOLDER, PAGE, STYLE, label, workspace
from evidencedesk.text.spans import LineIndex
from evidencedesk.workspace import Change
from evidencedesk.workspace.snapshot import Snapshot
from evidencedesk_server.answers import AnswerStore
from evidencedesk_server.messages import Answers, FileAnswer, Style, pack
from evidencedesk_server.rendering import FolderView

SPLIT = "within 30 days of delivery, and we will refund the full price"
LABELS = [label("q1", "How long can I send it back?", SPLIT)]


class Told:
    """A view, and what its client knows from it."""

    def __init__(self, style: Style = STYLE, takes: Callable[[str], bool] = lambda path: True) -> None:
        self.view = FolderView(FOLDER, style, takes)
        self.store = AnswerStore()
        self.bytes = 0

    def answers(self, snapshot: Snapshot, spellings: Mapping[str, str] | None = None) -> list[FileAnswer]:
        """The files that changed, as the client has them then; `bytes` are those of the message about it."""
        patches = self.view.answers(snapshot.problems, snapshot.texts, spellings or {})
        said = Answers(say="answers", seq=0, state=0, whole=[], silent=[], files=patches)
        self.bytes = len(pack(said))
        return self.store.take(said)[0]


def test_diagnostics_are_valid_lsp_and_point_at_each_other(tmp_path: Path) -> None:
    opened = workspace(tmp_path, LABELS)
    files = Told().answers(opened.snapshot)
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
    files = Told(style).answers(opened.snapshot)
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
    view = Told()
    first = view.answers(opened.snapshot)
    assert {answer["path"] for answer in first} == {"returns.md", "labels.json"}
    assert view.answers(opened.snapshot) == []
    opened.apply([Change("returns.md", PAGE + "\nMore words.\n")])
    assert view.answers(opened.snapshot) == []
    opened.apply([Change("returns.md", PAGE.replace(",\n\nand", ", and"))])
    cleared = view.answers(opened.snapshot)
    assert {answer["path"]: answer["diagnostics"] for answer in cleared if not answer["diagnostics"]} == {
        "returns.md": [],
        "labels.json": [],
    }
    opened.apply([Change("returns.md", PAGE)])
    again = view.answers(opened.snapshot)
    assert {answer["path"]: answer["diagnostics"] for answer in again if answer["path"] == "returns.md"} == {
        answer["path"]: answer["diagnostics"] for answer in first if answer["path"] == "returns.md"
    }


def test_places_move_with_lines_inserted_above(tmp_path: Path) -> None:
    opened = workspace(tmp_path, LABELS)
    view = Told()
    first = view.answers(opened.snapshot)
    opened.apply([Change("returns.md", PAGE.replace("# Returns\n", "# Returns\n\n\n"))])
    moved = view.answers(opened.snapshot)
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
    files = [answer for answer in Told().answers(opened.snapshot) if answer["path"] == "a.md"]
    (copy,) = [found for found in files[0]["diagnostics"] if found["code"] == "ED205"]
    assert copy["tags"] == [types.DiagnosticTag.Unnecessary]
    page, line = copy["codeDescription"]["href"].removeprefix("file://").split("#L")
    assert Path(page).read_text(encoding="utf-8").split("\n")[int(line) - 1] == "## ED205 duplicate-chunk"
    plain = Told(Style(**{**STYLE, "tags": False, "rule_links": False})).answers(opened.snapshot)  # type: ignore[typeddict-item]
    assert not any({"tags", "codeDescription"} & found.keys() for answer in plain for found in answer["diagnostics"])


def test_result_ids_name_the_content(tmp_path: Path) -> None:
    opened = workspace(tmp_path, LABELS)
    one, other = (Told().answers(opened.snapshot) for _ in range(2))
    assert [answer["id"] for answer in one] == [answer["id"] for answer in other]
    assert len({answer["id"] for answer in one}) == len(one)


def test_open_documents_are_named_as_the_client_spells_them(tmp_path: Path) -> None:
    opened = workspace(tmp_path, LABELS)
    view = Told()
    view.answers(opened.snapshot)
    files = view.answers(opened.snapshot, {"returns.md": "file:///kb/%72eturns.md"})
    assert {answer["uri"] for answer in files} == {"file:///kb/%72eturns.md", f"{FOLDER}/labels.json"}
    assert "%72eturns" in str(next(answer for answer in files if answer["path"] == "labels.json")["diagnostics"])


def test_a_folder_speaks_only_for_its_own_paths(tmp_path: Path) -> None:
    opened = workspace(tmp_path, LABELS)
    files = Told(takes=lambda path: path != "returns.md").answers(opened.snapshot)
    assert [answer["path"] for answer in files] == ["labels.json"]


def test_a_message_is_as_large_as_the_change_it_reports(tmp_path: Path) -> None:
    """Twenty problems and more in every file; an edit tells of its own line, and of what it moved in a few numbers."""
    pages = {
        f"page{number}.md": f"# Page {number}\n\n"
        + "".join(f"Damaged{number} Ã©tÃ© word{number * line}.\n\n" for line in range(20))
        for number in range(20)
    }
    opened = workspace(tmp_path, [], pages)
    told = Told()
    told.answers(opened.snapshot)
    whole = told.bytes
    assert whole > 50_000
    page = pages["page3.md"]
    opened.apply([Change("page3.md", page.replace("Damaged", "Damagedd", 1))])
    assert [answer["path"] for answer in told.answers(opened.snapshot)] == ["page3.md"]
    assert told.bytes < 1_000
    opened.apply([Change("page3.md", "\n" + page)])
    told.answers(opened.snapshot)
    assert told.bytes < 2_000
    fresh = Told()
    fresh.answers(opened.snapshot)
    assert told.store.files == fresh.store.files
