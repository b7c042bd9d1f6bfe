"""Small workspaces for tests of what the engine process makes of a snapshot."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from evidencedesk.text.spans import LineIndex, Span
from evidencedesk.workspace import Workspace
from evidencedesk_server.messages import Question, Style
from evidencedesk_server.rendering import FolderView

FOLDER = "file:///kb"
TODAY = date(2026, 1, 1)
STYLE = Style(encoding="utf-16", markdown=True, related=True, document_changes=True, tags=True, rule_links=True)

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


def read(opened: Workspace, what: str, path: str, at: str = "", *words: str, style: Style = STYLE) -> list[Any]:
    """What a reading finds in a file, at the first occurrence of some words."""
    offset = opened.snapshot.texts[path].index(at) if at else 0
    view = FolderView(FOLDER, style)
    view.show(opened)
    return view.look(Question(what, FOLDER, path, offset, words))


def shown(opened: Workspace, path: str, place: Any) -> str:
    """The text at a place that a reading names, be it characters of the asked file or a range."""
    text = opened.snapshot.texts[path]
    if "chars" in place:
        return Span(*place["chars"]).of(text)
    index = LineIndex(text)
    start, end = (index.offset(place[edge]["line"], place[edge]["character"], "utf-16") for edge in ("start", "end"))
    return text[start:end]
