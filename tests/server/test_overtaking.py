"""What happens when requests arrive while the engine is at work."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from answer_making import FOLDER, PAGE, workspace
from engine_loop import BROKEN, LABELS, Loop, codes, updating
from evidencedesk.workspace import Workspace
from evidencedesk_server import inbox, worker
from evidencedesk_server.messages import FileChange, Look, Place, Question, Stop
from evidencedesk_server.worker import Engine


@pytest.fixture
def root(tmp_path: Path) -> Path:
    workspace(tmp_path, LABELS)
    return tmp_path


def arrive_at_progress(monkeypatch: pytest.MonkeyPatch, requests: list[Any]) -> None:
    """Let requests arrive, the last first, whenever the engine tells how far it is; taken ones leave the list."""
    heed = Engine._progress

    def progress(engine: Engine, *steps: Any) -> None:
        if requests:
            engine.receive(requests.pop())
        heed(engine, *steps)

    monkeypatch.setattr(Engine, "_progress", progress)


def test_questions_are_answered_from_the_last_state_while_the_next_one_is_made(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = Loop()
    loop.open(root)
    texts = {"returns.md": PAGE, "labels.json": (root / "labels.json").read_text(encoding="utf-8")}
    places = [(path, offset) for path, text in texts.items() for offset in range(0, len(text), 15)]

    def looks() -> list[Any]:
        said = len(loop.said)
        for path, offset in places:
            loop.engine.look(Look(do="look", seq=0, question=list(Question("hovers", FOLDER, path, offset))))
        found, loop.said[said:] = loop.said[said:], []
        return found

    before = looks()
    meanwhile: list[list[Any]] = []
    heed = Engine._progress

    def progress(engine: Engine, *steps: Any) -> None:
        meanwhile.append(looks())
        heed(engine, *steps)

    monkeypatch.setattr(Engine, "_progress", progress)
    for text in (BROKEN, PAGE.replace("free", "free of charge"), "# Another\n\nPage.\n"):
        loop.update("returns.md", text)
        assert len(meanwhile) > 5
        assert all(found == before for found in meanwhile)
        meanwhile.clear()
        before = looks()


@pytest.mark.parametrize("when", range(0, 40, 3))
def test_what_was_overtaken_leaves_nothing_behind(root: Path, monkeypatch: pytest.MonkeyPatch, when: int) -> None:
    """Whenever a newer update arrives during an evaluation, what is said in the end is what a fresh engine says."""
    loop = Loop()
    loop.open(root)
    calls, heed = itertools.count(), Engine._progress
    newer = updating(100, {"returns.md": PAGE.replace("30 days", "60 days")}, open_paths=("returns.md",))

    def progress(engine: Engine, *steps: Any) -> None:
        if next(calls) == when:
            engine.receive(newer)
        heed(engine, *steps)

    with monkeypatch.context() as patch:
        patch.setattr(Engine, "_progress", progress)
        loop.engine.handle(updating(99, {"returns.md": BROKEN, "new.md": "# New\n\nThe parcel label.\n"}))
    if next(calls) <= when:
        loop.engine.handle(newer)
    answers = [said["seq"] for said in loop.said if said["say"] == "answers" and said["seq"] > 90]
    assert answers[-1] == 100
    fresh = Loop()
    fresh.open(root)
    fresh.update("new.md", "# New\n\nThe parcel label.\n")
    fresh.engine.handle(newer)
    assert loop.store.files == fresh.store.files


def test_an_evaluation_that_is_overtaken_is_given_up_and_both_are_answered_at_once(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = Loop()
    loop.open(root)
    revision = loop.engine._folders[FOLDER].workspace.snapshot.revision  # type: ignore[union-attr]
    arrive_at_progress(monkeypatch, [updating(50, {"returns.md": PAGE + "\nMore.\n"}, open_paths=("returns.md",))])
    said = len(loop.said)
    loop.engine.handle(updating(49, {"returns.md": BROKEN}, open_paths=("returns.md",)))
    assert [one["seq"] for one in loop.said[said:] if one["say"] == "answers"] == [50]
    snapshot = loop.engine._folders[FOLDER].workspace.snapshot  # type: ignore[union-attr]
    assert snapshot.texts["returns.md"] == PAGE + "\nMore.\n"
    assert snapshot.revision >= revision + 1


def test_who_never_stops_typing_is_answered_all_the_same(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox, "PATIENCE_SECONDS", 0.0)
    loop = Loop()
    loop.open(root)
    arrive_at_progress(monkeypatch, [updating(50, {"returns.md": PAGE}, open_paths=("returns.md",))])
    said = len(loop.said)
    loop.engine.handle(updating(49, {"returns.md": BROKEN}, open_paths=("returns.md",)))
    assert [one["seq"] for one in loop.said[said:] if one["say"] == "answers"] == [49, 50]


def test_open_documents_have_their_own_problems_before_the_folder_is_read(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is never read here: whatever is said comes from the documents alone."""
    monkeypatch.setattr(Workspace, "open", lambda *_, **__: (_ for _ in ()).throw(worker._Stopped))
    loop = Loop()
    fence = PAGE + "\n```python\nnever closed\n"
    loop.engine.handle(loop.opening(root, texts={"returns.md": fence, "broken.json": '[{"id": "q1", "question": '}))
    first = next(said for said in loop.said if said["say"] == "answers")
    assert (codes(first, "returns.md"), codes(first, "broken.json")) == ({"ED203"}, {"ED701"})
    fixed = loop.update("returns.md", PAGE, open_paths=("returns.md", "broken.json"))
    assert [(answer["path"], answer["diagnostics"]) for answer in fixed["files"]] == [("returns.md", [])]
    assert [answer["path"] for answer in loop.update("broken.json", None)["files"]] == ["broken.json"]


