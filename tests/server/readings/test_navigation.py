"""From labels to evidence and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from answer_making import FOLDER, PAGE, label, read, shown, workspace
from evidencedesk.workspace import Workspace

SECOND = """---
id: returns-v2
supersedes: [returns, "old page"]
---
# Returns 😀

The parcel label is free. Really, the **parcel label** is free.

## Costs

Nothing.

## Costs

Nothing at all.
"""
LABELS = [
    label("q1", "Is the label free?", gold=[{"section": "returns#Costs", "evidence": "The parcel label is free."}]),
    label("q2", "Label?", gold=[{"section": "returns-v2#Returns \U0001f600", "evidence": "the parcel label is free"}]),
    label("q3", "What does the label cost?", gold=[{"section": "returns#Costs", "evidence": "parcel label"}]),
    label("q4", "Which costs?", gold=[{"section": "returns-v2#Costs", "evidence": "Nothing at all."}]),
    label("q5", "Nowhere?", gold=[{"section": "missing#Costs", "evidence": "words that stand nowhere"}]),
]
PAGES = {"returns.md": PAGE, "v2/returns.md": SECOND}


@pytest.fixture
def opened(tmp_path: Path) -> Workspace:
    return workspace(tmp_path, LABELS, PAGES)


def targets(opened: Workspace, path: str, at: str) -> list[tuple[str, str]]:
    """Where a definition leads: file and selected text."""
    found = read(opened, "definitions", path, at)
    return [
        (named(link["targetUri"]), shown(opened, named(link["targetUri"]), link["targetSelectionRange"]))
        for link in found
    ]


def named(uri: str) -> str:
    return uri.removeprefix(f"{FOLDER}/")


def places(opened: Workspace, found: list[Any]) -> list[tuple[str, str]]:
    return [(named(one["uri"]), shown(opened, named(one["uri"]), one["range"])) for one in found]


def test_a_section_leads_to_its_heading_and_covers_the_value_without_quotes(opened: Workspace) -> None:
    assert targets(opened, "labels.json", "returns#Costs") == [("returns.md", "## Costs")]
    (link,) = read(opened, "definitions", "labels.json", "returns#Costs")
    assert shown(opened, "labels.json", link["originSelectionRange"]) == "returns#Costs"
    assert shown(opened, "returns.md", link["targetRange"]).endswith("is free.\n")


def test_a_heading_that_occurs_twice_leads_to_both(opened: Workspace) -> None:
    assert targets(opened, "labels.json", "returns-v2#Costs") == [("v2/returns.md", "## Costs")] * 2


def test_evidence_leads_to_every_place_where_it_stands_whatever_its_markup(opened: Workspace) -> None:
    assert targets(opened, "labels.json", "the parcel label is free") == [
        ("v2/returns.md", "The parcel label is free"),
        ("v2/returns.md", "the **parcel label** is free"),
    ]


def test_supersedes_leads_to_the_document_and_only_where_there_is_one(opened: Workspace) -> None:
    assert targets(opened, "v2/returns.md", "returns, ") == [("returns.md", "# Returns")]
    assert targets(opened, "v2/returns.md", "old page") == []


@pytest.mark.parametrize("at", ["missing#Costs", "words that stand nowhere", "Is the label", '"gold"'])
def test_what_names_nothing_leads_nowhere(opened: Workspace, at: str) -> None:
    assert targets(opened, "labels.json", at) == []


def test_places_after_escapes_and_emoji_are_exact(tmp_path: Path) -> None:
    page = PAGE.replace("## Costs", "## Costs “of” 😀 parcels\tnow")
    gold = [{"section": "returns#Costs “of” 😀 parcels\tnow", "evidence": "The parcel label is free."}]
    opened = workspace(tmp_path, [label("q1", "Free?", gold=gold)], {"returns.md": page})
    escaped = opened.snapshot.texts["labels.json"].replace("😀", "\\ud83d\\ude00")
    (tmp_path / "labels.json").write_text(escaped, encoding="utf-8")
    opened.refresh(["labels.json"])
    (link,) = read(opened, "definitions", "labels.json", "returns#Costs")
    assert shown(opened, "labels.json", link["originSelectionRange"]) == (
        "returns#Costs “of” \\ud83d\\ude00 parcels\\tnow"
    )
    assert shown(opened, "returns.md", link["targetSelectionRange"]) == "## Costs “of” 😀 parcels\tnow"


def test_a_heading_knows_the_labels_that_name_it(opened: Workspace) -> None:
    found = places(opened, read(opened, "references", "returns.md", "## Costs"))
    assert found == [("labels.json", "returns#Costs")] * 2
    declared = read(opened, "references", "returns.md", "## Costs", "declared")
    assert places(opened, declared) == [("returns.md", "## Costs"), *found]


def test_evidence_in_a_page_knows_every_label_that_rests_on_it(opened: Workspace) -> None:
    assert places(opened, read(opened, "references", "returns.md", "parcel label")) == [
        ("labels.json", "The parcel label is free."),
        ("labels.json", "parcel label"),
    ]
    assert places(opened, read(opened, "references", "returns.md", "The parcel")) == [
        ("labels.json", "The parcel label is free.")
    ]
    assert read(opened, "references", "returns.md", "Send it back") == []


def test_a_documents_id_is_named_by_labels_and_by_what_supersedes_it(opened: Workspace) -> None:
    found = places(opened, read(opened, "references", "returns.md", "returns"))
    assert found == [("v2/returns.md", "returns"), *[("labels.json", "returns#Costs")] * 2]


def test_what_a_definition_leads_to_leads_back(opened: Workspace) -> None:
    for mention in ("returns#Costs", "The parcel label is free.", "the parcel label is free", "Nothing at all."):
        for link in read(opened, "definitions", "labels.json", mention):
            path = named(link["targetUri"])
            target = shown(opened, path, link["targetSelectionRange"])
            assert ("labels.json", mention) in places(opened, read(opened, "references", path, target))


def test_highlights_are_all_occurrences_in_the_file(opened: Workspace) -> None:
    found = read(opened, "highlights", "v2/returns.md", "The parcel label")
    assert [(shown(opened, "v2/returns.md", one["range"]), one["kind"]) for one in found] == [
        ("The parcel label is free", 3),
        ("the **parcel label** is free", 3),
    ]
    found = read(opened, "highlights", "labels.json", "returns#Costs")
    assert [(shown(opened, "labels.json", one["range"]), one["kind"]) for one in found] == [("returns#Costs", 2)] * 2


def test_links_open_headings_and_superseded_documents(opened: Workspace) -> None:
    found = read(opened, "links", "labels.json")
    assert [(shown(opened, "labels.json", one["range"]), named(one["target"])) for one in found] == [
        ("returns#Costs", "returns.md#L11,1"),
        ("returns-v2#Returns 😀", "v2/returns.md#L5,1"),
        ("returns#Costs", "returns.md#L11,1"),
        ("returns-v2#Costs", "v2/returns.md#L9,1"),
    ]
    (link,) = read(opened, "links", "v2/returns.md")  # "old page" is no document
    assert (shown(opened, "v2/returns.md", link["range"]), named(link["target"])) == ("returns", "returns.md#L5,1")


def test_links_open_the_pages_that_a_page_names(tmp_path: Path) -> None:
    page = """---
id: start
related: [returns-v2, nowhere]
see_also: returns
tags: [returns]
---
# Start

See [returns](returns.md#costs), [all](v2/returns.md "title"), [here](#start), [web](https://x.y/returns.md),
[gone](gone.md) and `[code](returns.md)`.
"""
    opened = workspace(tmp_path, LABELS, {**PAGES, "start.md": page})
    found = read(opened, "links", "start.md")
    assert [(shown(opened, "start.md", one["range"]), named(one["target"])) for one in found] == [
        ("returns-v2", "v2/returns.md#L5,1"),
        ("returns", "returns.md#L5,1"),
        ("returns.md#costs", "returns.md#L11,1"),
        ("v2/returns.md", "v2/returns.md#L5,1"),
        ("#start", "start.md#L7,1"),
    ]
