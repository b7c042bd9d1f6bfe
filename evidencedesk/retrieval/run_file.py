"""Run file → its records with their places. Invariant: never fails; a broken line loses only itself."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evidencedesk.retrieval.candidates import RankedList, ranked
from evidencedesk.retrieval.chunk import Chunk, Location
from evidencedesk.retrieval.taxonomy import Trace
from evidencedesk.text.json_source import Object, read_json_lines
from evidencedesk.text.spans import Span

RUN_ENDINGS = (".runs.jsonl", "retrieval_runs.jsonl")
"""What the names of run files end in."""

_LINE = re.compile(r"[^\r\n]+")
_NOWHERE = Location("", Span(0, 0), 1, 1, Span(0, 0))


@dataclass(frozen=True, slots=True)
class RunDefect:
    """What is wrong with one line; `message` is a sentence."""

    span: Span
    message: str


@dataclass(frozen=True)
class RunLine:
    """One record and where it stands; `span` covers its line."""

    record: Mapping[str, Any]
    span: Span
    text: str

    @property
    def test_id(self) -> str:
        """The label, or test case, that it is of."""
        return str(self.record["test_id"])

    @property
    def answer(self) -> str | None:
        """What the pipeline answered, None when the record holds no answer."""
        answer = self.record.get("answer")
        return answer if isinstance(answer, str) and answer.strip() else None

    @property
    def cited(self) -> tuple[str, ...]:
        """The ids of the chunks that the answer cites."""
        cited = self.record.get("cited")
        return tuple(one for one in cited if isinstance(one, str)) if isinstance(cited, list) else ()

    @property
    def trace(self) -> Trace:
        """What the question met, as recorded: the texts are those that the pipeline saw."""
        return Trace(
            indexed=(),
            retrieved=_candidates(self.record["ranking"]),
            context=_candidates(self.record["context"]),
            answer=self.answer,
            cited=self.cited,
        )

    def place(self, *keys: str) -> Span:
        """Where the value of the first of these keys that the line has stands, else its first character."""
        for key in keys:
            if key in self._places:
                return self._places[key]
        return Span(self.span.start, min(self.span.start + 1, self.span.end))

    @cached_property
    def _places(self) -> dict[str, Span]:
        (root,), _ = read_json_lines(self.text)
        start = self.span.start
        if not isinstance(root, Object):
            return {}
        return {
            member.key: Span(start + member.value.span.start, start + member.value.span.end)
            for member in root.members
            if member.value
        }


@dataclass(frozen=True, slots=True)
class RunFile:
    """One run file: its records in file order, and its defects. Key: `path`."""

    path: str
    text: str
    lines: tuple[RunLine, ...]
    defects: tuple[RunDefect, ...]

    @property
    def latest(self) -> tuple[RunLine, ...]:
        """The last record of every test and turn, in file order."""
        last = {(line.test_id, str(line.record.get("turn_id"))): line for line in self.lines}
        return tuple(sorted(last.values(), key=lambda line: line.span))


def is_run_file(path: str) -> bool:
    """Whether a file of this name holds run records."""
    return path.lower().endswith(RUN_ENDINGS)


def parse_run_file(path: str, text: str) -> RunFile:
    """Read one record a line; blank lines are passed over."""
    lines: list[RunLine] = []
    defects: list[RunDefect] = []
    for found in _LINE.finditer(text):
        if found[0].isspace():
            continue
        span = Span(found.start(), found.end())
        try:
            record = json.loads(found[0])
        except (ValueError, RecursionError):
            defects.append(RunDefect(*_syntax(found[0], span)))
            continue
        if reason := _fault(record):
            defects.append(RunDefect(Span(span.start, span.start + 1), reason))
        else:
            lines.append(RunLine(record, span, found[0]))
    return RunFile(path, text, tuple(lines), tuple(defects))


def _syntax(line: str, span: Span) -> tuple[Span, str]:
    """Where and how a line is broken."""
    if not line.rstrip().endswith("}"):
        return span, "this line breaks off: the run was interrupted here; `evidencedesk run --resume` moves it aside"
    _, defects = read_json_lines(line)
    if not defects:
        return span, "this line is no JSON"
    first = defects[0]
    return Span(span.start + first.span.start, span.start + first.span.end), first.message


def _fault(record: object) -> str:
    """Why a JSON value is no run record; "" when it is one."""
    if not isinstance(record, dict):
        return "a run record is an object in braces"
    if not isinstance(record.get("test_id"), str) or not record["test_id"]:
        return "this record names no test (`test_id`)"
    for name in ("ranking", "context"):
        rows = record.get(name)
        if not isinstance(rows, list) or not all(map(_is_row, rows)):
            return f"`{name}` must be a list of objects with `chunk_id`, `score` and `text`"
    return ""


def _is_row(row: object) -> bool:
    match row:
        case {"chunk_id": str(), "score": int() | float(), "text": str()}:
            return True
    return False


def _candidates(rows: list[Mapping[str, Any]]) -> RankedList:
    return ranked(
        ((Chunk(row["chunk_id"], "", row["text"], "text", _NOWHERE), float(row["score"])) for row in rows), "run"
    )
