"""Snapshot → JSON reports. Invariant: UTF-8, never coloured, and the same bytes for the same input."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from evidencedesk.reports.figures import figures
from evidencedesk.reports.models import (
    AbstentionModel,
    CauseModel,
    CheckReport,
    ContractModel,
    DiversityModel,
    EditModel,
    EvalReport,
    FindingCountModel,
    FixModel,
    GateModel,
    HitsModel,
    PositionModel,
    ProblemModel,
    RangeModel,
    RelatedModel,
    RuleCountModel,
    ShareModel,
    StatisticsModel,
    SummaryModel,
)
from evidencedesk.reports.statistics import Statistics
from evidencedesk.reports.summary import Summary, summarize
from evidencedesk.retrieval.evaluation import Contract
from evidencedesk.rule import Problem
from evidencedesk.text.spans import LineIndex, Span
from evidencedesk.workspace.snapshot import Snapshot


def check_report(
    snapshot: Snapshot, problems: Sequence[Problem], root: str, statistics: Statistics | None = None
) -> bytes:
    """The check report as UTF-8 JSON; `problems` are those of the snapshot that are to be reported."""
    ranges = _Ranges(snapshot.texts)
    return _encode(
        CheckReport(
            schema_version=1,
            kind="check",
            root=root,
            summary=_summary(summarize(snapshot, problems)),
            contract=_contract(snapshot.facts.contract, snapshot.facts.chunking),
            problems=tuple(_problem(problem, ranges) for problem in problems),
            statistics=_statistics(statistics) if statistics else None,
        )
    )


def eval_report(snapshot: Snapshot, root: str) -> bytes:
    """The evaluation report as UTF-8 JSON."""
    found = figures(snapshot.evaluations.values(), snapshot.facts.contract, snapshot.facts.chunking)
    return _encode(
        EvalReport(
            schema_version=1,
            kind="eval",
            root=root,
            contract=_contract(found.contract, found.chunking),
            questions=found.answerable + found.abstention.unanswerable,
            answerable=found.answerable,
            failed=found.failed,
            hits=tuple(
                HitsModel(
                    tag=row.tag,
                    searcher=searcher,
                    questions=row.questions,
                    hits={str(k): count for k, count in zip(found.cutoffs, row.at[searcher], strict=True)},
                )
                for row in found.hits
                for searcher in found.searchers
            ),
            findings=tuple(
                FindingCountModel(stage=stage, label=label, count=count)
                for (stage, label), count in sorted(found.findings.items())
            ),
            abstention=AbstentionModel(
                unanswerable=found.abstention.unanswerable,
                right=found.abstention.right,
                wrong=found.abstention.wrong,
                precision=found.abstention.precision,
                recall=found.abstention.recall,
            ),
            diversity=tuple(
                DiversityModel(searcher=searcher, redundancy=one.redundancy, distinct_evidence_recall=one.evidence)
                for searcher, one in found.diversity.items()
            ),
        )
    )


class _Ranges:
    """Spans → ranges, with one line index per file."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._lines: dict[str, LineIndex] = {}

    def of(self, path: str, span: Span) -> RangeModel:
        lines = self._lines.get(path)
        if lines is None:
            lines = self._lines[path] = LineIndex(self._texts.get(path, ""))
        return RangeModel(start=self._position(lines, span.start), end=self._position(lines, span.end))

    def _position(self, lines: LineIndex, offset: int) -> PositionModel:
        place = lines.position(offset)
        return PositionModel(line=place.line + 1, column=place.column + 1, offset=offset)


def _encode(model: BaseModel) -> bytes:
    # A lone surrogate, which a label file can hold as an escape, goes out as the escape it came in as.
    return (json.dumps(model.model_dump(), ensure_ascii=False, indent=2) + "\n").encode("utf-8", "backslashreplace")


def _problem(problem: Problem, ranges: _Ranges) -> ProblemModel:
    return ProblemModel(
        code=problem.code,
        rule=problem.name,
        severity=problem.severity.value,
        path=problem.path,
        range=ranges.of(problem.path, problem.span),
        message=problem.message,
        fingerprint=problem.fingerprint,
        related=tuple(
            RelatedModel(path=place.path, range=ranges.of(place.path, place.span), message=place.message)
            for place in problem.related
        ),
        fixes=tuple(
            FixModel(
                title=fix.title,
                safe=fix.safe,
                edits=tuple(
                    EditModel(path=path, range=ranges.of(path, edit.span), text=edit.text)
                    for path, edits in sorted(fix.edits.items())
                    for edit in edits
                ),
            )
            for fix in problem.fixes
        ),
    )


def _summary(summary: Summary) -> SummaryModel:
    return SummaryModel(
        problems=summary.problems,
        files_with_problems=summary.files,
        by_severity={severity.value: count for severity, count in summary.by_severity},
        documents=summary.documents,
        chunks=summary.chunks,
        questions=summary.questions,
        answerable=summary.answerable,
        answered=summary.answered,
        answered_at=summary.answered_at,
    )


def _contract(contract: Contract, chunking: str) -> ContractModel:
    scope = contract.scope
    return ContractModel(
        searcher=contract.searcher,
        chunking=chunking,
        k=contract.k,
        depth=contract.depth,
        floor=contract.floor,
        rrf_k=contract.rrf_k,
        mmr_lambda=contract.mmr_lambda,
        gate=GateModel(grader=contract.gate.grader, accept=contract.gate.accept) if contract.gate else None,
        analysis=contract.analysis,
        statuses=tuple(sorted(scope.statuses)),
        audiences=tuple(sorted(scope.audiences)),
        langs=None if scope.langs is None else tuple(sorted(scope.langs)),
    )


def _statistics(statistics: Statistics) -> StatisticsModel:
    return StatisticsModel(
        causes=tuple(
            CauseModel(
                name=cause.name,
                sentence=cause.sentence,
                count=len(cause.cases),
                total=cause.total,
                unit=cause.unit,
                reasons=_shares(cause.reasons),
                files=_shares(cause.files),
            )
            for cause in statistics.causes
        ),
        rules=tuple(RuleCountModel(code=rule.code, rule=rule.name, count=rule.count) for rule in statistics.rules),
        files=_shares(statistics.files),
    )


def _shares(pairs: Sequence[tuple[str, int]]) -> tuple[ShareModel, ...]:
    return tuple(ShareModel(name=name, count=count) for name, count in pairs)
