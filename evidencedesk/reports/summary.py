"""The totals of one run and their one line. Invariant: a problem that a cap hides still counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evidencedesk.rule import Problem, Severity
from evidencedesk.workspace.snapshot import Snapshot

ANSWERED_AT = 3
"""The ranks that the summary calls answered, unless fewer chunks are retrieved."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Totals. `files` are those with problems; `by_severity` holds only severities that occur, the worst first;
    `answered` of `answerable` questions find their whole answer at rank 1 to `answered_at`."""

    problems: int
    files: int
    by_severity: tuple[tuple[Severity, int], ...]
    documents: int
    chunks: int
    questions: int
    answerable: int
    answered: int
    answered_at: int

    def sentence(self, where: str = "") -> str:
        """Such as "12 problems in 4 files (3 errors, 9 warnings); 14 documents, 52 chunks, 24 questions: …".

        `where` names the part of the workspace that the problems are of; all other totals are of the whole.
        """
        found = f"No problems in {where}" if where else "No problems"
        if self.problems:
            kinds = ", ".join(_severities(severity, count) for severity, count in self.by_severity)
            found = f"{number(self.problems, 'problem')} in {number(self.files, 'file')} ({kinds})"
        base = f"{number(self.documents, 'document')}, {number(self.chunks, 'chunk')}"
        if not self.questions:
            return f"{found}; {base}, no questions"
        ranks = "rank 1" if self.answered_at == 1 else f"rank 1–{self.answered_at}"
        answered = f"{self.answered:,} of {self.answerable:,} answered at {ranks}"
        return f"{found}; {base}, {number(self.questions, 'question')}: {answered}"


def summarize(snapshot: Snapshot, problems: Sequence[Problem]) -> Summary:
    """Totals of a snapshot, with `problems` being those of its problems that are reported."""
    severities: Counter[Severity] = Counter()
    for problem in problems:
        severities.update(_by_severity(problem))
    evaluations = snapshot.evaluations.values()
    answerable = [evaluation for evaluation in evaluations if evaluation.label.answerable]
    answered_at = min(ANSWERED_AT, snapshot.facts.contract.k)
    return Summary(
        problems=severities.total(),
        files=len({problem.path for problem in problems}),
        by_severity=tuple((severity, severities[severity]) for severity in Severity if severities[severity]),
        documents=len(snapshot.documents),
        chunks=len(snapshot.chunks),
        questions=len(evaluations),
        answerable=len(answerable),
        answered=sum((evaluation.standing.rank or answered_at + 1) <= answered_at for evaluation in answerable),
        answered_at=answered_at,
    )


def weight(problem: Problem) -> int:
    """For how many problems this one stands: the line that counts the rest of a rule in a file stands for them all."""
    if problem.fingerprint.startswith(f"{problem.code}-more-"):
        return int(problem.values["more"])
    return 1


def _by_severity(problem: Problem) -> Mapping[Severity, int]:
    """`weight`, told apart by severity."""
    counts = problem.values.get("by_severity", {problem.severity.value: weight(problem)})
    return {Severity(name): count for name, count in counts.items()}


def number(count: int, noun: str) -> str:
    """Such as "1 file" and "1,200 files"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _severities(severity: Severity, count: int) -> str:
    if severity is Severity.INFORMATION:
        return f"{count:,} information"
    return number(count, severity.value)
