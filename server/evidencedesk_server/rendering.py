"""Snapshot → what the client is told, as differences to what was said. Invariant: equal snapshots say equal things."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from evidencedesk.rule import Problem
from evidencedesk.workspace import Workspace
from evidencedesk_server.hover_text import escape_markdown, plain
from evidencedesk_server.messages import FilePatch, Question, Style
from evidencedesk_server.patches import difference
from evidencedesk_server.ranges import Json
from evidencedesk_server.readings import READINGS
from evidencedesk_server.readings.state import State
from evidencedesk_server.to_lsp import Texts, diagnostic, uri_below


class _Rendered(NamedTuple):
    """The diagnostics of a file, and what they were made from: `involved` are the files that they have places in."""

    problems: Sequence[Problem]
    involved: frozenset[str]
    diagnostics: list[Json]


class _Said(NamedTuple):
    """What the client was told of a file."""

    uri: str
    diagnostics: list[Json]


class FolderView:
    """What one folder's snapshots look like to the client. `takes` says which paths this folder speaks for.

    `answers` and `show` are for one thread, `look` for any: it reads the state shown last, which never changes.
    """

    def __init__(self, folder: str, style: Style, takes: Callable[[str], bool] = lambda path: True) -> None:
        self.folder = folder
        self._style = style
        self._takes = takes
        self._spellings: dict[str, str] = {}
        self._texts = Texts({}, self.uri_of, style["encoding"])
        self._rendered: dict[str, _Rendered] = {}
        self._said: dict[str, _Said] = {}
        self._state: State | None = None
        self._escape = escape_markdown if style["markdown"] else plain

    def uri_of(self, path: str) -> str:
        """The client's spelling of a file's URI; ours for a file that it never opened."""
        return self._spellings.get(path) or uri_below(self.folder, path)

    def answers(
        self, problems: Sequence[Problem], texts: Mapping[str, str], spellings: Mapping[str, str]
    ) -> list[FilePatch]:
        """The files whose problems differ from the last call.

        `problems` are in path order, and stand in `texts`; `spellings` maps the paths of open files to their URIs.
        """
        moved = {path for path, uri in spellings.items() if self.uri_of(path) != uri}
        self._spellings.update(spellings)
        before, self._texts = self._texts.texts, self._texts.with_texts(texts)
        moved |= {path for path, text in texts.items() if before.get(path) is not text}
        self._rendered = {
            path: self._render(path, list(of_path), moved)
            for path, of_path in groupby(problems, key=lambda problem: problem.path)
            if self._takes(path)
        }
        return list(self._differences())

    def show(self, workspace: Workspace) -> bool:
        """Let `look` answer from the present state from now on; whether it is another one than before."""
        snapshot = workspace.snapshot
        if self._state is not None and self._state.snapshot is snapshot:
            return False
        last = self._state.hovers.parts if self._state is not None else None
        self._state = State(
            snapshot,
            self._texts.with_texts(snapshot.texts),
            self._escape,
            self._takes,
            self.folder,
            self._style,
            workspace.config,
            workspace.searchers,
            last,
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

    def _differences(self) -> Iterator[FilePatch]:
        for path, (_, _, diagnostics) in self._rendered.items():
            said, uri = self._said.get(path), self.uri_of(path)
            if said is None or said.diagnostics is not diagnostics or said.uri != uri:
                before = said.diagnostics if said is not None else []
                self._said[path] = _Said(uri, diagnostics)
                if said is None or before != diagnostics or said.uri != uri:
                    yield self._patch(path, uri, before, diagnostics)
        for path in [path for path in self._said if path not in self._rendered]:
            said = self._said.pop(path)
            yield self._patch(path, said.uri, said.diagnostics, [])

    def _patch(self, path: str, uri: str, before: list[Json], now: list[Json]) -> FilePatch:
        content = json.dumps([uri, now], sort_keys=True).encode()
        name = hashlib.blake2b(content, digest_size=12).hexdigest()
        return FilePatch(folder=self.folder, path=path, uri=uri, id=name, pieces=difference(before, now))
