"""What a rule is: one decorated function in one file. Invariant: every other fact about a rule is derived from it."""

from __future__ import annotations

import hashlib
import inspect
import json
import typing
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import (
    ChunkedDocument,
    EqualChunks,
    EqualPages,
    Facts,
    SimilarChunks,
    UnfindablePage,
    UnusedSuppression,
)
from evidencedesk.retrieval.label_file import LabelFile
from evidencedesk.retrieval.places import question_of
from evidencedesk.retrieval.run_file import RunFile, RunLine
from evidencedesk.retrieval.taxonomy import LABELS, STAGES
from evidencedesk.text.spans import Span, TextEdit


class Severity(Enum):
    """How bad a problem is; the values are what the configuration and the command line accept."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return _RANKS[self]


class Tag(Enum):
    """What editors make of a problem's text besides underlining it: fade it, or strike it through."""

    UNNECESSARY = "unnecessary"
    DEPRECATED = "deprecated"


_RANKS = {severity: rank for rank, severity in enumerate(Severity)}


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that belongs to a problem, and what is there."""

    path: str
    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A repair offered by name. `edits` maps paths to edits of those files.

    A `safe` fix changes no meaning and may be applied without asking; nothing that deletes prose is safe.
    """

    title: str
    edits: Mapping[str, tuple[TextEdit, ...]]
    safe: bool = False


def asked_by(evaluations: Sequence[Evaluation]) -> tuple[Related, ...]:
    """The questions that a problem on a page is about, as places: the first five."""
    return tuple(Related(*question_of(one), f"asked by {one.label.id}") for one in evaluations[:5])


def value_fix(title: str, path: str, span: Span, value: object, *, safe: bool = False) -> Fix:
    """A fix that writes `value` in place of the JSON value at `span` and touches nothing else of the file."""
    return Fix(title, {path: (TextEdit(span, json.dumps(value, ensure_ascii=False)),)}, safe)


@dataclass(frozen=True, slots=True)
class Violation:
    """What a check found at one place. `values` fill the rule's message template.

    `subject` names what is at fault, whatever the line it stands on (a label id, a document id, a heading): with the
    rule's code and the text at the place it makes the fingerprint. `severity` overrides the rule's default; `message`
    picks one of the rule's other templates by name.
    """

    path: str
    span: Span
    values: Mapping[str, Any] = field(default_factory=dict)
    subject: str = ""
    related: tuple[Related, ...] = ()
    severity: Severity | None = None
    message: str = ""


def recorded(
    file: RunFile, line: RunLine, key: str, facts: Facts, values: Mapping[str, Any], here: str
) -> Iterator[Violation]:
    """What is wrong with a recorded run, at the value of `key` and, with the template "label", at the question.

    `here` says what stands at `key`.
    """
    span, evaluation = line.place(key, "answer", "test_id"), facts.evaluations.get(line.test_id)
    asked = asked_by([evaluation]) if evaluation else ()
    yield Violation(file.path, span, values, line.test_id, asked)
    if evaluation:
        there = (Related(file.path, span, here),)
        yield Violation(*question_of(evaluation), values, line.test_id, there, message="label")


@dataclass(frozen=True, slots=True)
class Problem:
    """A violation with its rule, as reported. Key: `fingerprint` (content, never line numbers)."""

    code: str
    name: str
    severity: Severity
    path: str
    span: Span
    message: str
    related: tuple[Related, ...]
    fixes: tuple[Fix, ...]
    fingerprint: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Share:
    """What a check leaves to be told together with what others left under the same key.

    Keys and values are plain: what is known of the subject is asked of it when all is told.
    """

    key: Hashable
    value: Any = None


Subject = (
    ChunkedDocument
    | LabelFile
    | RunFile
    | Evaluation
    | EqualChunks
    | EqualPages
    | SimilarChunks
    | UnfindablePage
    | Facts
    | UnusedSuppression
)
Check = Callable[[Any, Facts], Iterable[Violation | Share]]
Join = Callable[[Any, Sequence[tuple[Any, Any]], Facts], Iterable[Violation]]
Fixer = Callable[[Any, Facts, Violation], Iterable[Fix]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A check and its declaration.

    The check takes one subject (of the types in the annotation of its first parameter: a document, a label file, a run
    file, an evaluation, a group of twins …, or all facts at once) and the facts, and yields violations. What concerns
    several subjects at once, such as all questions that a page answers, it yields as shares; `join` makes violations of
    a key and the `(subject, value)` pairs shared under it, which are in the order of their subjects. So a change
    is checked again only where it matters: a check should look at its subject, and look up in the facts what it needs.
    """

    code: str
    name: str
    stage: str
    failure: str
    severity: Severity
    message: str
    messages: Mapping[str, str]
    check: Check
    subjects: tuple[type, ...]
    join: Join | None
    fix: Fixer | None
    tags: tuple[Tag, ...] = ()

    @property
    def docs(self) -> str:
        """The rule's page in Markdown: what it does, why it is bad, an example, how to fix it."""
        return inspect.cleandoc(self.check.__doc__ or "")

    @property
    def summary(self) -> str:
        """The first sentence of the docs."""
        return self.docs.split("\n\n", 1)[0].replace("\n", " ")

    def problem(
        self, violation: Violation, text: str, fixes: Sequence[Fix] = (), severity: Severity | None = None
    ) -> Problem:
        """The problem for a violation in a file with this text; `severity` is the user's own choice and wins."""
        template = self.messages[violation.message] if violation.message else self.message
        content = " ".join(violation.span.of(text).split())
        key = "\0".join((self.code, violation.path, violation.subject, violation.message, content))
        return Problem(
            code=self.code,
            name=self.name,
            severity=severity or violation.severity or self.severity,
            path=violation.path,
            span=violation.span,
            message=template.format_map(violation.values),
            related=violation.related,
            fixes=tuple(fixes),
            fingerprint=hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16],
            values=violation.values,
        )


def rule(
    *,
    code: str,
    stage: str,
    failure: str,
    severity: Severity,
    message: str,
    messages: Mapping[str, str] | None = None,
    join: Join | None = None,
    fix: Fixer | None = None,
    tags: tuple[Tag, ...] = (),
) -> Callable[[Check], Rule]:
    """Make a Rule of a check function; the function's name, with hyphens, is the rule's name.

    `stage` is one of the taxonomy's STAGES or "content" or "control"; `failure` one of its LABELS or "" for faults
    outside retrieval. `messages` are further templates that a violation may pick by name. `fix` is asked about a joined
    violation with the first of its subjects.
    """
    if stage not in (*STAGES, "content", "control"):
        raise ValueError(f"{code}: unknown stage {stage!r}")
    if failure and failure not in LABELS:
        raise ValueError(f"{code}: unknown failure label {failure!r}")

    def decorate(check: Check) -> Rule:
        name = check.__name__.replace("_", "-")
        hint = next(iter(typing.get_type_hints(check).values()))
        subjects = typing.get_args(hint) or (hint,)
        return Rule(
            code, name, stage, failure, severity, message, dict(messages or {}), check, subjects, join, fix, tags
        )

    return decorate
