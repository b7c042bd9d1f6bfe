"""The sample knowledge bases that ship with the package. Invariant: the only reader of its own data files."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parent

KESTREL = _HERE / "kestrel"
"""The folder of "Kestrel Cycles", a bike shop's help pages with labelled questions; a workspace like any other."""

PLOTVA = _HERE / "plotva"
"""The folder of "Plotva", a boat hire's help pages in Russian: stems, synonyms and a gate."""

SAMPLES: Mapping[str, Path] = {folder.name: folder for folder in (KESTREL, PLOTVA)}
"""All samples by name."""


def kestrel_documents() -> tuple[tuple[str, str], ...]:
    """File name and text of every page, in file name order."""
    return _documents(KESTREL)


def kestrel_labels() -> list[dict[str, Any]]:
    """The labels as written in `labels.json`."""
    labels: list[dict[str, Any]] = json.loads((KESTREL / "labels.json").read_text(encoding="utf-8"))
    return labels


def plotva_documents() -> tuple[tuple[str, str], ...]:
    """File name and text of every page, in file name order."""
    return _documents(PLOTVA)


def plotva_synonyms() -> tuple[tuple[str, ...], ...]:
    """The groups of Russian phrases that the sample's configuration names."""
    settings = tomllib.loads((PLOTVA / "evidencedesk.toml").read_text(encoding="utf-8"))
    return tuple(tuple(group) for group in settings["analysis"]["ru"]["synonyms"])


def _documents(folder: Path) -> tuple[tuple[str, str], ...]:
    return tuple((path.name, path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.md")))
