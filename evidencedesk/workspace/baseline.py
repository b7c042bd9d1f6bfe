"""The accepted state that regressions are measured against. Invariant: equal standings give equal bytes."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from evidencedesk.errors import InputError
from evidencedesk.retrieval.evaluation import Standing
from evidencedesk.retrieval.facts import ConfigDefect
from evidencedesk.text.json_source import Node, Object, plain, read_json
from evidencedesk.text.spans import Span

BASELINE_PATH = ".evidencedesk/baseline.json"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Baseline:
    """How every question fared, by label id, and under which settings (`contract`, in words)."""

    contract: str
    standings: Mapping[str, Standing] = field(default_factory=dict)


def parse_baseline(text: str) -> tuple[Baseline, tuple[ConfigDefect, ...]]:
    """The baseline written in `text`, and what is wrong with it; what cannot be read is left out."""
    root, broken = read_json(text)
    defects = [ConfigDefect(BASELINE_PATH, span, message) for span, message in broken]
    members = _members(root)
    if plain(members.get("version")) != _VERSION:
        reason = f"this is not a baseline of version {_VERSION}; `evidencedesk baseline accept` writes a new one"
        return Baseline(""), (ConfigDefect(BASELINE_PATH, _start(root), reason),)
    standings = {}
    for label_id, node in _members(members.get("standings")).items():
        if standing := _standing(plain(node)):
            standings[label_id] = standing
        else:
            reason = f"the standing of {label_id} is damaged and was left out"
            defects.append(ConfigDefect(BASELINE_PATH, _start(node), reason))
    return Baseline(str(plain(members.get("contract"))), standings), tuple(defects)


def baseline_text(baseline: Baseline) -> str:
    """The baseline as its file holds it: a question a line, sorted, so that changes read well in a review."""
    lines = [
        f"  {_json(label_id)}: {_json(asdict(standing))}" for label_id, standing in sorted(baseline.standings.items())
    ]
    standings = "{\n" + ",\n".join(lines) + "\n }" if lines else "{}"
    return f'{{\n "version": {_VERSION},\n "contract": {_json(baseline.contract)},\n "standings": {standings}\n}}\n'


def write_baseline(root: Path, baseline: Baseline) -> None:
    """Replace the baseline file of a workspace, all at once. Raises InputError when that is not possible."""
    path = root / BASELINE_PATH
    if path.parent.is_symlink():
        raise InputError(f"{path.parent} is a symbolic link; the baseline is only written inside the workspace.")
    half_written = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(exist_ok=True)
        half_written.write_bytes(baseline_text(baseline).encode("utf-8", "replace"))
        half_written.replace(path)
    except OSError as error:
        with suppress(OSError):
            half_written.unlink()
        raise InputError(f"The baseline could not be written to {path} ({error.strerror}).") from error


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _members(node: Node | None) -> dict[str, Node | None]:
    return {member.key: member.value for member in node.members} if isinstance(node, Object) else {}


def _start(node: Node | None) -> Span:
    start = node.span.start if node else 0
    return Span(start, start + 1 if node else 0)


def _standing(value: object) -> Standing | None:
    match value:
        case {
            "rank": int() | None as rank,
            "whole": bool() as whole,
            "in_context": bool() as used,
            "top": str() as top,
        }:
            return Standing(rank, whole, used, top)
    return None