def test_changes_are_evaluated_while_another_folder_is_read(
    root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path_factory.mktemp("other")
    workspace(other, LABELS)
    loop = Loop()
    loop.open(root)
    arrive_at_progress(monkeypatch, [updating(50, {"returns.md": BROKEN}, open_paths=("returns.md",))])
    said = len(loop.said)
    loop.open(other, "file:///other")
    told = [one for one in loop.said[said:] if one["say"] in ("answers", "opened")]
    broken = next(number for number, one in enumerate(told) if one["say"] == "answers" and one["seq"] == 50)
    assert "ED201" in codes(told[broken], "returns.md")
    assert [one["folder"] for one in told[broken:] if one["say"] == "opened"] == ["file:///other"]


def test_what_is_stopped_says_how_it_goes_on(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loop = Loop()
    stops: list[Any] = [Stop(do="stop"), Stop(do="stop")]
    arrive_at_progress(monkeypatch, stops)
    fence = PAGE + "\n```python\nnever closed\n"
    loop.open(root, texts={"returns.md": fence})
    assert [said.get("stopped") for said in loop.said if said["say"] == "opened"] == [True]
    assert loop.store.files.keys() == {Place(FOLDER, "returns.md")}
    stops.clear()
    loop.open(root, texts={"returns.md": fence})
    opened = [said for said in loop.said if said["say"] == "opened"][-1]
    assert "stopped" not in opened
    stops.append(Stop(do="stop"))
    assert loop.update("returns.md", BROKEN)["files"] == []
    assert "stopped evaluating" in loop.notices()[-1]
    assert "ED201" in codes(loop.update("other.md", "# Other\n"), "returns.md")


def test_an_engine_after_a_crash_says_nothing_before_it_knows_better(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = Loop()
    arrive_at_progress(monkeypatch, [updating(50, {"returns.md": BROKEN}, open_paths=("returns.md",))])
    loop.open(root, texts={"returns.md": PAGE}, first=False)
    early, late = (said for said in loop.said if said["say"] == "answers")
    assert (early["silent"], early["files"], early["whole"]) == ([FOLDER], [], [])
    assert (late["silent"], late["whole"]) == ([], [FOLDER])
    assert "ED201" in codes(late, "returns.md")


def test_buffers_travel_as_differences(root: Path) -> None:
    loop = Loop()
    loop.open(root, texts={"returns.md": PAGE})
    at = PAGE.index("label is free.")
    change = FileChange(folder=FOLDER, path="returns.md", text="\n\n", span=[at - 1, at])
    answers = loop.ask(lambda seq: {**updating(seq, {}, open_paths=("returns.md",)), "changes": [change]})
    assert loop.engine._folders[FOLDER].workspace.snapshot.texts["returns.md"] == BROKEN  # type: ignore[union-attr]
    assert "ED201" in codes(answers, "returns.md")


def test_tidying_changes_nothing_and_gives_way_to_what_arrives(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loop = Loop()
    loop.open(root)
    loop.update("returns.md", BROKEN)
    before, said = dict(loop.store.files), len(loop.said)
    loop.engine.tidy()
    assert len(loop.said) == said
    loop.update("new.md", "# New\n\nPage.\n")
    assert {place: loop.store.files[place] for place in before} == before
    tidied: list[Workspace] = []
    monkeypatch.setattr(Workspace, "tidy", lambda opened: tidied.append(opened))
    loop.engine.receive(updating(90, {"returns.md": PAGE}))
    loop.engine.tidy()
    assert tidied == []
    loop.engine.work()
    loop.engine.tidy()
    assert len(tidied) == 1


def test_saved_states_are_all_evaluated_but_those_that_a_later_save_overtakes(root: Path) -> None:
    loop = Loop()
    loop.open(root)
    free = PAGE.replace("is free", "is gratis")
    for seq, text, saved in ((90, BROKEN, True), (91, free, True), (92, BROKEN, False), (93, PAGE, False)):
        loop.engine.receive(updating(seq, {"returns.md": text}, saved=saved))
    loop.engine.work()
    assert [said["seq"] for said in loop.said if said["say"] == "answers" and said["seq"] >= 90] == [91, 93]
