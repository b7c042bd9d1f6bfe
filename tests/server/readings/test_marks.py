"""Lenses, rankings, chunk boundaries, evidence."""

from __future__ import annotations

from pathlib import Path

import pytest

from answer_making import FOLDER, PAGE, label, read, shown, workspace
from evidencedesk.workspace import Change, Workspace
from evidencedesk_server.messages import SHOW_RANKING

SPLIT = "within 30 days of delivery, and we will refund the full price"
LABELS = [
    label("q1", "Is the parcel label free?", "The parcel label is free."),
    label("q2", "How long can I send it back?", SPLIT),
    label("q3", "Is the free parcel label for tandems?"),
    label("q4", "What does the label cost?", "parcel label"),
]


@pytest.fixture
def opened(tmp_path: Path) -> Workspace:
    return workspace(tmp_path, LABELS)


def titles(opened: Workspace, path: str) -> list[str]:
    return [lens["command"]["title"] for lens in read(opened, "lenses", path)]


def test_a_label_tells_its_answers_ranks_and_what_became_of_it(opened: Workspace) -> None:
    found = titles(opened, "labels.json")
    assert found[:3] == [
        "rank: sparse 1 · dense 1 · hybrid 1 | the answer is at rank 1",
        "rank: sparse – · dense – · hybrid – | the answer is split: no chunk holds it whole",
        "no answer exists; 1 in the prompt",
    ]
    lens = read(opened, "lenses", "labels.json")[0]
    assert lens["command"]["command"] == SHOW_RANKING
    assert lens["command"]["arguments"] == [f"{FOLDER}/labels.json", ["q1"]]
    start = opened.snapshot.texts["labels.json"].index("{")
    assert lens["range"] == {"chars": [start, start + 1]}


def test_an_answer_of_several_parts_is_not_called_split_for_one_of_them(tmp_path: Path) -> None:
    decoys = "\n\n".join(f"## Hangar {number}\n\nThe zeppelin hangar {number}." for number in range(9))
    pages = {"returns.md": PAGE, "hangars.md": f"# Hangars\n\n{decoys}\n"}
    parts = label("q1", "Where is the zeppelin hangar?", SPLIT, "The parcel label is free.")
    (found,) = titles(workspace(tmp_path, [parts], pages), "labels.json")
    assert found.endswith("| the answer is not found, and a part of it is split")


def test_a_heading_tells_its_chunks_and_the_questions_whose_answers_stand_below_it(opened: Workspace) -> None:
    found = read(opened, "lenses", "returns.md")
    assert [(shown(opened, "returns.md", lens["range"]), lens["command"]["title"]) for lens in found] == [
        ("# Returns", "2 chunks · gold for 1 question · 1 not found"),
        ("## Costs", "1 chunk · gold for 2 questions"),
    ]
    assert found[1]["command"]["arguments"] == [f"{FOLDER}/returns.md", ["q1", "q4"]]


def test_a_heading_without_questions_has_nothing_to_click(tmp_path: Path) -> None:
    (lens, _) = read(workspace(tmp_path, []), "lenses", "returns.md")
    assert lens["command"] == {"title": "2 chunks", "command": ""}


def test_a_change_since_the_last_save_is_marked_until_it_is_accepted(opened: Workspace) -> None:
    opened.apply([Change("returns.md", PAGE.replace("label is free.", "label\n\nis free."))])
    assert titles(opened, "labels.json")[0] == (
        "rank: sparse – · dense – · hybrid – | "
        "▼ the answer is split: no chunk holds it whole (the last saved state: rank 1)"
    )
    opened.apply([Change("returns.md", PAGE.replace(",\n\nand", ", and"))])
    assert titles(opened, "labels.json")[1].endswith("| ▲ the answer is at rank 1 (the last saved state: not found)")
    opened.accept_baseline()
    assert "▲" not in "".join(titles(opened, "labels.json"))


def test_the_rankings_of_labels_are_those_that_hovers_show(opened: Workspace) -> None:
    first, second = read(opened, "rankings", "", "", "q2", "unknown", "q1")
    assert first.startswith("**q2** · the answer is split")
    assert second.startswith("**q1** · the answer is at rank 1")
    assert "| chunk | sparse | dense | hybrid |" in " ".join(second.split())


def test_boundaries_stand_where_chunks_start_with_number_and_size(opened: Workspace) -> None:
    text = opened.snapshot.texts["returns.md"]
    found = read(opened, "boundaries", "returns.md")
    starts = [text.index(words) for words in ("Send it back", "and we will", "The parcel")]
    assert [one["at"] for one in found] == [{"chars": [start, start]} for start in starts]
    assert [one["label"] for one in found] == ["c0 · 40 chars", "c1 · 34 chars", "c2 · 25 chars"]
    assert read(opened, "boundaries", "labels.json") == []


def test_evidence_is_marked_once_however_many_labels_share_it(opened: Workspace) -> None:
    found = read(opened, "evidence", "returns.md")
    assert [" ".join(shown(opened, "returns.md", one["range"]).split()) for one in found] == [
        SPLIT,
        "The parcel label is free.",
    ]
    assert not any(one["stale"] for one in found)


def test_evidence_in_a_page_that_is_not_current_is_stale(tmp_path: Path) -> None:
    page = PAGE.replace("title: Returns", "status: superseded")
    found = read(workspace(tmp_path, LABELS, {"returns.md": page}), "evidence", "returns.md")
    assert [one["stale"] for one in found] == [True, True]
