"""Whatever the pages hold, what is offered as gold is found where it is offered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from answer_making import FOLDER, STYLE, workspace
from evidencedesk.samples import KESTREL
from evidencedesk.workspace import Change, Workspace
from evidencedesk_server.messages import Question
from evidencedesk_server.rendering import FolderView

UNFOUNDED = {"ED701", "ED702", "ED704", "ED705"}
PIECES = [
    "# One\n\n",
    "## Two 😀\n\n",
    "## Two 😀\n\n",
    "### “Three” [x](y.md)\n\n",
    "Plain words stand. Here, too!\n",
    "A *marked* `sentence` with **words**…\nand a line below. ",
    "- an item. Another\n- [ ] a task\n",
    "> quoted words.\n",
    "| a | words |\n|---|---|\n| 1. | 2 |\n\n",
    '```sh\nrun --words "x"\n```\n\n',
    "<!-- words --> Shown &amp; told.\n\n",
    "Settings\nReset\nThe words follow.\n\n",
    "\\*escaped\\* words\ttab. ",
    "\n",
]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return workspace(tmp_path_factory.mktemp("kb"), [])


def offered(opened: Workspace, kind: str, typed: str, *more: str) -> list[str]:
    view = FolderView(FOLDER, STYLE)
    view.show(opened)
    found = view.look(Question("completions", FOLDER, "labels.json", words=(kind, typed, *more)))
    return [item["value"] for item in found]


def problems(opened: Workspace, gold: list[dict[str, Any]]) -> list[str]:
    labels = [
        {"id": f"q{number}", "question": f"What is told in place {number}?", "gold": [one]}
        for number, one in enumerate(gold)
    ]
    snapshot = opened.apply([Change("labels.json", json.dumps(labels, ensure_ascii=False))])
    return [problem.message for problem in snapshot.problems if problem.code in UNFOUNDED]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(PIECES), max_size=12), st.sampled_from(["", "words", "the words", "stand. H", "zzz"]))
def test_offered_gold_has_no_problem_of_its_own(opened: Workspace, pieces: list[str], typed: str) -> None:
    opened.apply([Change("page.md", "".join(pieces))])
    sections = [*offered(opened, "section", "page"), *offered(opened, "section", "page#")]
    gold = [
        {"section": section, "evidence": evidence}
        for section in sections
        for evidence in offered(opened, "evidence", typed, section)
    ]
    assert problems(opened, gold[:200]) == []


def test_what_a_real_page_offers_is_found(opened: Workspace) -> None:
    for page in sorted(Path(str(KESTREL)).glob("*.md")):
        opened.apply([Change(page.name, page.read_text(encoding="utf-8"))])
        sections = [one for one in offered(opened, "section", f"{page.stem}#") if one.startswith(page.stem)]
        gold = [
            {"section": section, "evidence": evidence}
            for section in sections
            for evidence in offered(opened, "evidence", "", section)
        ]
        assert gold and problems(opened, gold) == []
