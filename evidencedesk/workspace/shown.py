"""Which problems of a file are shown. Invariant: suppression and the cap are applied here and nowhere else."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.retrieval.label_file import LabelFile
from evidencedesk.retrieval.run_file import RunFile
from evidencedesk.rule import Problem
from evidencedesk.text.spans import Span

MAX_PER_FILE = 20
"""Problems of one rule shown in one file; one more line counts the rest."""

Found = tuple[Problem, str]
"""A problem and the subject of its violation."""


@dataclass(frozen=True, slots=True)
class Target:
    """One suppressed code: where it is written, what it covers (a span, or everything about one label)."""

    path: str
    code: str
    span: Span
    whole: Span
    covers: Span
    label: str | None = None

    def hides(self, problem: Problem, subject: str) -> bool:
        """Whether a problem with this subject is suppressed."""
        if self.code not in ("", problem.code):
            return False
        if self.label is not None and subject == self.label:
            return True
        return problem.path == self.path and self.covers.overlaps(problem.span)


def targets_of(file: ChunkedDocument | LabelFile | RunFile) -> Iterator[Target]:
    """The suppressions that a file holds."""
    if isinstance(file, ChunkedDocument):
        for suppression in file.document.suppressions:
            for code, span in suppression.codes or (("", suppression.span),):
                yield Target(file.document.path, code, span, suppression.span, suppression.target)
    elif isinstance(file, LabelFile):
        for entry in file.entries:
            for place, code in enumerate(entry.label.ignore):
                span = entry.place(f"ignore[{place}]")
                yield Target(file.path, code, span, entry.place("ignore"), entry.span, entry.label.id)


def by_label_of(targets: Mapping[str, Sequence[Target]]) -> Mapping[str, Sequence[Target]]:
    """The suppressions that cover a label, by its id."""
    found: dict[str, list[Target]] = defaultdict(list)
    for target in chain.from_iterable(targets.values()):
        if target.label is not None:
            found[target.label].append(target)
    return found


@dataclass(frozen=True, slots=True)
class Sifted:
    """The problems of one file that are not suppressed, the suppressions that hide the others, and all subjects."""

    visible: tuple[Problem, ...] = ()
    hiding: frozenset[Target] = frozenset()
    subjects: frozenset[str] = frozenset()


def sift(found: Iterable[Found], here: Sequence[Target], by_label: Mapping[str, Sequence[Target]]) -> Sifted:
    """Of the problems found in one file, those to show; `here` are the suppressions written in it."""
    visible: list[Problem] = []
    hiding: set[Target] = set()
    subjects: set[str] = set()
    for problem, subject in found:
        subjects.add(subject)
        targets = [target for target in (*here, *by_label.get(subject, ())) if target.hides(problem, subject)]
        hiding.update(targets)
        if not targets:
            visible.append(problem)
    return Sifted(tuple(visible), frozenset(hiding), frozenset(subjects))


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Problems as they are shown: by path, place and code, those beyond the cap counted."""
    return tuple(sorted(_cap(sorted(problems, key=_place)), key=_place))


def _place(problem: Problem) -> tuple[str, Span, str, str]:
    return problem.path, problem.span, problem.code, problem.message


def _cap(problems: Iterable[Problem]) -> Iterator[Problem]:
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
