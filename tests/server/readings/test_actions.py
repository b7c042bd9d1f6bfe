"""Repairs and suppressions at a place."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types
from lsprotocol.converters import get_converter

from answer_making import FOLDER, PAGE, STYLE, label, workspace
from evidencedesk.workspace import Change, Workspace
from evidencedesk_server.messages import ActionEntry, Question, text_hash
from evidencedesk_server.rendering import FolderView

SPLIT = "within 30 days of delivery, and we will refund the full price"


def offered(opened: Workspace, path: str, start: int = 0, end: int | None = None) -> list[ActionEntry]:
    """What is offered for a selection; for the whole file without one."""
    view = FolderView(FOLDER, STYLE)
    view.show(opened)
    end = len(opened.snapshot.texts[path]) if end is None else end
    return view.look(Question("actions", FOLDER, path, start, end=end))


def test_every_fix_says_which_texts_it_needs(tmp_path: Path) -> None:
    opened = workspace(tmp_path, [label("q1", "How long can I send it back?", SPLIT)])
    found = offered(opened, "returns.md")
    actions = get_converter().structure([entry["action"] for entry in found], list[types.CodeAction])
    assert "Ignore ED201 here" in [action.title for action in actions]
    for entry, action in zip(found, actions, strict=True):
        assert action.edit is not None
        assert action.diagnostics or action.kind == "refactor.rewrite"
        edited = {change.text_document.uri for change in action.edit.document_changes or []}  # type: ignore[union-attr]
        assert entry["needs"].keys() == edited
        assert entry["needs"].get(f"{FOLDER}/returns.md", text_hash(PAGE)) == text_hash(PAGE)


def test_only_problems_that_touch_the_selection_are_meant(tmp_path: Path) -> None:
    opened = workspace(tmp_path, [label("q1", "How long can I send it back?", SPLIT)])
    start, end = next(one.span for one in opened.snapshot.problems if (one.code, one.path) == ("ED201", "returns.md"))
    for at, expected in ((start, True), (end, True), (start - 1, False), (end + 1, False)):
        titles = [entry["action"]["title"] for entry in offered(opened, "returns.md", at, at)]
        assert ("Ignore ED201 here" in titles) is expected


def test_a_regression_offers_to_accept_the_present_state(tmp_path: Path) -> None:
    opened = workspace(tmp_path, [label("q1", "Is the parcel label free?", "The parcel label is free.")])
    opened.apply([Change("returns.md", PAGE.replace("The parcel label is free.", "The parcel\n\nlabel is free."))])
    commands = [entry["action"]["command"] for entry in offered(opened, "labels.json") if "command" in entry["action"]]
    assert commands
    assert all(command["arguments"] == [FOLDER] for command in commands)


def test_what_mends_two_problems_alike_is_offered_once_and_for_all_of_a_kind(tmp_path: Path) -> None:
    gold = [{"section": "retuns#Costs", "evidence": "The parcel label is free."}]
    labels = [{"id": f"q{number}", "question": f"Is number {number} free?", "gold": gold} for number in (1, 2, 3)]
    opened = workspace(tmp_path, labels)
    text = opened.snapshot.texts["labels.json"]
    at = text.index("retuns")
    actions = [entry["action"] for entry in offered(opened, "labels.json", at, at)]
    titles = [action["title"] for action in actions]
    assert titles[:2] == ["Point to “returns#Costs”", "Point to “returns#Costs” (all 3 such problems of this file)"]
    assert len(set(titles)) == len(titles)
    edits = [change["edits"] for change in actions[1]["edit"]["documentChanges"]]
    assert [len(one) for one in edits] == [3]


def test_problems_with_one_remedy_share_the_action(tmp_path: Path) -> None:
    opened = workspace(tmp_path, [label("q1", "Is the parcel label free?", "The parcel label is free.")])
    opened.apply([Change("returns.md", PAGE.replace("The parcel label is free.", "The parcel\n\nlabel is free."))])
    at = opened.snapshot.texts["returns.md"].index("The parcel")
    keep = [
        entry["action"] for entry in offered(opened, "returns.md", at, at) if "together" in entry["action"]["title"]
    ]
    assert len(keep) == len({action["title"] for action in keep}) > 0
    assert {one["code"] for one in keep[0]["diagnostics"]} == {"ED201", "ED603"}


def test_evidence_is_widened_to_its_sentence_and_a_block_kept_without_any_problem(tmp_path: Path) -> None:
    opened = workspace(tmp_path, [label("q1", "Is the parcel label free?", "parcel label")])
    labels = opened.snapshot.texts["labels.json"]
    widen = rewriting(offered(opened, "labels.json", at := labels.index('parcel label"'), at))
    assert widen.title == "Widen the evidence to its sentence: “The parcel label is free.”"
    assert new_text(widen) == '"The parcel label is free."'
    keep = rewriting(offered(opened, "returns.md", at := PAGE.index("The parcel"), at))
    assert new_text(keep) == "<!-- evidencedesk: keep -->\n"
    opened.apply([Change("returns.md", PAGE.replace("The parcel", "<!-- evidencedesk: keep -->\nThe parcel"))])
    at = opened.snapshot.texts["returns.md"].index("The parcel")
    assert not [one for one in offered(opened, "returns.md", at, at) if one["action"]["kind"] == "refactor.rewrite"]


def rewriting(entries: list[ActionEntry]) -> types.CodeAction:
    (found,) = [entry["action"] for entry in entries if entry["action"]["kind"] == "refactor.rewrite"]
    return get_converter().structure(found, types.CodeAction)


def new_text(action: types.CodeAction) -> str:
    assert action.edit is not None
    ((edit,),) = [change.edits for change in action.edit.document_changes or []]  # type: ignore[union-attr]
    return edit.new_text  # type: ignore[union-attr]
