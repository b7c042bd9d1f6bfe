"""What is wrong with a file by itself, told before its folder is read. Invariant: the folder's snapshot says it too.

A rule takes part where its check reads nothing of other files: what it may read is listed in `_OwnFacts`, and a check
that reaches for more is left to the evaluation of the whole folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, Literal, NoReturn

from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.retrieval.label_file import LabelFile
from evidencedesk.retrieval.run_file import RunFile
from evidencedesk.rule import Problem, Rule, Violation
from evidencedesk.rules import RULES
from evidencedesk.workspace.config import Config, parse_config
from evidencedesk.workspace.files import Source, find_config
from evidencedesk.workspace.pipeline import read_labels, read_runs
from evidencedesk.workspace.reading import read_document
from evidencedesk.workspace.shown import in_order, targets_of

Kind = Literal["document", "labels", "runs"]


def problems_alone(source: Source, kind: Kind, config: Config, today: date) -> tuple[Problem, ...]:
    """The problems of a file that need no other file, without their fixes; ordered by place and code."""
    file: ChunkedDocument | LabelFile | RunFile
    if kind == "document":
        file = read_document(source, config)
    else:
        file = read_labels(source) if kind == "labels" else read_runs(source)
    targets = list(targets_of(file))
    selection = config.selection()
    facts = _OwnFacts(config, today)
    problems = [
        problem
        for rule in RULES
        if selection.takes(rule.code) and type(file) in rule.subjects
        for violation in _violations(rule, file, facts)
        if violation.path == source.path
        for problem in [rule.problem(violation, source.text, (), selection.severity_of(rule.code))]
        if not any(target.hides(problem, violation.subject) for target in targets)
    ]
    return in_order(problems)


def config_of(root: Path, defaults: Config) -> Config:
    """The settings of a folder, as far as they are valid; `defaults` where no file configures it."""
    source = find_config(root)
    return defaults if source is None else parse_config(source.path, source.text)[0]


class _OwnFacts:
    """The facts that do not depend on which files there are."""

    def __init__(self, config: Config, today: date) -> None:
        self.contract = config.contract()
        self.chunking = config.chunking_text()
        self.word_limit = config.retrieval.word_limit
        self.chunk_size = config.chunk_size()
        self.rule_codes = frozenset(rule.code for rule in RULES)
        self.today = today

    def __getattr__(self, name: str) -> NoReturn:
        raise _ReachesFurther(name)


class _ReachesFurther(Exception):
    """A check asked for a fact about other files."""


def _violations(rule: Rule, file: object, facts: Any) -> Iterator[Violation]:
    """What a rule finds in a file; nothing when it needs to know of others."""
    try:
        yield from [told for told in rule.check(file, facts) if isinstance(told, Violation)]
    except _ReachesFurther:
        return
