"""A folder that opens from its cache is the folder that opens without one, now and after every later change."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidencedesk.retrieval.evidence import Page
from evidencedesk.retrieval.vector_pools import VectorPool
from evidencedesk.retrieval.word_pools import WordPool
from evidencedesk.workspace import Change, Workspace, kept_state, reading
from evidencedesk.workspace import cache as cache_module
from evidencedesk.workspace.divergence import demand_equal
from workspace.test_engine import LABELS, PAGES, TODAY, plain, write

MORE = {
    "returns-de.md": "---\nlang: de\n---\n# Rückgabe\n\n## Frist\n\nRäder kommen innerhalb von 30 Tagen zurück.\n",
    "care/brakes.md": "# Brakes\n\n## Pads\n\nPads wear down.\n\n## Discs\n\nDiscs stay true when they are clean.\n",
}
CONFIG = "[scope]\nstatuses = ['current', 'superseded']\n"
CHANGES = st.lists(
    st.sampled_from(
        [
            Change("care/chain.md", "# Chain care\n\nOil it.\n"),
            Change("care/chain.md", None),
            Change("returns.md", "# Returns\n\n## Window\n\nNo bike comes back within 30 days of delivery.\n"),
            Change("new.md", "# Boats\n\nWe sell boats, and bikes come back.\n"),
            Change("labels.json", json.dumps(LABELS[:1])),
            Change("labels.json", json.dumps([*LABELS, {"id": "q3", "question": "Oil?", "answerable": False}])),
            Change("evidencedesk.toml", CONFIG),
        ]
    ),
    max_size=4,
)


@pytest.fixture(autouse=True)
def every_folder_is_large(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    user = tmp_path_factory.mktemp("user")
    monkeypatch.setattr(reading, "REMEMBER_FROM", 1)
    monkeypatch.setattr(kept_state, "_FEW", kept_state._FEW)
    monkeypatch.setattr(cache_module, "_user_folder", lambda: user / "evidencedesk")


def made(root: Path) -> Path:
    return write(root, {**PAGES, **MORE, "labels.json": json.dumps(LABELS)})


def on_disk(root: Path, change: Change) -> None:
    path = root / change.path
    if change.text is None:
        path.unlink(missing_ok=True)
    else:
        path.parent.mkdir(exist_ok=True)
        path.write_text(change.text, encoding="utf-8")


@settings(max_examples=25)
@given(st.sampled_from([0.01, 1.0]), CHANGES, CHANGES, CHANGES)
def test_an_opening_from_the_cache_equals_one_from_nothing(
    tmp_path_factory: pytest.TempPathFactory,
    few: float,
    kept: list[Change],
    outside: list[Change],
    later: list[Change],
) -> None:
    kept_state._FEW = few
    root = made(tmp_path_factory.mktemp("root"))
    first = Workspace.open(root, today=TODAY, cache=True)
    for change in kept:
        on_disk(root, change)
        first.refresh([change.path])
    first.keep()
    for change in outside:
        on_disk(root, change)
    warm = Workspace.open(root, today=TODAY, cache=True)
    assert warm.notes == ()
    demand_equal(plain(warm.snapshot), plain(Workspace.open(root, today=TODAY).snapshot))
    for change in later:
        on_disk(root, change)
        warm.refresh([change.path])
        demand_equal(plain(warm.snapshot), plain(Workspace.open(root, today=TODAY).snapshot))
    shutil.rmtree(root)


def test_an_unchanged_folder_is_neither_searched_nor_read_for_evidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = made(tmp_path)
    cold = Workspace.open(root, today=TODAY, cache=True)

    def worked(*given: Any) -> None:
        raise AssertionError("this was known")

    for kind, name in ((WordPool, "renew"), (VectorPool, "renew"), (Page, "_locate")):
        monkeypatch.setattr(kind, name, worked)
    warm = Workspace.open(root, today=TODAY, cache=True)
    demand_equal(plain(warm.snapshot), plain(cold.snapshot))


def test_a_session_ends_in_a_state_that_opens_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = made(tmp_path)
    workspace = Workspace.open(root, today=TODAY, cache=True)
    change = Change("care/chain.md", "# Chain care\n\n## Oil\n\nOil it in the rain.\n")
    on_disk(root, change)
    workspace.apply([change])
    workspace.keep()
    monkeypatch.setattr(WordPool, "renew", None)
    monkeypatch.setattr(VectorPool, "renew", None)
    demand_equal(plain(Workspace.open(root, today=TODAY, cache=True).snapshot), plain(workspace.snapshot))


def test_a_state_that_is_much_the_same_is_not_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = made(tmp_path)
    Workspace.open(root, today=TODAY, cache=True)
    packs = set((root / cache_module.CACHE_PATH).glob("*.pack"))
    monkeypatch.setattr(kept_state, "_FEW", 1.0)
    on_disk(root, Change("care/chain.md", "# Chain care\n\nOil it.\n"))
    workspace = Workspace.open(root, today=TODAY, cache=True)
    assert packs < set((root / cache_module.CACHE_PATH).glob("*.pack"))
    monkeypatch.setattr(kept_state, "_FEW", 0.01)
    workspace.keep()
    assert not all(pack.exists() for pack in packs)


def test_records_of_other_types_are_not_taken_for_a_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = made(tmp_path)
    cold = Workspace.open(root, today=TODAY, cache=True)
    monkeypatch.setattr(cache_module.Cache, "get", lambda self, key: memoryview(b"\0" * 64))
    demand_equal(plain(Workspace.open(root, today=TODAY, cache=True).snapshot), plain(cold.snapshot))


def test_a_library_call_writes_nothing_unless_asked(tmp_path: Path) -> None:
    root = made(tmp_path)
    before = sorted(path.relative_to(root) for path in root.rglob("*"))
    workspace = Workspace.open(root, today=TODAY)
    workspace.apply([Change("new.md", "# New\n")])
    workspace.keep()
    assert sorted(path.relative_to(root) for path in root.rglob("*")) == before


def test_what_changed_outside_a_session_costs_what_it_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = made(tmp_path)
    for number in range(30):
        text = f"The part {number} fits wheel {number % 7} and chain {number % 5}."
        write(root, {f"parts/{number}.md": f"# Part {number}\n\n## Fit {number}\n\n{text}\n"})
    searched: list[str] = []
    for kind in (WordPool, VectorPool):
        monkeypatch.setattr(kind, "renew", _noting(kind, searched))
    located: list[str] = []
    monkeypatch.setattr(Page, "_locate", _noting(Page, located, "_locate"))
    Workspace.open(root, today=TODAY, cache=True)
    cold = len(searched)
    searched.clear()
    located.clear()
    write(root, {"parts/3.md": "# Part 3\n\n## Fit 3\n\nThe part 3 fits nothing.\n"})
    (root / "parts/4.md").unlink()
    warm = Workspace.open(root, today=TODAY, cache=True)
    assert len(searched) < cold
    assert located == []
    demand_equal(plain(warm.snapshot), plain(Workspace.open(root, today=TODAY).snapshot))


def _noting(kind: type, notes: list[str], name: str = "renew") -> Any:
    """The method of the class, noting each call."""
    method = getattr(kind, name)

    def noted(*given: Any) -> Any:
        notes.append(name)
        return method(*given)

    return noted
