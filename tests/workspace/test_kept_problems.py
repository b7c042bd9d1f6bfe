"""Problems that are shown before a folder is evaluated again are those that the same texts had."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from evidencedesk.rule import Problem
from evidencedesk.workspace import Change, Workspace, reading
from evidencedesk.workspace import cache as cache_module
from workspace.test_engine import LABELS, PAGES, TODAY, write


@pytest.fixture(autouse=True)
def every_folder_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "REMEMBER_FROM", 1)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path, {**PAGES, "labels.json": json.dumps(LABELS)})


class Early:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[Sequence[Problem], Mapping[str, str]]] = []

    def __call__(self, problems: Sequence[Problem], texts: Mapping[str, str]) -> None:
        self.told.append((problems, texts))


def opened(root: Path) -> tuple[Workspace, Early]:
    early = Early()
    return Workspace.open(root, today=TODAY, cache=True, early=early), early


def shown(problems: Sequence[Problem]) -> list[Problem]:
    return [replace(problem, fixes=(), values={}) for problem in problems]


def test_the_problems_of_an_unchanged_folder_are_told_before_it_is_evaluated(root: Path) -> None:
    first, early = opened(root)
    assert first.snapshot.problems
    assert not early.told
    again, early = opened(root)
    ((problems, texts),) = early.told
    assert problems == shown(again.snapshot.problems)
    assert texts == again.snapshot.texts


@pytest.mark.parametrize("path", ["returns.md", "labels.json", "evidencedesk.toml", "new.md"])
def test_where_any_text_is_another_one_nothing_is_told_early(root: Path, path: str) -> None:
    opened(root)
    text = (root / path).read_text(encoding="utf-8") if (root / path).exists() else ""
    write(root, {path: f"{text}\n"})
    assert not opened(root)[1].told


def test_idle_moments_keep_the_problems_of_the_present_state_without_its_regressions(root: Path) -> None:
    workspace, _ = opened(root)
    change = Change("returns.md", "# Returns\n\n## Window\n\nNo bike comes back.\n")
    write(root, {change.path: change.text or ""})
    snapshot = workspace.apply([change])
    assert any(problem.code.startswith("ED6") for problem in snapshot.problems)
    workspace.tidy()
    again, early = opened(root)
    assert early.told[0][0] == shown(again.snapshot.problems)


def test_a_damaged_record_tells_nothing(root: Path) -> None:
    opened(root)
    for pack in (root / cache_module.CACHE_PATH).glob("*.pack"):
        pack.write_bytes(pack.read_bytes()[:-40])
    assert not opened(root)[1].told
