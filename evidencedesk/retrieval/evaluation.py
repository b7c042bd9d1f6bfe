"""What evaluating one question gives: where its gold stands, who ranked where, and what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from operator import attrgetter, is_
from typing import Any

from evidencedesk.documents.document import Document, Section
from evidencedesk.retrieval.candidates import RankedList
from evidencedesk.retrieval.catalog import Scope
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.corrective import CorrectionResult
from evidencedesk.retrieval.label_file import LabelSource
from evidencedesk.retrieval.labels import Gold, Label
from evidencedesk.retrieval.taxonomy import Finding, Trace
from evidencedesk.text.normal import Match

Place = Callable[[Chunk], Chunk]
"""Gives a chunk of a page that has only moved as it stands now."""


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
        return tuple([found.score for found in self.rankings[contract.searcher][: contract.k]])

    def found(self, gate: Gate | None) -> Found:
        """The same without scores."""
        closed = "" if gate is None or self.grade is None or gate.admits(self.grade) else gate.verdict(self.grade)
        rankings = {name: _chunks(ranking) for name, ranking in self.rankings.items()}
        return Found(rankings, _chunks(self.unfiltered), _chunks(self.context), closed)

    def placed(self, place: Place) -> Retrieved:
        """The same with each chunk as `place` gives it."""

        def moved(ranking: RankedList) -> RankedList:
            return [replace(found, chunk=place(found.chunk)) for found in ranking]

        rankings = _Each(self.rankings, moved)
        return Retrieved(
            rankings, lambda: moved(self.unfiltered), lambda: moved(self.context), self.grade, self.correction
        )


class _Each(Mapping[str, RankedList]):
    """Ranked lists as a function gives them, when they are looked at."""

    def __init__(self, lists: Mapping[str, RankedList], make: Callable[[RankedList], RankedList]) -> None:
        self._lists = lists
        self._make = make

    def __getitem__(self, name: str) -> RankedList:
        return self._make(self._lists[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._lists)

    def __len__(self) -> int:
        return len(self._lists)


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
        return (
            self.closed == other.closed
            and self.rankings.keys() == other.rankings.keys()
            and all(_same(chunks, other.rankings[name]) for name, chunks in self.rankings.items())
            and _same(self.unfiltered, other.unfiltered)
            and _same(self.context, other.context)
        )

    def placed(self, place: Place) -> Found:
        """The same with each chunk as `place` gives it."""
        return Found(
            {name: tuple(map(place, chunks)) for name, chunks in self.rankings.items()},
            tuple(map(place, self.unfiltered)),
            tuple(map(place, self.context)),
            self.closed,
        )


def _chunks(ranking: RankedList) -> tuple[Chunk, ...]:
    return tuple([found.chunk for found in ranking])


def _same(some: Sequence[Chunk], others: Sequence[Chunk]) -> bool:
    return len(some) == len(others) and all(map(is_, some, others))


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of one label's question, as far as it rests on which chunks were retrieved.

    `found` are these chunks, `scores` those of the configured searcher's top k. What is not about scores should be read
    from `found`, which changes far less often.
    `grade` is what the gate's grader gives to the prompt that was to be, None without a gate.
    """

    label: Label
    contract: Contract
    places: tuple[GoldPlace, ...]
    found: Found
    findings: tuple[Finding, ...]
    standing: Standing
    scores: tuple[float, ...]
    grade: float | None

    @property
    def top(self) -> tuple[Chunk, ...]:
        """The chunks of the configured searcher's top k, to which `scores` belong."""
        return self.found.rankings[self.contract.searcher][: self.contract.k]


@dataclass(frozen=True, slots=True)
class Evaluation(Judgement):
    """One label against one state of the knowledge base: its judgement, with `source`, where the label is written, and
    `scored`, all lists with their scores."""

    source: LabelSource
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
    def trace(self) -> Trace:
        """What the question met on its way."""
        return Trace((), self.retrieved, self.scored.context, closed=self.found.closed)


def judgements(evaluations: Mapping[str, Evaluation]) -> Mapping[str, Judgement]:
    """What the evaluations of a state rest on; no evaluation is made for that."""
    return evaluations.judgements if isinstance(evaluations, Evaluations) else evaluations


_parts_of = attrgetter(*(field.name for field in fields(Judgement)))


class Evaluations(Mapping[str, Evaluation]):
    """The evaluations of one state by label id; each is made when it is looked at, since every save moves all scores.

    `judgements` are what most work rests on: they stay the same objects as long as they say the same. Their chunks may
    be those of pages that moved since; an evaluation has them as they stand now.
    """

    def __init__(
        self,
        judgements: Mapping[str, Judgement],
        sources: Mapping[str, LabelSource],
        scored: Callable[[str], Retrieved],
        place: Place | None = None,
    ) -> None:
        self.judgements = judgements
        self.sources = sources
        self._scored = scored
        self._place = place
        self._made: dict[str, Evaluation] = {}
        self._found: dict[str, Found] = {}

    def part(self, label_id: str, name: str) -> Any:
        """A field of an evaluation, all but `scored`, without making the rest."""
        if name == "source":
            return self.sources[label_id]
        return self._found_now(label_id) if name == "found" else getattr(self.judgements[label_id], name)

    def _found_now(self, label_id: str) -> Found:
        found = self.judgements[label_id].found
        if self._place is None:
            return found
        return self._found.get(label_id) or self._found.setdefault(label_id, found.placed(self._place))

    def __getitem__(self, label_id: str) -> Evaluation:
        made = self._made.get(label_id)
        if made is None:
            judgement, scored = self.judgements[label_id], self._scored(label_id)
            if self._place is not None:
                judgement = replace(judgement, found=self._found_now(label_id))
                scored = scored.placed(self._place)
            parts = (*_parts_of(judgement), self.sources[label_id], scored)
            made = self._made.setdefault(label_id, Evaluation(*parts))
        return made

    def __contains__(self, label_id: object) -> bool:
        return label_id in self.judgements

    def __iter__(self) -> Iterator[str]:
        return iter(self.judgements)

    def __len__(self) -> int:
        return len(self.judgements)
