"""Workspaces for the scripted editor."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evidencedesk.workspace.engine import PARANOID

RETURNS = """---
id: returns
title: Returns
---
# Returns

## Window 😀

Send it back within 30 days of delivery, and we will refund the full price including the shipping fee.
"""

WARRANTY = """---
id: warranty
title: Warranty
---
# Warranty

## Frames

Every frame carries a guarantee of ten years against cracks and broken welds, for the first owner.
"""

CONFIG = """[chunking]
strategy = "paragraph"

[retrieval]
k = 3
"""

EVIDENCE = "within 30 days of delivery, and we will refund the full price"

LABELS = [
    {
        "id": "q1",
        "question": "How many days do I have to send something back?",
        "gold": [{"section": "returns#Window 😀", "evidence": EVIDENCE}],
    },
    {
        "id": "q2",
        "question": "How long is the guarantee on frames?",
        "gold": [{"section": "warranty#Frames", "evidence": "guarantee of ten years"}],
    },
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small knowledge base without a problem."""
    root = tmp_path / "kb"
    root.mkdir()
    (root / "returns.md").write_text(RETURNS, encoding="utf-8")
    (root / "warranty.md").write_text(WARRANTY, encoding="utf-8")
    (root / "evidencedesk.toml").write_text(CONFIG, encoding="utf-8")
    labels = json.dumps(LABELS, ensure_ascii=False, indent=2) + "\n"
    (root / "labels.json").write_text(labels, encoding="utf-8")
    return root


@pytest.fixture(autouse=True)
def paranoid(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engines that these tests start compare every snapshot with a fresh one: child processes inherit it."""
    monkeypatch.setenv(PARANOID, "1")
