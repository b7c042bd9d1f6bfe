"""What is said at a place."""

from __future__ import annotations

from pathlib import Path

from answer_making import FOLDER, STYLE, label, read, shown, workspace
from evidencedesk_server.messages import Style

SPLIT = "within 30 days of delivery, and we will refund the full price"


def test_the_smallest_place_comes_first_and_notes_on_problems_last(tmp_path: Path) -> None:
    opened = workspace(tmp_path, [label("q1", "How long can I send it back?", SPLIT)])
    found = read(opened, "hovers", "labels.json", "within 30")
    texts = [entry["text"] for entry in found]
    assert shown(opened, "labels.json", found[0]["at"]) == f'"{SPLIT}"'
    assert "Split: no chunk holds it whole." in texts[0]
    assert texts[1].startswith("**q1** · the answer is split")
    (page,) = [entry for entry in read(opened, "hovers", "returns.md", "30 days") if "**ED201**" in entry["text"]]
    assert page == read(opened, "hovers", "returns.md", "30 days")[-1]


def test_only_what_stands_at_the_place_is_said(tmp_path: Path) -> None:
    opened = workspace(tmp_path, [label("q1", "Is the parcel label free?", "The parcel label is free.")])
    assert "Answers:" in read(opened, "hovers", "returns.md", "The parcel label")[0]["text"]
    assert "Answers:" not in read(opened, "hovers", "returns.md", "Send it back")[0]["text"]
    assert read(opened, "hovers", "elsewhere.md") == []


def test_chunk_ids_lead_to_their_text_where_the_client_shows_links(tmp_path: Path) -> None:
    opened = workspace(tmp_path, [label("q1", "Is the parcel label free?", "The parcel label is free.")])
    link = f"[returns:c2]({FOLDER}/returns.md#L13,1)"
    (evidence, ranking) = [entry["text"] for entry in read(opened, "hovers", "labels.json", "The parcel")][:2]
    assert f"Whole in {link} (text, 25 chars)." in evidence
    table, _, opening = ranking.partition("Open: ")
    assert opening.startswith(f"{link} · ")
    assert "](" not in table
    plain: Style = {**STYLE, "markdown": False}
    texts = [entry["text"] for entry in read(opened, "hovers", "labels.json", "The parcel", style=plain)]
    assert not any("](" in text or "Open:" in text for text in texts)
