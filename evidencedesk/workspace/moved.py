"""What was told of labels that only moved in their file. Invariant: what is carried over would be told afresh.

An edit in a label file moves every label behind it. A rule sees of a label's place nothing but spans, and passes them
on into what it tells. So where nothing that an answer read is another now but labels that one edit moved, and the text
that they stand in, the new answer is the old one with its spans moved by the same edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

from evidencedesk.retrieval.evaluation import Evaluations
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.label_file import LabelSource
from evidencedesk.retrieval.places import Place
from evidencedesk.rule import Fix, Problem, Related, Share, Violation
from evidencedesk.text.difference import difference
from evidencedesk.text.spans import Span
from evidencedesk.workspace.reads import Path
from evidencedesk.workspace.shown import Found


@dataclass(frozen=True, slots=True)
class Told:
    """What a rule told of one subject or group, and what it read for that."""

    reads: frozenset[Path] = frozenset()
    problems: tuple[Found, ...] = ()
    shares: tuple[Share, ...] = ()


class _LostError(Exception):
    """A place was edited, or cannot be told to be one."""


class Moves:
    """The labels that moved between two states; `paths` are those of `changed` that lead to nothing else than that."""

    def __init__(
        self,
        before: Facts,
        now: Facts,
        texts_before: Mapping[str, str],
        texts: Mapping[str, str],
        changed: AbstractSet[Path],
    ) -> None:
        self._edits = {
            path: difference(texts_before[path], texts[path])
            for path in now.label_files
            if ("texts", path) in changed and path in before.label_files
        }
        self.paths: set[Path] = {("texts", path) for path in self._edits}
        if self._edits and isinstance(before.evaluations, Evaluations) and isinstance(now.evaluations, Evaluations):
            old, new = before.evaluations.sources, now.evaluations.sources
            sources = [path for path in changed if path[0] == "evaluations" and path[-1] == "source"]
            self.paths.update(path for path in sources if self._only_moved(old[str(path[1])], new[str(path[1])]))

    def carried(self, told: Told) -> Told | None:
        """What was told, told of the labels where they are now; None when it may have been about their text."""
        try:
            problems = tuple([(self._problem(problem), subject) for problem, subject in told.problems])
            shares = tuple([replace(share, value=self._value(share.value)) for share in told.shares])
            if any(self._value(share.key) != share.key for share in told.shares):
                return None
        except _LostError:
            return None
        return Told(told.reads, problems, shares)

    def _only_moved(self, old: LabelSource, new: LabelSource) -> bool:
        edit = self._edits.get(old.path)
        return edit is not None and edit.moved(old.span) == new.span and old.moved(new.span) == new

    def _span(self, path: str, span: Span) -> Span:
        moved = self._edits[path].moved(span) if path in self._edits else span
        if moved is None:
            raise _LostError
        return moved

    def _problem(self, problem: Problem) -> Problem:
        self._value(tuple(problem.values.values()))
        return replace(
            problem,
            span=self._span(problem.path, problem.span),
            related=self._value(problem.related),
            fixes=tuple([self._fix(fix) for fix in problem.fixes]),
        )

    def _fix(self, fix: Fix) -> Fix:
        if self._edits.keys().isdisjoint(fix.edits):
            return fix
        edits = {
            path: tuple([replace(edit, span=self._span(path, edit.span)) for edit in edits])
            for path, edits in fix.edits.items()
        }
        return replace(fix, edits=edits)

    def _value(self, value: Any) -> Any:
        """A value with the places in it moved. Raises _LostError for a span of which nobody says where it is."""
        if isinstance(value, Span):
            raise _LostError
        if isinstance(value, Place):
            return Place(value.path, self._span(value.path, value.span))
        if isinstance(value, Related):
            return replace(value, span=self._span(value.path, value.span)) if value.path in self._edits else value
        if isinstance(value, Violation):
            self._value(tuple(value.values.values()))
            return replace(value, span=self._span(value.path, value.span), related=self._value(value.related))
        return tuple(map(self._value, value)) if type(value) is tuple else value
