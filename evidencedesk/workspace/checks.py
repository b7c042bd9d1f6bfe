"""Facts → Problems. Invariant: selection, severity, suppression and the cap are applied here and nowhere else."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import ChunkedDocument, Facts, UnusedSuppression
from evidencedesk.retrieval.label_file import LabelFile
from evidencedesk.retrieval.run_file import RunFile
from evidencedesk.rule import Problem, Severity, Violation
from evidencedesk.rules import RULES
from evidencedesk.text.spans import Span

MAX_PER_FILE = 20
"""Problems of one rule shown in one file; one more line counts the rest."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which rules run and how severe their problems are: codes or prefixes of codes; `ignore` wins over `select`."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] | None = None

    def takes(self, code: str) -> bool:
        """Whether a rule runs; with nothing selected, all do."""
        return not code.startswith(self.ignore) and (not self.select or code.startswith(self.select))

    def severity_of(self, code: str) -> Severity | None:
        """The user's own severity for a code: the longest prefix given."""
        given = self.severity or {}
        prefixes = [prefix for prefix in given if code.startswith(prefix)]
        return given[max(prefixes, key=len)] if prefixes else None


@dataclass(frozen=True, slots=True)
class _Target:
    """One suppressed code: where it is written, what it covers (a span, or everything about one label)."""

    path: str
    code: str
    span: Span
    whole: Span
    covers: Span
    label: str | None = None

    def hides(self, problem: Problem, subject: str) -> bool:
        if self.code not in ("", problem.code):
            return False
        if self.label is not None and subject == self.label:
            return True
        return problem.path == self.path and self.covers.overlaps(problem.span)


def check(facts: Facts, texts: Mapping[str, str], selection: Selection) -> tuple[Problem, ...]:
    """All problems, ordered by path, place and code."""
    targets = list(_targets(facts))
    hidden: set[_Target] = set()
    by_path: dict[str, list[_Target]] = defaultdict(list)
    by_label: dict[str, list[_Target]] = defaultdict(list)
    for target in targets:
        by_path[target.path].append(target)
        if target.label is not None:
            by_label[target.label].append(target)

    problems: list[Problem] = []
    for problem, violation in _run(facts, texts, selection, _subjects(facts)):
        hiding = [
            target
            for target in (*by_path[problem.path], *by_label.get(violation.subject, ()))
            if target.hides(problem, violation.subject)
        ]
        hidden.update(hiding)
        if not hiding:
            problems.append(problem)
    unused = [
        UnusedSuppression(target.path, target.code, target.span, target.whole)
        for target in targets
        if target.code in facts.rule_codes and selection.takes(target.code) and target not in hidden
    ]
    problems += (problem for problem, _ in _run(facts, texts, selection, {UnusedSuppression: unused}))
    problems.sort(key=place_of)
    return tuple(sorted(cap(problems), key=place_of))


def _subjects(facts: Facts) -> Mapping[type, Iterable[Any]]:
    return {
        ChunkedDocument: facts.documents.values(),
        LabelFile: facts.label_files.values(),
        RunFile: facts.run_files.values(),
        Evaluation: facts.evaluations.values(),
        Facts: (facts,),
    }


def _run(
    facts: Facts, texts: Mapping[str, str], selection: Selection, subjects: Mapping[type, Iterable[Any]]
) -> Iterator[tuple[Problem, Violation]]:
    for rule in RULES:
        if not selection.takes(rule.code):
            continue
        severity = selection.severity_of(rule.code)
        for subject in subjects.get(rule.subject, ()):
            for violation in rule.check(subject, facts):
                fixes = tuple(rule.fix(subject, facts, violation)) if rule.fix else ()
                yield rule.problem(violation, texts.get(violation.path, ""), fixes, severity), violation


def _targets(facts: Facts) -> Iterator[_Target]:
    for file in (*facts.documents.values(), *facts.label_files.values()):
        yield from targets_of(file)


def targets_of(file: ChunkedDocument | LabelFile | RunFile) -> Iterator[_Target]:
    """The suppressions that a file holds."""
    if isinstance(file, ChunkedDocument):
        for suppression in file.document.suppressions:
            for code, span in suppression.codes or (("", suppression.span),):
                yield _Target(file.document.path, code, span, suppression.span, suppression.target)
    elif isinstance(file, LabelFile):
        for entry in file.entries:
            for place, code in enumerate(entry.label.ignore):
                span = entry.place(f"ignore[{place}]")
                yield _Target(file.path, code, span, entry.place("ignore"), entry.span, entry.label.id)


def place_of(problem: Problem) -> tuple[str, Span, str, str]:
    """Where a problem stands in the order of all."""
    return problem.path, problem.span, problem.code, problem.message


def cap(problems: Iterable[Problem]) -> Iterator[Problem]:
    """Of each rule in each file the first problems, the severe before the slight, and one line that counts the rest."""
    alike: dict[tuple[str, str], list[Problem]] = defaultdict(list)
    for problem in problems:
        alike[problem.path, problem.code].append(problem)
    for group in alike.values():
        group.sort(key=lambda problem: problem.severity.rank)
        yield from group[:MAX_PER_FILE]
        if rest := group[MAX_PER_FILE:]:
            more = f"{len(rest)} more {'problem' if len(rest) == 1 else 'problems'}"
            yield replace(
                rest[0],
                message=f"{more} of {rest[0].name} in this file; {MAX_PER_FILE} are shown",
                related=(),
                fixes=(),
                fingerprint=f"{rest[0].code}-more-{len(rest)}-{rest[0].path}",
                values={"more": len(rest), "by_severity": Counter(problem.severity.value for problem in rest)},
            )
