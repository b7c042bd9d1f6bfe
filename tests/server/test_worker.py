"""The engine process's side, called directly."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from answer_making import FOLDER, PAGE, label, workspace
from engine_loop import BROKEN, LABELS, Loop, codes
from evidencedesk.workspace import Workspace, reading
from evidencedesk_server.messages import (
    AcceptBaseline,
    CloseFolder,
    Look,
    Question,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    workspace(tmp_path, LABELS)
    return tmp_path


def test_an_edit_is_answered_with_what_it_changed_and_questions_are_about_it_from_then_on(root: Path) -> None:
    loop = Loop()
    assert loop.open(root)["whole"] == []
    answers = loop.update("returns.md", BROKEN, open_paths=("returns.md",))
    assert "ED201" in codes(answers, "returns.md")
    question = Question("hovers", FOLDER, "returns.md", BROKEN.index("The parcel\n"))
    loop.engine.handle(Look(do="look", seq=7, question=list(question)))
    assert (loop.said[-1]["seq"], loop.said[-1]["state"]) == (7, answers["state"])
    assert any("Holds only a part" in entry["text"] for entry in loop.said[-1]["found"])


def test_opening_and_closing_an_unchanged_file_evaluates_nothing(root: Path) -> None:
    loop = Loop()
    loop.open(root)
    opened: Workspace = loop.engine._folders[FOLDER].workspace
    revision = opened.snapshot.revision
    loop.update("returns.md", PAGE, open_paths=("returns.md",))
    loop.update("returns.md", None)
    assert opened.snapshot.revision == revision


def test_a_buffer_keeps_its_text_when_the_disk_changes_below_it(root: Path) -> None:
    loop = Loop()
    loop.open(root)
    loop.update("returns.md", PAGE, open_paths=("returns.md",))
    (root / "returns.md").write_text(BROKEN, encoding="utf-8")
    # Another change makes the workspace look at everything again.
    loop.update("evidencedesk.toml", '[chunking]\nstrategy = "paragraph"\n# note\n', open_paths=("returns.md",))
    assert loop.engine._folders[FOLDER].workspace.snapshot.texts["returns.md"] == PAGE
    assert "ED201" in codes(loop.update("returns.md", None), "returns.md")


def test_regressions_stay_after_the_save_until_they_are_mended_or_accepted(root: Path) -> None:
    loop = Loop()
    loop.open(root)
    assert codes(loop.update("returns.md", BROKEN), "labels.json") & {"ED602", "ED603"}
    saved = loop.update("returns.md", BROKEN, saved=True)
    assert saved["files"] == []
    accepted = loop.ask(lambda seq: AcceptBaseline(do="accept-baseline", seq=seq, folder=FOLDER))
    assert not codes(accepted, "labels.json") & {"ED601", "ED602", "ED603"}
    assert not (root / ".evidencedesk").exists()


def test_a_folder_that_cannot_be_opened_is_told_and_later_requests_are_answered(tmp_path: Path) -> None:
    loop = Loop()
    assert loop.open(tmp_path / "missing")["files"] == []
    (opened,) = [said for said in loop.said if said["say"] == "opened"]
    assert "does not exist" in opened["error"]
    assert loop.update("a.md", "text")["files"] == []


def test_a_failing_request_is_answered_and_told_and_the_next_one_works(
    root: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    loop = Loop()
    loop.open(root)
    with monkeypatch.context() as patch, caplog.at_level(logging.CRITICAL):
        patch.setattr(Workspace, "apply", lambda *_: 1 / 0)
        assert loop.update("returns.md", BROKEN)["files"] == []
    assert "ZeroDivisionError" in loop.notices()[0]
    assert "ED201" in codes(loop.update("returns.md", BROKEN), "returns.md")


def test_the_inner_folder_speaks_for_its_files(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    workspace(tmp_path / "inner", [label("q1", "Is it?", "words that stand nowhere")])
    loop = Loop()
    loop.open(tmp_path / "inner", f"{FOLDER}/inner")
    outer = loop.open(tmp_path)
    assert [answer for answer in outer["files"] if answer["path"].startswith("inner/")] == []
    loop.engine.handle(CloseFolder(do="close-folder", folder=f"{FOLDER}/inner"))
    assert "ED705" in codes(loop.update("new.md", "# New\n\nText.\n"), "inner/labels.json")


def test_editor_settings_count_where_no_file_configures_the_folder(root: Path) -> None:
    settings = {"rules": {"select": ["ED201"]}, "retrieval": {"k": 2}}
    loop = Loop()
    loop.open(root, settings=settings)
    assert loop.engine._folders[FOLDER].workspace.config.retrieval.k == 5
    (root / "evidencedesk.toml").unlink()
    loop.open(root, settings=settings)
    assert loop.engine._folders[FOLDER].workspace.config.retrieval.k == 2
    loop.open(root, settings={"retrieval": {"k": 0}})
    assert "evidencedesk.retrieval.k is wrong" in loop.notices()[0]
    assert loop.engine._folders[FOLDER].workspace.config.retrieval.k == 5


def test_changes_on_disk_are_found_without_a_watching_client(root: Path) -> None:
    loop = Loop()
    loop.open(root, poll=True)
    said = len(loop.said)
    loop.engine.look_at_disk()
    assert len(loop.said) == said
    (root / "returns.md").write_text(BROKEN, encoding="utf-8")
    (root / "new.md").write_text("# New\n\nA page.\n", encoding="utf-8")
    loop.engine.look_at_disk()
    assert "ED201" in codes(loop.said[-1], "returns.md")
    assert "new.md" in loop.engine._folders[FOLDER].workspace.snapshot.texts
    (root / "new.md").unlink()
    (root / ".gitignore").write_text("returns.md\n")
    loop.engine.look_at_disk()
    assert not {"new.md", "returns.md"} & loop.engine._folders[FOLDER].workspace.snapshot.texts.keys()


def test_an_unforeseen_failure_to_index_is_told_as_well(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Workspace, "open", lambda *_, **__: 1 / 0)
    loop = Loop()
    assert loop.open(root)["files"] == []
    (opened,) = [said for said in loop.said if said["say"] == "opened"]
    assert "ZeroDivisionError" in opened["error"]


def test_a_known_folder_shows_what_it_had_while_it_is_evaluated_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "REMEMBER_FROM", 1)
    (root / "returns.md").write_text(BROKEN, encoding="utf-8")
    first = Loop()
    first.open(root)
    again = Loop()
    again.open(root, texts={"fence.md": "# Fence\n\n```sh\nopen\n", "labels.json": "[", "returns.md": BROKEN})
    meanwhile = [said for said in again.said if said["say"] == "answers"][:-1]
    # A page that is open has by itself what it has; what stands at a label that is being edited waits.
    assert any("ED203" in codes(said, "fence.md") for said in meanwhile)
    assert not any("ED201" in codes(said, "returns.md") for said in meanwhile)
    unchanged = Loop()
    unchanged.open(root, texts={"returns.md": BROKEN})
    *meanwhile, last = [said for said in unchanged.said if said["say"] == "answers"]
    assert any("ED201" in codes(said, "returns.md") for said in meanwhile)
    assert not last["files"]
    assert unchanged.store.files == first.store.files
