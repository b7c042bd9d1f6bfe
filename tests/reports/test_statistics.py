"""Causes on small workspaces whose faults are known."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from evidencedesk.reports.statistics import Case, Cause, statistics
from evidencedesk.text.spans import Span
from evidencedesk.workspace import Workspace
from evidencedesk.workspace.snapshot import Snapshot
from reports.handmade import problem, snapshot


def opened(root: Path, files: Mapping[str, str]) -> Snapshot:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Workspace.open(root).snapshot


def causes(made: Snapshot) -> dict[str, Cause]:
    return {cause.name: cause for cause in statistics(made).causes}


def labels(*entries: tuple[str, str, str]) -> str:
    return json.dumps(
        [
            {"id": f"q{place}", "question": question, "gold": [{"section": section, "evidence": evidence}]}
            for place, (question, section, evidence) in enumerate(entries)
        ]
    )


def chunking(strategy: str, **options: int) -> str:
    settings = [f'strategy = "{strategy}"', *(f"{name} = {value}" for name, value in options.items())]
    return "\n".join(["[chunking]", *settings, ""])


TWO_SENTENCES = "# Guide\n\nThe red bicycle costs nine hundred euros today. Its blue sister costs far less money.\n"


def test_an_answer_cut_by_the_size_limit_is_counted_with_the_cut_shown(tmp_path: Path) -> None:
    made = opened(
        tmp_path,
        {
            "evidencedesk.toml": chunking("fixed", size=40, overlap=0),
            "guide.md": TWO_SENTENCES,
            "labels.json": labels(("Price?", "guide#Guide", "costs nine hundred euros today")),
        },
    )
    cause = causes(made)["answers split"]
    assert cause.sentence == "answers split: 1 of 3 chunks end inside an answer; by the 40-character limit"
    boundary = "bicycle costs nine hundred euros ‖ today. Its blue sister costs far"
    assert cause.cases == (Case("guide.md", "by the 40-character limit", boundary),)


def test_an_answer_that_spans_two_sections_is_cut_at_the_heading(tmp_path: Path) -> None:
    made = opened(
        tmp_path,
        {
            "evidencedesk.toml": chunking("section"),
            "guide.md": "# One\n\nTake the bus.\n\n## Two\n\nThen walk.\n",
            "labels.json": labels(("How?", "guide#One", "Take the bus.\n\n## Two\n\nThen walk.")),
        },
    )
    assert [case.reason for case in causes(made)["answers split"].cases] == ["at a heading"]


@pytest.mark.parametrize(
    ("config", "count"),
    [
        (chunking("fixed", size=40, overlap=0), 2),
        (chunking("paragraph"), 0),
        (chunking("fixed", size=400, overlap=0), 0),
        (chunking("fixed", size=80, overlap=60), 0),
    ],
    ids=["cut", "whole paragraphs", "large enough", "overlap holds the sentence"],
)
def test_cut_sentences_are_counted_without_any_label(tmp_path: Path, config: str, count: int) -> None:
    made = opened(tmp_path, {"evidencedesk.toml": config, "guide.md": TWO_SENTENCES})
    found = causes(made).get("sentences cut")
    assert (len(found.cases) if found else 0) == count


def test_a_cut_between_list_items_is_no_cut_sentence(tmp_path: Path) -> None:
    items = "".join(f"- item number {number} of the list\n" for number in range(6))
    made = opened(
        tmp_path, {"evidencedesk.toml": chunking("recursive", size=60, overlap=0), "guide.md": f"# Guide\n\n{items}"}
    )
    assert len(made.chunks) > 1
    assert "sentences cut" not in causes(made)


def test_repeated_text_tells_equal_pages_from_equal_chunks(tmp_path: Path) -> None:
    same = "Please keep the receipt in a dry place, for we cannot print a second one."
    page = "# {}\n\nThe whole page says the very same thing as its copy does, word by word.\n"
    made = opened(
        tmp_path,
        {
            "evidencedesk.toml": chunking("paragraph"),
            "a.md": page.format("A"),
            "b.md": page.format("A"),
            "c.md": f"# C\n\n{same}\n\nSomething else entirely.\n",
            "d.md": f"# D\n\n{same}\n\nAnother thing altogether.\n",
        },
    )
    cause = causes(made)["repeated text"]
    assert dict(cause.reasons) == {"because whole pages are equal": 1, "on different pages": 1}
    assert [case.path for case in cause.cases] == ["b.md", "d.md"]


def test_missed_outranked_and_dropped_answers_name_what_is_behind_them(tmp_path: Path) -> None:
    made = opened(
        tmp_path,
        {
            "evidencedesk.toml": f'{chunking("paragraph")}[retrieval]\nsearcher = "sparse"\nk = 2\nfloor = 1.2\n',
            "a.md": "# A\n\nHelmets helmets helmets.\n\nHelmets protect.\n\nWe repair wheels within a week of order.\n",
            "b.md": "# B\n\nLamps, batteries and bells.\n\nThe shop closes at six on every single day.\n",
            "labels.json": labels(
                ("helmets", "a#A", "Helmets protect."),
                ("opening hours", "b#B", "closes at six"),
                ("shop", "b#B", "closes at six"),
            ),
        },
    )
    found = causes(made)
    assert found["answers outranked"].sentence == (
        "answers outranked: 1 of 3 questions with gold find something else at rank 1; on the same page"
    )
    assert found["answers missed"].sentence.startswith(
        "answers missed: 1 of 3 questions with gold do not find their answer in the top 2; "
    )
    assert [case.path for case in found["answers missed"].cases] == ["b.md"]


def test_an_unfindable_section_tells_whether_its_page_is_found(tmp_path: Path) -> None:
    made = opened(
        tmp_path,
        {
            "evidencedesk.toml": f'{chunking("section")}[retrieval]\nsearcher = "sparse"\nk = 1\n',
            "pump.md": "# Pump\n\n## Cleaning\n\nWipe it.\n\n## Warranty\n\nCleaning the pump ends its warranty.\n",
            "lamp.md": "# Lamp\n\n## Charging\n\nOnce a week.\n",
            "misc.md": "# Cellar\n\nCharging any lamp or other lamp is done in the cellar.\n",
        },
    )
    assert [(case.path, case.reason) for case in causes(made)["sections unfindable"].cases] == [
        ("lamp.md", "on a page that is not found either"),
        ("pump.md", "on a page that is found"),
    ]


def test_one_file_has_its_own_share(tmp_path: Path) -> None:
    made = opened(
        tmp_path,
        {"evidencedesk.toml": chunking("fixed", size=40, overlap=0), "a.md": TWO_SENTENCES, "b/c.md": TWO_SENTENCES},
    )
    (cause,) = (cause for cause in statistics(made, takes=lambda path: path == "a.md").causes if "cut" in cause.name)
    assert (len(cause.cases), cause.total, cause.files) == (2, 3, (("a.md", 2),))


def test_rules_and_files_are_counted_most_first_with_what_a_cap_hides() -> None:
    found = [
        problem("a.md", Span(0, 0)),
        problem("b.md", Span(0, 0), "ED101", "unreadable-file"),
        problem("b.md", Span(0, 0), more=7),
    ]
    counted = statistics(snapshot({}, found))
    assert [(rule.code, rule.count) for rule in counted.rules] == [("ED201", 8), ("ED101", 1)]
    assert counted.files == (("b.md", 8), ("a.md", 1))


@pytest.mark.parametrize(
    ("reasons", "sentence"),
    [
        ([], "cuts: 0 of 9 chunks end early"),
        (["by x"], "cuts: 1 of 9 chunks end early; by x"),
        (["by x", "by x"], "cuts: 2 of 9 chunks end early; all of them by x"),
        (["by y", "by x", "by x"], "cuts: 3 of 9 chunks end early; 2 of them by x, 1 by y"),
        (["", ""], "cuts: 2 of 9 chunks end early"),
    ],
)
def test_a_cause_is_told_in_one_sentence(reasons: list[str], sentence: str) -> None:
    cases = tuple(Case("a.md", reason) for reason in reasons)
    assert Cause("cuts", "chunks", "end early", {"a.md": 5, "b.md": 4}, cases).sentence == sentence
