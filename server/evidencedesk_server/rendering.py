"""Snapshot → ready-made answers, as differences to what was said. Invariant: equal snapshots say equal things."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from evidencedesk.rule import Fix, Problem
from evidencedesk.rules import RULES
from evidencedesk.text.spans import LineIndex
from evidencedesk.workspace.snapshot import Snapshot
from evidencedesk_server.hover_text import escape_markdown, plain
from evidencedesk_server.messages import ActionEntry, BufferAnswer, FileAnswer, HoverEntry, Question, Style, text_hash
from evidencedesk_server.ranges import Json
from evidencedesk_server.readings import READINGS
from evidencedesk_server.readings.state import State
from evidencedesk_server.suppressing import suppressions
from evidencedesk_server.to_lsp import Texts, accept_baseline, diagnostic, quick_fix, uri_below

_REGRESSIONS = "ED6"


class FolderView:
    """What one folder's snapshots look like to the client. `takes` says which paths this folder speaks for."""

    def __init__(self, folder: str, style: Style, takes: Callable[[str], bool] = lambda path: True) -> None:
        self.folder = folder
        self._style = style
        self._takes = takes
        self._spellings: dict[str, str] = {}
        self._texts = Texts({}, self.uri_of, style["encoding"])
        self._rendered: dict[str, tuple[object, list[Json]]] = {}
        self._said: dict[str, FileAnswer] = {}
        self._said_of_buffers: dict[str, BufferAnswer] = {}
        self._hashes: dict[str, tuple[LineIndex, str]] = {}
        self._known_texts: dict[str, set[str]] = defaultdict(set)
        self._state: State | None = None
        self._escape = escape_markdown if style["markdown"] else plain
        self._notes = {rule.code: f"**{rule.code}** {rule.name}: {self._escape(rule.summary)}" for rule in RULES}

    def uri_of(self, path: str) -> str:
        """The client's spelling of a file's URI; ours for a file that it never opened."""
        return self._spellings.get(path) or uri_below(self.folder, path)

    def answers(self, snapshot: Snapshot, buffers: Mapping[str, str]) -> tuple[list[FileAnswer], list[BufferAnswer]]:
        """What differs from the last call, per file and per open document; `buffers` maps open paths to their URIs."""
        self._spellings.update(buffers)
        self._state_of(snapshot)
        by_path: dict[str, list[Problem]] = defaultdict(list)
        for problem in snapshot.problems:
            if self._takes(problem.path):
                by_path[problem.path].append(problem)
        self._rendered = {
            path: self._render(path, problems, snapshot.texts) for path, problems in sorted(by_path.items())
        }
        return list(self._file_differences()), list(self._buffer_differences(snapshot, by_path, buffers))

    def look(self, snapshot: Snapshot, question: Question) -> list[Any]:
        """The answer to a question about this snapshot; nothing about files that another folder speaks for."""
        if not self._takes(question.path):
            return []
        return READINGS[question.what](self._state_of(snapshot), question)

    def _state_of(self, snapshot: Snapshot) -> State:
        if self._state is None or self._state.snapshot is not snapshot:
            self._texts = self._texts.with_texts(snapshot.texts)
            self._state = State(snapshot, self._texts, self._escape, self._takes)
        return self._state

    # Files

    def _render(self, path: str, problems: Sequence[Problem], texts: Mapping[str, str]) -> tuple[object, list[Json]]:
        involved = dict.fromkeys([path, *(place.path for problem in problems for place in problem.related)])
        key = (list(problems), [(name, self.uri_of(name), texts.get(name)) for name in involved])
        last = self._rendered.get(path)
        if last is not None and last[0] == key:
            return last
        return key, [diagnostic(problem, self._texts, self._style["related"]) for problem in problems]

    def _file_differences(self) -> Iterator[FileAnswer]:
        for path, (_, diagnostics) in self._rendered.items():
            said = self._said.get(path)
            uri = self.uri_of(path)
            if said is None or said["diagnostics"] != diagnostics or said["uri"] != uri:
                self._said[path] = self._answer(path, uri, diagnostics)
                yield self._said[path]
        for path in [path for path in self._said if path not in self._rendered]:
            yield self._answer(path, self._said.pop(path)["uri"], [])

    def _answer(self, path: str, uri: str, diagnostics: list[Json]) -> FileAnswer:
        content = json.dumps([uri, diagnostics], sort_keys=True).encode()
        return FileAnswer(
            folder=self.folder,
            path=path,
            uri=uri,
            id=hashlib.blake2b(content, digest_size=12).hexdigest(),
            diagnostics=diagnostics,
        )

    # Open documents

    def _buffer_differences(
        self, snapshot: Snapshot, by_path: Mapping[str, Sequence[Problem]], buffers: Mapping[str, str]
    ) -> Iterator[BufferAnswer]:
        for path in buffers:
            problems = by_path.get(path, [])
            texts: dict[str, str] = {}
            entries = []
            state = self._state_of(snapshot)
            for span, text in chain(state.hovers.of_file(path), state.names.of_file(path)):
                entries.append(HoverEntry(start=span.start, end=span.end, note=False, key=_name(text, texts)))
            for problem in problems:
                if (note := self._notes.get(problem.code)) is not None:
                    start, end = problem.span
                    entries.append(HoverEntry(start=start, end=end, note=True, key=_name(note, texts)))
            known = self._known_texts[path]
            answer = BufferAnswer(
                folder=self.folder,
                path=path,
                hovers=entries,
                texts={key: text for key, text in texts.items() if key not in known},
                actions=list(self._actions(path, problems, snapshot)),
            )
            # The other side keeps only texts that its last answer used.
            self._known_texts[path] = set(texts)
            if answer != self._said_of_buffers.get(path):
                yield answer
            self._said_of_buffers[path] = BufferAnswer(**{**answer, "texts": {}})
        for closed in [path for path in self._said_of_buffers if path not in buffers]:
            del self._said_of_buffers[closed]
            del self._known_texts[closed]

    def _actions(self, path: str, problems: Sequence[Problem], snapshot: Snapshot) -> Iterator[ActionEntry]:
        _, rendered = self._rendered.get(path, (None, []))
        for problem, shown in zip(problems, rendered, strict=True):
            for fix in (*problem.fixes, *suppressions(problem, snapshot)):
                yield self._entry(problem, self._fix_action(fix, shown), self._needs(fix))
            if problem.code.startswith(_REGRESSIONS):
                yield self._entry(problem, accept_baseline(self.folder, shown), {})

    def _fix_action(self, fix: Fix, shown: Json) -> Json:
        return quick_fix(fix, shown, self._texts, self._style["document_changes"])

    def _needs(self, fix: Fix) -> dict[str, str]:
        return {self.uri_of(path): self._hash_of(path) for path in fix.edits}

    def _hash_of(self, path: str) -> str:
        index = self._texts.index(path)
        known = self._hashes.get(path)
        if known is None or known[0] is not index:
            known = self._hashes[path] = index, text_hash(index.text)
        return known[1]

    def _entry(self, problem: Problem, action: Json, needs: dict[str, str]) -> ActionEntry:
        return ActionEntry(start=problem.span.start, end=problem.span.end, needs=needs, action=action)


def _name(text: str, texts: dict[str, str]) -> str:
    key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    texts[key] = text
    return key
