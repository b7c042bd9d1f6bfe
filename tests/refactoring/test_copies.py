"""A passage kept once: the copies become links, their labels follow, and nothing else changes."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidencedesk.refactoring.copies import fixes_of_copies
from evidencedesk.text.spans import apply_edits
from evidencedesk.workspace import Change, Workspace
from refactoring.small_worlds import TODAY

CHECKED = "Every bicycle is checked and adjusted in our workshop before it leaves for you."
RIDDEN = "Each of them is ridden for a few minutes by one of our mechanics, whatever it costs."
ROAD = f"# Road bicycles\n\n{CHECKED}\n\n## Ride\n\n{RIDDEN}\n\nRoad bicycles are light and quick.\n"
MOUNTAIN = f"# Mountain (wide)\n\nWide tyres first of all.\n\n{CHECKED}\n\n{RIDDEN}\n\nThe end of the page.\n"


def opened(root: Path, files: dict[str, str], strategy: str = "paragraph") -> Workspace:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    (root / "evidencedesk.toml").write_text(f'[chunking]\nstrategy = "{strategy}"\n')
    return Workspace.open(root, today=TODAY)


def fixed(workspace: Workspace, start: str) -> dict[str, str]:
    (problem,) = [one for one in workspace.snapshot.problems if one.code == "ED205"]
    fix = next(fix for fix in fixes_of_copies(problem, workspace.snapshot.facts) if fix.title.startswith(start))
    texts = workspace.snapshot.texts
    return {path: apply_edits(texts[path], edits) for path, edits in fix.edits.items()}


def test_the_copies_become_links_under_their_headings_and_labels_follow(tmp_path: Path) -> None:
    gold = [{"section": "shop/mountain#Mountain (wide)", "evidence": "ridden for a few minutes", "grade": 2}]
    labels = json.dumps([{"id": "q1", "question": "Who tries the bicycle?", "gold": gold}])
    files = {"road.md": ROAD, "shop/mountain.md": MOUNTAIN, "labels.json": labels}
    workspace = opened(tmp_path, files)
    assert fixed(workspace, "Keep this here") == {
        "shop/mountain.md": MOUNTAIN.replace(CHECKED, "See [Road bicycles](../road.md#road-bicycles).").replace(
            RIDDEN, "See [Ride](../road.md#ride)."
        ),
        "labels.json": labels.replace("shop/mountain#Mountain (wide)", "road#Ride"),
    }
    link = "See [Mountain (wide)](shop/mountain.md#mountain-wide)."
    assert fixed(workspace, "Keep this in shop/mountain.md") == {
        "road.md": ROAD.replace(CHECKED, link).replace(RIDDEN, link)
    }


def test_on_one_page_the_first_is_kept(tmp_path: Path) -> None:
    page = f"# Page\n\n## One\n\n{CHECKED}\n\n## Two\n\n{CHECKED}\n\nWords.\n"
    workspace = opened(tmp_path, {"p.md": page})
    assert fixed(workspace, "Keep the first") == {
        "p.md": f"# Page\n\n## One\n\n{CHECKED}\n\n## Two\n\nSee [One](#one).\n\nWords.\n"
    }


def test_a_page_that_is_a_copy_can_be_marked_as_superseded(tmp_path: Path) -> None:
    workspace = opened(tmp_path, {"a.md": ROAD, "b.md": ROAD})
    (problem,) = [one for one in workspace.snapshot.problems if (one.code, one.path) == ("ED205", "b.md")]
    (fix,) = fixes_of_copies(problem, workspace.snapshot.facts)
    text = apply_edits(ROAD, fix.edits["b.md"])
    after = workspace.apply([Change("b.md", text)])
    assert text == f"---\nstatus: superseded\n---\n{ROAD}"
    assert not [one for one in after.problems if one.code == "ED205"]


BLOCKS = (CHECKED, RIDDEN, "## Heading", "- a list of things\n- that is long enough to count here, is it", "Short one.")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=6), min_size=1, max_size=3),
    st.sampled_from(["paragraph", "structure", "recursive", "section"]),
)
@pytest.mark.parametrize("evidence", ["in our workshop"])
def test_a_fix_clears_its_problem_and_loses_no_text(evidence: str, pages: list[list[str]], strategy: str) -> None:
    files = {f"p{number}.md": "\n\n".join(["# Page", *blocks]) + "\n" for number, blocks in enumerate(pages)}
    gold = [{"section": f"p{number}", "evidence": evidence} for number in range(len(pages))]
    files["labels.json"] = json.dumps([{"id": "q", "question": "Where?", "gold": gold}])
    with TemporaryDirectory() as folder:
        workspace = opened(Path(folder).resolve(), files, strategy)
        before = workspace.snapshot
        lines = {line for document in before.documents for line in document.text.split("\n")}
        for problem in [one for one in before.problems if one.code == "ED205"]:
            for fix in fixes_of_copies(problem, before.facts):
                workspace.apply(
                    [Change(path, apply_edits(before.texts[path], edits)) for path, edits in fix.edits.items()]
                )
                after = workspace.snapshot
                assert problem.fingerprint not in {one.fingerprint for one in after.problems}, fix.title
                assert {line for document in after.documents for line in document.text.split("\n")} >= lines
                lost = [one for one in after.problems if one.code in ("ED704", "ED705")]
                assert len(lost) <= len([one for one in before.problems if one.code in ("ED704", "ED705")])
                workspace.apply([Change(path, text) for path, text in before.texts.items() if path in fix.edits])
