"""The sample knowledge base that ships with the package. Invariant: the only reader of its own data files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

KESTREL = Path(__file__).resolve().parent / "kestrel"
"""The folder of "Kestrel Cycles", a bike shop's help pages with labelled questions; a workspace like any other."""


def kestrel_documents() -> tuple[tuple[str, str], ...]:
    """File name and text of every page, in file name order."""
    return tuple((path.name, path.read_text(encoding="utf-8")) for path in sorted(KESTREL.glob("*.md")))


def kestrel_labels() -> list[dict[str, Any]]:
    """The labels as written in `labels.json`."""
    labels: list[dict[str, Any]] = json.loads((KESTREL / "labels.json").read_text(encoding="utf-8"))
    return labels
