"""After a rename everything that named the old name names the new one, and nothing else has changed."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidencedesk.refactoring.edits import Refused
from evidencedesk.refactoring.rename import HeadingName, Name, name_at, rename
from evidencedesk.text.spans import apply_edits
from evidencedesk.workspace import Workspace
from refactoring.small_worlds import TODAY, applied, build, faults, gold_places, leads, leads_still, pages

NEW = ("Fees", "Costs", "page-1", "A `b` & c", 'say "x"', "Kosten / Preise", "x: y", "a\\b", "yes", "7")


def names(workspace: Workspace) -> list[Name]:
    """Everything that can be renamed, at every place where it can be."""
    found: dict[tuple[str, int, int], Name] = {}
    for path, text in workspace.snapshot.texts.items():
        for offset in range(len(text)):
            name = name_at(workspace.snapshot, path, offset)
            if not isinstance(name, Refused):
                found[path, *name.span] = name
    return list(found.values())


@settings(max_examples=60, deadline=None)
@given(pages(), st.data())
def test_what_named_the_old_name_names_the_new_one(files: dict[str, str], data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        workspace = build(Path(folder).resolve(), files, data)
        before = workspace.snapshot
        found = names(workspace)
        if not found:
            return
        name, new = data.draw(st.sampled_from(found)), data.draw(st.sampled_from(NEW))
        edits = rename(before, name, new)
        if isinstance(edits, Refused):
            assert edits.reason.endswith(".")
            return
        after = applied(workspace, edits)
        assert leads_still(leads(before), leads(after))
        was, now = gold_places(before), gold_places(after)
        assert [(path, matches) for path, _, matches in was] == [(path, matches) for path, _, matches in now]
        for (_, sections, _), (_, sections_now, _) in zip(was, now, strict=True):
            assert set(sections_now) <= set(sections) or len(sections) != 1
        assert not faults(after) - faults(before)
        if isinstance(name, HeadingName):
            assert len(after.documents) == len(before.documents)
        again = [one for one in names(workspace) if one.text == new]
        assert again or isinstance(name, HeadingName) or not edits


TREE = {
    "returns.md": (
        "---\nid: returns\n---\n# Returns\n\n## Time limit\n\nWithin 30 days. [Costs](#costs).\n\n## Costs\n\nFree.\n"
    ),
    "old.md": "---\nid: returns-old\nstatus: superseded\n---\n# Returns\n\nWithin 14 days.\n",
    "new.md": "---\nid: new\nsupersedes: [returns-old, 'returns']\n---\n# New\n\nSee [it](returns.md#time-limit).\n",
    "plain.md": "# Plain\n\nSee [the limit](./returns.md#time%2Dlimit) and `[x](returns.md#time-limit)`.\n",
}
LABELS = """[{"id":  "q1", "question": "How long?",
 "gold": [{"section":"returns#Time limit", "evidence": "Within 30 days."}]}]"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    for path, text in TREE.items():
        (tmp_path / path).write_text(text)
    (tmp_path / "labels.json").write_text(LABELS)
    return Workspace.open(tmp_path, today=TODAY)


def at(workspace: Workspace, path: str, words: str) -> Name | Refused:
    return name_at(workspace.snapshot, path, workspace.snapshot.texts[path].index(words) + 1)


@pytest.mark.parametrize(
    ("path", "words", "new", "changed"),
    [
        (
            "returns.md",
            "Time limit",
            "How long",
            {
                "returns.md": ("## Time limit", "## How long"),
                "new.md": ("#time-limit", "#how-long"),
                "plain.md": ("time%2Dlimit", "how-long"),
                "labels.json": ('"returns#Time limit"', '"returns#How long"'),
            },
        ),
        (
            "labels.json",
            "limit",
            "T",
            {
                "returns.md": ("## Time limit", "## T"),
                "new.md": ("#time-limit", "#t"),
                "plain.md": ("time%2Dlimit", "t"),
                "labels.json": ("returns#Time limit", "returns#T"),
            },
        ),
        (
            "labels.json",
            "returns#",
            "back: again",
            {
                "returns.md": ("id: returns", "id: 'back: again'"),
                "new.md": ("'returns'", "'back: again'"),
                "labels.json": ('"returns#', '"back: again#'),
            },
        ),
        ("new.md", "returns-old", "r1", {"old.md": ("returns-old", "r1"), "new.md": ("returns-old", "r1")}),
        ("labels.json", "q1", 'q"2', {"labels.json": ('"q1"', '"q\\"2"')}),
    ],
)
def test_only_the_names_change(
    workspace: Workspace, path: str, words: str, new: str, changed: dict[str, tuple[str, str]]
) -> None:
    name = at(workspace, path, words)
    assert not isinstance(name, Refused)
    edits = rename(workspace.snapshot, name, new)
    assert not isinstance(edits, Refused)
    texts = workspace.snapshot.texts
    assert {path: apply_edits(texts[path], found) for path, found in edits.items()} == {
        path: texts[path].replace(old, new) for path, (old, new) in changed.items()
    }


@pytest.mark.parametrize(
    ("path", "words", "new", "reason"),
    [
        ("returns.md", "Within", "", "Only headings"),
        ("plain.md", "# Plain", "x\ny", "one line"),
        ("returns.md", "Time limit", "Costs", "Another heading of returns.md has that name; labels (q1)"),
        ("returns.md", "# Returns", "---", ""),
        ("returns.md", "returns", "returns-old", "is taken: old.md has it"),
        ("returns.md", "returns", "a#b", "could not be told from a heading"),
        ("labels.json", "How long", "x", "Only headings"),
    ],
)
def test_a_refusal_says_why(workspace: Workspace, path: str, words: str, new: str, reason: str) -> None:
    name = at(workspace, path, words)
    result = name if isinstance(name, Refused) else rename(workspace.snapshot, name, new)
    if reason:
        assert isinstance(result, Refused) and reason in result.reason


def test_the_id_of_a_page_that_is_its_path_is_renamed_with_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nWords.\n")
    gold = [{"section": "a#A", "evidence": "Words."}]
    (tmp_path / "labels.json").write_text(json.dumps([{"id": "q", "question": "What?", "gold": gold}]))
    name = at(Workspace.open(tmp_path, today=TODAY), "labels.json", '"a#A')
    assert isinstance(name, Refused) and "Rename the file" in name.reason
