"""Small workspaces for tests of what the engine process makes of a snapshot."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from evidencedesk.workspace import Workspace
from evidencedesk_server.messages import Style

FOLDER = "file:///kb"
TODAY = date(2026, 1, 1)
STYLE = Style(encoding="utf-16", markdown=True, related=True, document_changes=True)

PAGE = """---
id: returns
title: Returns
---
# Returns

Send it back within 30 days of delivery,

and we will refund the full price.

## Costs

The parcel label is free.
"""

CONFIG = '[chunking]\nstrategy = "paragraph"\n'


def label(name: str, question: str, *evidence: str, **more: Any) -> dict[str, Any]:
    """A label of the page; unanswerable without evidence."""
    gold = [{"section": "returns", "evidence": words} for words in evidence]
    return {"id": name, "question": question, **({"gold": gold} if gold else {"answerable": False}), **more}


def workspace(root: Path, labels: list[dict[str, Any]], pages: Mapping[str, str] | None = None) -> Workspace:
    """A workspace of these pages (by default one) and labels."""
    for path, text in (pages or {"returns.md": PAGE}).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8", newline="")
    (root / "evidencedesk.toml").write_text(CONFIG, encoding="utf-8")
    (root / "labels.json").write_text(json.dumps(labels, ensure_ascii=False, indent=2), encoding="utf-8")
    return Workspace.open(root, today=TODAY)
