"""What evaluating one question gives: where its gold stands, who ranked where, and what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import is_

from evidencedesk.documents.document import Document, Section
from evidencedesk.retrieval.candidates import RankedList
from evidencedesk.retrieval.catalog import Scope
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.corrective import CorrectionResult
from evidencedesk.retrieval.label_file import LabelSource
from evidencedesk.retrieval.labels import Gold, Label
from evidencedesk.retrieval.taxonomy import Finding, Trace
from evidencedesk.text.normal import Match


@dataclass(frozen=True, slots=True)
class Gate:
    """A check before the prompt: it stays empty when the `grader` gives what was to enter less than `accept`.

    The grader `coverage` gives the greatest share of the question that one of the chunks speaks about, 0 to 1.
    """

    grader: str
    accept: float

    def admits(self, grade: float) -> bool:
        """Whether the gate opens for a grade."""
        return grade >= self.accept

    def verdict(self, grade: float) -> str:
        """Grade and bar in words."""
        return f"{self.grader} {grade:.2f} is {'not ' if self.admits(grade) else ''}below {self.accept:g}"


@dataclass(frozen=True, slots=True)
class Correction:
    """How the searcher `corrective` corrects `searcher`: `grader`, its two bars, and how many rounds it may take."""

    searcher: str = "hybrid"
    grader: str = "coverage"
    accept: float = 0.5
    reject: float = 0.2
    max_rounds: int = 2

    def settings_text(self) -> str:
        """The settings in words."""
        return (
            f"{self.searcher} in up to {self.max_rounds} rounds, graded by {self.grader} (accepted from {self.accept}, "
            f"rejected below {self.reject})"
        )


@dataclass(frozen=True, slots=True)
class Contract:
    """What a figure means: the settings under which every ranking of a snapshot was made.

    `searcher` is the configured one (`sparse`, `dense`, `hybrid`, `lexical`, `corrective` as `correction` says); `k`
    chunks are retrieved and those with `score >= floor` enter the prompt (all when `floor` is None), if the `gate`
    admits them; each leg of a fusion is asked for `max(k, depth)`. `mmr_lambda` is the weight of relevance against
    repetition by which the configured ranking is diversified (None: it is not). `analysis` says, in words, which
    languages are analysed how.
    """

    searcher: str = "hybrid"
    k: int = 5
    depth: int = 20
    floor: float | None = None
    rrf_k: int = 60
    scope: Scope = field(default_factory=Scope)
    mmr_lambda: float | None = None
    gate: Gate | None = None
    analysis: str = ""
    correction: Correction = field(default_factory=Correction)

    def settings_text(self, chunking: str) -> str:
        """The settings in words, with the chunking they were used over."""
        floor = "no floor" if self.floor is None else f"floor {self.floor}"
        langs = "any" if self.scope.langs is None else _listed(self.scope.langs)
        steps = f", diversified with lambda {self.mmr_lambda}" if self.mmr_lambda is not None else ""
        steps += f", prompt gated by {self.gate.grader} >= {self.gate.accept}" if self.gate else ""
        analysis = f"; analysis: {self.analysis}" if self.analysis else ""
        corrected = f" ({self.correction.settings_text()})" if self.searcher == "corrective" else ""
        return (
            f"{self.searcher}{corrected} over {chunking}, k = {self.k}, {floor}, "
            f"each leg asked for {max(self.k, self.depth)}, RRF constant {self.rrf_k}{steps}{analysis}; "
            f"scope: status {_listed(self.scope.statuses)}, audience {_listed(self.scope.audiences)}, language {langs}"
        )


def _listed(names: frozenset[str]) -> str:
    return ", ".join(sorted(names)) or "none"


@dataclass(frozen=True, slots=True)
class GoldPlace:
    """Where one gold entry of a label stands in the knowledge base.

    `document` is None when no document has the id; `sections` are those the heading may mean (none: unknown, several:
    ambiguous); `matches` are all occurrences of the evidence in the document, in order; `in_section` those of them
    inside `sections`; `holders` are the ids of the document's chunks that hold the evidence whole.
    """

    gold: Gold
    document: Document | None
    sections: tuple[Section, ...]
    matches: tuple[Match, ...]
    in_section: tuple[Match, ...]
    holders: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """How one question fares, in the few values that a baseline keeps and a regression compares.

    `rank` is the rank of the first chunk that holds the whole answer, None when not in the top k; `whole` whether any
    chunk holds it; `in_context` whether it reached the prompt; `top` the id of the chunk at rank 1 ("" for none).
    """

    rank: int | None
    whole: bool
    in_context: bool
    top: str


class Retrieved:
    """What was retrieved for one question: a ranked list per searcher, and the configured one's without the scope.

    `rankings` are best first, up to `max(k, depth)`; `unfiltered` is the configured one's top k had there been no scope
    filter; `context` is what of the configured one's top k passes floor and gate, and `grade` what the gate gave it
    (None without a gate). `correction` holds the rounds of the configured one when that is `corrective`. Lists are made
    when they are looked at.
    """

    def __init__(
        self,
        rankings: Mapping[str, RankedList],
        unfiltered: Callable[[], RankedList],
        context: Callable[[], RankedList],
        grade: float | None = None,
        correction: CorrectionResult | None = None,
    ) -> None:
        self.rankings = rankings
        self.grade = grade
        self.correction = correction
        self._unfiltered = unfiltered
        self._context = context
        self._found: Found | None = None
        self._scores: tuple[float, ...] | None = None

    @cached_property
    def unfiltered(self) -> RankedList:
        """See Retrieved."""
        return self._unfiltered()

    @cached_property
    def context(self) -> RankedList:
        """See Retrieved."""
        return self._context()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Retrieved) and all(
            getattr(self, name) == getattr(other, name)
            for name in ("rankings", "unfiltered", "context", "grade", "correction")
        )

    __hash__ = None  # type: ignore[assignment]

    def scores(self, contract: Contract) -> tuple[float, ...]:
        """Those of the configured searcher's top k."""
        if self._scores is None:
            self._scores = tuple([found.score for found in self.rankings[contract.searcher][: contract.k]])
        return self._scores

    def found(self, gate: Gate | None) -> Found:
        """The same without scores."""
        if self._found is None:
            closed = "" if gate is None or self.grade is None or gate.admits(self.grade) else gate.verdict(self.grade)
            rankings = {name: _chunks(ranking) for name, ranking in self.rankings.items()}
            self._found = Found(rankings, _chunks(self.unfiltered), _chunks(self.context), closed)
        return self._found

    def take_over(self, other: Retrieved, with_scores: bool) -> None:
        """Hold the Found of an earlier answer with the same chunks in all lists, and its scores if equal."""
        self._found = other._found
        self._scores = other._scores if with_scores else None


