"""After a file or folder has moved, links, labels and versions mean the same pages as before."""

from __future__ import annotations

import posixpath
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidencedesk.refactoring.moves import move
from evidencedesk.text.spans import apply_edits
from evidencedesk.workspace import Change, Workspace
from refactoring.small_worlds import TODAY, build, faults, gold_places, leads, leads_still, pages

NEW = ("c.md", "guide/c.md", "deep/er/a.md", "new place (2).md", "guide/README.md", "x/index.md")


@settings(max_examples=60, deadline=None)
@given(pages(), st.data())
def test_everything_means_the_same_pages_as_before(files: dict[str, str], data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        workspace = build(Path(folder).resolve(), files, data)
        before = workspace.snapshot
        folders = {posixpath.dirname(path) for path in files} - {""}
        old = data.draw(st.sampled_from(sorted({*files, *folders})))
        new = data.draw(st.sampled_from(["moved", "deep/er"] if old in folders else NEW))
        edits = move(before, [(old, new)])
        texts = {path: apply_edits(text, edits.get(path, ())) for path, text in before.texts.items()}
        place = {path: new + path[len(old) :] for path in files if path == old or path.startswith(f"{old}/")}
        if set(place.values()) & set(files):
            return
        changes = [Change(path, None) for path in place]
        changes += [
            Change(place.get(path, path), text) for path, text in texts.items() if path in place or path in edits
        ]
        after = workspace.apply(changes)
        assert leads_still(leads(before, place), leads(after))
        assert [
            (place.get(path or "", path), sections, matches) for path, sections, matches in gold_places(before)
        ] == gold_places(after)
        assert not faults(after) - faults(before)


@pytest.mark.parametrize(
    ("moves", "path", "text"),
    [
        ([("docs/a.md", "docs/b.md")], "index.md", "[a](docs/b.md) [x](./docs/b#x) [p](docs/pic.png) [f](/docs/b.md)"),
        (
            [("docs", "manual/en")],
            "index.md",
            "[a](manual/en/a.md) [x](./manual/en/a#x) [p](manual/en/pic.png) [f](/manual/en/a.md)",
        ),
        (
            [("index.md", "deep/index.md")],
            "index.md",
            "[a](../docs/a.md) [x](../docs/a#x) [p](../docs/pic.png) [f](/docs/a.md)",
        ),
        (
            [("docs/pic.png", "docs/my pic.png")],
            "index.md",
            "[a](docs/a.md) [x](./docs/a#x) [p](docs/my%20pic.png) [f](/docs/a.md)",
        ),
        (
            [("docs/a.md", "docs/b.md"), ("docs/pic.png", "pic.png")],
            "docs/a.md",
            "# A\n\n![p](../pic.png) [self](b.md) [up](..) [web](https://e.org/a.md) `[a](a.md)`",
        ),
        (
            [("docs", "d/e")],
            "docs/a.md",
            "# A\n\n![p](pic.png) [self](a.md) [up](../..) [web](https://e.org/a.md) `[a](a.md)`",
        ),
    ],
)
def test_links_keep_their_style(tmp_path: Path, moves: list[tuple[str, str]], path: str, text: str) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "index.md").write_text("[a](docs/a.md) [x](./docs/a#x) [p](docs/pic.png) [f](/docs/a.md)")
    (tmp_path / "docs/a.md").write_text(
        "# A\n\n![p](pic.png) [self](a.md) [up](..) [web](https://e.org/a.md) `[a](a.md)`"
    )
    snapshot = Workspace.open(tmp_path, today=TODAY).snapshot
    assert apply_edits(snapshot.texts[path], move(snapshot, moves).get(path, ())) == text


def test_a_written_id_stays_and_so_do_its_labels(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\nid: a\n---\n# A\n\nWords.\n")
    (tmp_path / "labels.json").write_text(
        '[{"id": "q", "question": "?", "gold": [{"section": "a#A", "evidence": "Words."}]}]'
    )
    assert move(Workspace.open(tmp_path, today=TODAY).snapshot, [("a.md", "b.md")]) == {}
