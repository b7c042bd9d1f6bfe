"""Runs the command line in this process, as its entry point does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from evidencedesk.cli import main

GUIDE = """\
---
id: guide
title: Returns
---
# Returns

## How long

Bikes can be returned within 30 days of delivery. Bring the receipt, please.

## Refunds

The money arrives on your card within 5 business days after the return.
"""
CONFIG = '[chunking]\nstrategy = "paragraph"\n'
LABELS = """\
[
  {
    "id": "q1",
    "question": "When does the refund arrive?",
    "gold": [{"section": "guide#Refunds", "evidence": "within 5 business days"}]
  },
  {"id": "q2", "question": "Do you sell scooters?", "answerable": false}
]
"""


class Done(NamedTuple):
    """How a run ended."""

    code: int
    out: str
    err: str


Run = Callable[..., Done]
Write = Callable[[Mapping[str, str]], Path]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str | Path) -> Done:
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Done(code, out, err)

    return run


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes files below a fresh current folder, and returns it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def write(files: Mapping[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8"))
        return tmp_path

    return write


@pytest.fixture
def kb(write: Write) -> Path:
    """A workspace that holds two questions and no problem."""
    return write({"evidencedesk.toml": CONFIG, "guide.md": GUIDE, "labels.json": LABELS})