@dataclass(frozen=True, slots=True)
class Found:
    """Which chunks were retrieved for a question, best first: all that most judgements rest on.

    Every save moves every score a little and hardly a rank, so this stays what it was where the scores do not.
    `closed` says why the gate kept the prompt empty, "" when it did not.
    """

    rankings: Mapping[str, tuple[Chunk, ...]]
    unfiltered: tuple[Chunk, ...]
    context: tuple[Chunk, ...]
    closed: str = ""

    def same(self, other: Found) -> bool:
        """Whether both hold the very same chunks in the same places."""
        return self is other or (
            self.closed == other.closed
            and self.rankings.keys() == other.rankings.keys()
            and all(_same(chunks, other.rankings[name]) for name, chunks in self.rankings.items())
            and _same(self.unfiltered, other.unfiltered)
            and _same(self.context, other.context)
        )


def _chunks(ranking: RankedList) -> tuple[Chunk, ...]:
    return tuple([found.chunk for found in ranking])


def _same(some: Sequence[Chunk], others: Sequence[Chunk]) -> bool:
    return len(some) == len(others) and all(map(is_, some, others))


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One label against one state of the knowledge base; `source` says where the label is written.

    `found` are the chunks that were retrieved, `scored` the same with their scores, `scores` those of the configured
    searcher's top k. What is not about scores should be read from `found`, which changes far less often. `grade` is
    what the gate's grader gives to the prompt that was to be, None without a gate.
    """

    label: Label
    source: LabelSource
    contract: Contract
    places: tuple[GoldPlace, ...]
    found: Found
    findings: tuple[Finding, ...]
    standing: Standing
    scores: tuple[float, ...]
    grade: float | None
    scored: Retrieved

    @property
    def rankings(self) -> Mapping[str, RankedList]:
        """Per searcher: the ranked list (scope filter applied, best first, up to `max(k, depth)`)."""
        return self.scored.rankings

    @property
    def unfiltered(self) -> RankedList:
        """The configured searcher's top k had there been no scope filter."""
        return self.scored.unfiltered

    @property
    def correction(self) -> CorrectionResult | None:
        """The rounds of the searcher `corrective`, where that is the configured one."""
        return self.scored.correction

    @property
    def retrieved(self) -> RankedList:
        """The configured searcher's top k."""
        return self.rankings[self.contract.searcher][: self.contract.k]

    @property
    def top(self) -> tuple[Chunk, ...]:
        """The chunks of the configured searcher's top k, to which `scores` belong."""
        return self.found.rankings[self.contract.searcher][: self.contract.k]

    @property
    def trace(self) -> Trace:
        """What the question met on its way."""
        return Trace((), self.retrieved, self.scored.context, closed=self.found.closed)
