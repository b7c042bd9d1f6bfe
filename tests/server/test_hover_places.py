"""What hovers say of names."""

from __future__ import annotations

from pathlib import Path

import pytest

from answer_making import PAGE, label, workspace
from evidencedesk.workspace import Workspace
from evidencedesk_server.hover_places import PlaceTexts
from evidencedesk_server.hover_text import escape_markdown, plain
from evidencedesk_server.mentions import Mentions

SPLIT = "within 30 days of delivery, and we will refund the full price"
NEWER = """---
id: returns-v2
title: Returns
status: draft
audience: staff
lang: en
version: 2
supersedes: [returns, gone]
---
# Returns

<!-- evidencedesk: ignore ED201 ED999 -->
The **parcel label** is free, [really](http://evil.example).
"""
LABELS = [
    label("q1", "Is the label free?", gold=[{"section": "returns#Costs", "evidence": "The parcel label is free."}]),
    label("q2", "How long?", SPLIT, ignore=["ED301"]),
    label("q3", "Draft?", gold=[{"section": "returns-v2#Returns", "evidence": "the parcel label"}]),
    label("q4", "Where?", gold=[{"section": "returns#Nowhere", "evidence": "parcel label is"}]),
    label("q5", "What?", gold=[{"section": "lost_page#Costs", "evidence": "words of another"}]),
    label("q6", "Which?", gold=[{"section": "returns#Costs", "evidence": "words that are missing"}]),
]


@pytest.fixture
def opened(tmp_path: Path) -> Workspace:
    return workspace(tmp_path, LABELS, {"returns.md": PAGE, "newer.md": NEWER})


def at(opened: Workspace, path: str, words: str) -> str:
    place = opened.snapshot.texts[path].index(words)
    texts = PlaceTexts(opened.snapshot, lambda: Mentions(opened.snapshot), escape_markdown)
    return "\n".join(text() for span, text in texts.of_file(path) if span.start <= place < span.end)


def test_a_suppressed_code_shows_its_rule_up_to_the_example(opened: Workspace) -> None:
    said = at(opened, "newer.md", "ED201")
    assert said.startswith("**ED201** answer-split · ")
    assert "## Why it matters" in said
    assert "## Example" not in said
    assert at(opened, "newer.md", "ED999") == "There is no rule ED999; this suppresses nothing."
    assert at(opened, "labels.json", "ED301").startswith("**ED301** missed-evidence")


def test_a_section_shows_its_text_and_its_chunks(opened: Workspace) -> None:
    assert at(opened, "labels.json", "returns#Costs") == (
        "**returns** › Returns › Costs · line 11\n\nThe parcel label is free.\n\n1 chunk: returns:c2 (text, 25 chars)"
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("returns#Nowhere", "returns has no heading “Nowhere”."),
        ("lost_page#Costs", "No document has the id “lost\\_page”."),
        ('"section": "returns",', "**returns** · Returns · current, public · 3 chunks"),
    ],
)
def test_a_section_that_names_none_says_so(opened: Workspace, words: str, said: str) -> None:
    path = "labels.json"
    place = words.removeprefix('"section": ')
    assert at(opened, path, place) == said


def test_evidence_says_where_it_stands_and_which_chunk_holds_it(opened: Workspace) -> None:
    assert at(opened, "labels.json", "The parcel label is free.") == (
        "In **returns**, line 13 under “Costs”; chunks there: returns:c2 (text, 25 chars)\n\n"
        "Whole in returns:c2 (text, 25 chars)."
    )
    split = at(opened, "labels.json", SPLIT)
    assert "line 7 under “Returns”, but for spelling of white space" in split
    assert "returns:c0 (text, 40 chars), returns:c1 (text, 34 chars)" in split
    assert split.endswith("Split: no chunk holds it whole.")


def test_evidence_that_is_elsewhere_or_nowhere_says_so(opened: Workspace) -> None:
    assert "Not under “Nowhere”, which the label names." in at(opened, "labels.json", '"parcel label is"')
    assert "so the evidence is nowhere" in at(opened, "labels.json", "words of another")
    assert at(opened, "labels.json", "words that are missing") == "returns does not hold these words."


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("id: returns", "Labels name this page “returns-v2#heading”; 1 label does."),
        ("status:", "Status “draft”: this page is not searched. The scope is current; a label may set its own."),
        ("staff", "Audience “staff”: this page is not searched. The scope is public; a label may set its own."),
        ("lang:", "Language “en”: questions are asked of pages in all languages."),
        ("supersedes", "This page replaces:\n- returns: status current\n- gone: no document has that id"),
    ],
)
def test_front_matter_says_what_a_field_does_here(opened: Workspace, words: str, said: str) -> None:
    assert at(opened, "newer.md", words) == said


def test_every_standard_field_is_explained(opened: Workspace) -> None:
    document = opened.snapshot.facts.documents["newer.md"].document
    assert len(document.fields) == 7
    texts = PlaceTexts(opened.snapshot, lambda: Mentions(opened.snapshot), plain)
    explained = [span for span, _ in texts.of_file("newer.md")]
    for field in document.fields.values():
        assert any(span.contains(field.key_span) for span in explained)


def test_text_of_pages_stays_text(opened: Workspace) -> None:
    said = at(opened, "labels.json", "returns-v2#Returns")
    assert "\\[really\\](http\\://evil.example)" in said
