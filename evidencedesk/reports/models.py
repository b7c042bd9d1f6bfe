"""What the JSON reports hold. Invariant: `schema_version` grows when a field changes its meaning or goes away.

Fields may be added without a new version. Lines and columns count from 1, columns and offsets in code points (Unicode
characters, not bytes or UTF-16 units); an `end` is the first place after. Paths are relative to `root`, with `/`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class PositionModel(_Model):
    """A place between two characters."""

    line: int
    """From 1."""
    column: int
    """From 1, in code points."""
    offset: int
    """Code points from the start of the file's text (a byte order mark is not part of it)."""


class RangeModel(_Model):
    """Characters from `start` up to but not including `end`."""

    start: PositionModel
    end: PositionModel


class RelatedModel(_Model):
    """Another place that belongs to a problem."""

    path: str
    range: RangeModel
    message: str


class EditModel(_Model):
    """Replace a range of a file by a text."""

    path: str
    range: RangeModel
    text: str


class FixModel(_Model):
    """A repair; its edits belong together."""

    title: str
    safe: bool
    """Whether it may be applied without asking."""
    edits: tuple[EditModel, ...]


class ProblemModel(_Model):
    """What a rule reports at one place."""

    code: str
    rule: str
    severity: Literal["error", "warning", "information", "hint"]
    path: str
    range: RangeModel
    message: str
    fingerprint: str
    """Stays the same when other lines of the file change."""
    related: tuple[RelatedModel, ...]
    fixes: tuple[FixModel, ...]


class SummaryModel(_Model):
    """Totals of the run."""

    problems: int
    """All problems, those beyond the number listed per rule and file included."""
    files_with_problems: int
    by_severity: dict[str, int]
    documents: int
    chunks: int
    questions: int
    answerable: int
    answered: int
    """Answerable questions whose answer stands at rank 1 to `answered_at`."""
    answered_at: int


class ShareModel(_Model):
    """A name (a reason, a path, a tag) and its number of cases."""

    name: str
    count: int


class CauseModel(_Model):
    """One thing that goes wrong in many places."""

    name: str
    sentence: str
    count: int
    total: int
    unit: str
    reasons: tuple[ShareModel, ...]
    files: tuple[ShareModel, ...]


class RuleCountModel(_Model):
    """Problems of one rule."""

    code: str
    rule: str
    count: int


class StatisticsModel(_Model):
    """The causes above single problems."""

    causes: tuple[CauseModel, ...]
    rules: tuple[RuleCountModel, ...]
    files: tuple[ShareModel, ...]


class GateModel(_Model):
    """A grade that the chunks must reach to enter the prompt."""

    grader: str
    accept: float


class ContractModel(_Model):
    """The settings that give every figure its meaning."""

    searcher: str
    chunking: str
    k: int
    depth: int
    floor: float | None
    rrf_k: int
    mmr_lambda: float | None
    gate: GateModel | None
    analysis: str
    """Which languages are analysed how, in words; "" for none."""
    statuses: tuple[str, ...]
    audiences: tuple[str, ...]
    langs: tuple[str, ...] | None
    """None: any language."""


class CheckReport(_Model):
    """What `evidencedesk check --format json` prints."""

    schema_version: Literal[1]
    kind: Literal["check"]
    root: str
    summary: SummaryModel
    contract: ContractModel
    problems: tuple[ProblemModel, ...]
    statistics: StatisticsModel | None
    """Only with `--statistics`."""


class HitsModel(_Model):
    """Hits of one searcher among the answerable questions with one tag ("" for all)."""

    tag: str
    searcher: str
    questions: int
    hits: dict[str, int]
    """Questions with their answer at rank ≤ k, by k."""


class FindingCountModel(_Model):
    """Questions that failed at one stage in one way."""

    stage: str
    label: str
    count: int


class AbstentionModel(_Model):
    """Prompts left empty."""

    unanswerable: int
    right: int
    wrong: int
    precision: float | None
    recall: float | None


class DiversityModel(_Model):
    """Means at the contract's k: how alike a searcher's chunks are, and how much of the evidence they hold."""

    searcher: str
    redundancy: float | None
    distinct_evidence_recall: float | None


class EvalReport(_Model):
    """What `evidencedesk eval --format json` prints."""

    schema_version: Literal[1]
    kind: Literal["eval"]
    root: str
    contract: ContractModel
    questions: int
    answerable: int
    failed: int
    """Questions with a finding other than retrieval/irrelevant_match (an answer outranked, yet retrieved)."""
    hits: tuple[HitsModel, ...]
    findings: tuple[FindingCountModel, ...]
    abstention: AbstentionModel
    diversity: tuple[DiversityModel, ...]
