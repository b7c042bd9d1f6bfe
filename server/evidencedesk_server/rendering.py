"""Snapshot → what the client is told, as differences to what was said. Invariant: equal snapshots say equal things."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from evidencedesk.rule import Problem
from evidencedesk.workspace import Workspace
from evidencedesk.workspace.snapshot import Snapshot
from evidencedesk_server.hover_text import escape_markdown, plain
from evidencedesk_server.messages import FileAnswer, Question, Style
from evidencedesk_server.ranges import Json
from evidencedesk_server.readings import READINGS
from evidencedesk_server.readings.state import State
from evidencedesk_server.to_lsp import Texts, diagnostic, uri_below


class _Rendered(NamedTuple):
    """The diagnostics of a file, and what they were made from: `involved` are the files that they have places in."""

    problems: Sequence[Problem]
    involved: frozenset[str]
    diagnostics: list[Json]


class FolderView:
    """What one folder's snapshots look like to the client. `takes` says which paths this folder speaks for.

    `render` and `show` are for one thread, `look` for any: it reads the state shown last, which never changes.
    """

    def __init__(self, folder: str, style: Style, takes: Callable[[str], bool] = lambda path: True) -> None:
        self.folder = folder
        self._style = style
        self._takes = takes
        self._spellings: dict[str, str] = {}
        self._texts = Texts({}, self.uri_of, style["encoding"])
        self._rendered: dict[str, _Rendered] = {}
        self._said: dict[str, FileAnswer] = {}
        self._state: State | None = None
        self._escape = escape_markdown if style["markdown"] else plain

    def uri_of(self, path: str) -> str:
        """The client's spelling of a file's URI; ours for a file that it never opened."""
        return self._spellings.get(path) or uri_below(self.folder, path)

    def answers(self, snapshot: Snapshot, buffers: Mapping[str, str]) -> list[FileAnswer]:
        """The files whose problems differ from the last call; `buffers` maps the paths of open files to their URIs."""
        moved = {path for path, uri in buffers.items() if self.uri_of(path) != uri}
        self._spellings.update(buffers)
        before, self._texts = self._texts.texts, self._texts.with_texts(snapshot.texts)
        moved |= {path for path, text in snapshot.texts.items() if before.get(path) is not text}
        self._rendered = {
            path: self._render(path, list(problems), moved)
            for path, problems in groupby(snapshot.problems, key=lambda problem: problem.path)
            if self._takes(path)
        }
        return list(self._differences())

    def show(self, workspace: Workspace) -> bool:
        """Let `look` answer from the present state from now on; whether it is another one than before."""
        snapshot = workspace.snapshot
        if self._state is not None and self._state.snapshot is snapshot:
            return False
        self._state = State(
            snapshot,
            self._texts.with_texts(snapshot.texts),
            self._escape,
            self._takes,
            self.folder,
            self._style,
            workspace.config,
            workspace.searchers,
        )
        return True

    def look(self, question: Question) -> list[Any]:
        """The answer to a question about the state shown; nothing about files that another folder speaks for."""
        state = self._state
        if state is None or not self._takes(question.path):
            return []
        return READINGS[question.what](state, question)

    def _render(self, path: str, problems: list[Problem], moved: set[str]) -> _Rendered:
        last = self._rendered.get(path)
        if last is not None and last.problems == problems and last.involved.isdisjoint(moved):
            return last
        involved = frozenset([path, *(place.path for problem in problems for place in problem.related)])
        return _Rendered(problems, involved, [diagnostic(problem, self._texts, self._style) for problem in problems])

    def _differences(self) -> Iterator[FileAnswer]:
        for path, (_, _, diagnostics) in self._rendered.items():
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
