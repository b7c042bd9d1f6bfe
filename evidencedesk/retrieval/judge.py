"""Labels → Rankings → Evaluations. Invariant: every ranking is made before any gold is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import compress
from operator import is_
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.candidates import RankedList
from evidencedesk.retrieval.catalog import Catalog, Scope
from evidencedesk.retrieval.changes import Mapped, difference, mapped, same_keys
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.corrective import CorrectionResult
from evidencedesk.retrieval.corrective_searcher import CorrectiveSearcher
from evidencedesk.retrieval.evaluation import Contract, Judgement, Retrieved, Standing
from evidencedesk.retrieval.evidence import Evidence
from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.retrieval.fusion import rrf
from evidencedesk.retrieval.label_file import LabelFile, LabelSource
from evidencedesk.retrieval.searcher import Derived, Listed, Lists, Rankings, Searcher, Tick, rank_many, untold
from evidencedesk.retrieval.taxonomy import Trace, diagnose

LEGS = ("sparse", "dense")
Marks = NDArray[np.object_]

Spread = Callable[[RankedList], RankedList]
"""Orders a ranked list anew; nothing is added or lost."""
Grader = Callable[[str, RankedList], float]
"""How much a question's context speaks about it, 0 to 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What is asked, and of which documents. There is one object for equal questions (see `Questions`)."""

    text: str
    scope: Scope


@dataclass(frozen=True, slots=True)
class Questions:
    """Every label, and its question, by label id; of labels that share an id the first."""

    sources: Mapping[str, LabelSource]
    of: Mapping[str, Question]
    known: Mapping[tuple[str, Scope], Question]


def find_questions(before: Questions | None, files: Iterable[LabelFile], contract: Contract) -> Questions:
    """The questions of label files; those that were asked `before` are the same objects."""
    sources: dict[str, LabelSource] = {}
    for entry in (entry for file in files for entry in file.entries):
        sources.setdefault(entry.label.id, entry)
    earlier = before.known if before else {}
    known: dict[tuple[str, Scope], Question] = {}
    of = {}
    for label_id, source in sources.items():
        key = source.label.question, source.label.scope or contract.scope
        of[label_id] = known[key] = known.get(key) or earlier.get(key) or Question(*key)
    return Questions(sources, of, known)


class _Prompt(NamedTuple):
    """What enters the prompt, and what the gate gave it (None without a gate)."""

    context: RankedList
    grade: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """Questions that were asked together, each with a row of the rankings.

    `marks` tell, row by row, whether an earlier answer under an equal contract holds the same chunks in all lists:
    where all marks are equal. `prompts` are known where they do not follow from the chunks.
    """

    questions: Sequence[Question]
    contract: Contract
    rankings: Mapping[str, Rankings]
    unscoped: Rankings
    marks: Sequence[Marks]
    prompts: Sequence[_Prompt] | None
    corrections: Sequence[CorrectionResult] | None

    def answer(self, row: int) -> Retrieved:
        """What was retrieved for one of them."""
        lists, name, k = Lists(self.rankings, row), self.contract.searcher, self.contract.k
        unscoped = lists if self.unscoped is self.rankings[name] else Lists({name: self.unscoped}, row)
        prompt = self.prompts[row] if self.prompts else None
        return Retrieved(
            lists,
            lambda: unscoped[name][:k],
            lambda: prompt.context if prompt else _passing(lists[name], self.contract),
            prompt.grade if prompt else None,
            self.corrections[row] if self.corrections else None,
        )

    def stirred(self, before: Mapping[Question, tuple[Asked, int]]) -> list[Question]:
        """The questions for which other chunks were retrieved than before, or that were not asked."""
        rows_in: dict[Asked, list[tuple[int, int]]] = {}
        for row, question in enumerate(self.questions):
            if place := before.get(question):
                rows_in.setdefault(place[0], []).append((row, place[1]))
        others: NDArray[np.bool_] = np.ones(len(self.questions), dtype=np.bool_)
        for asked, rows in rows_in.items():
            if asked.contract == self.contract and len(asked.marks) == len(self.marks):
                here, there = np.array(rows).T
                pairs = zip(self.marks, asked.marks, strict=True)
                others[here] = np.any([mine[here] != theirs[there] for mine, theirs in pairs], axis=0)
        return list(compress(self.questions, others.tolist()))


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Where each question's answer is: in which of the `asked`, and in which row."""

    asked: Sequence[Asked] = ()
    places: Mapping[Question, tuple[Asked, int]] = field(default_factory=dict)

    @classmethod
    def at(cls, places: Mapping[Question, tuple[Asked, int]]) -> Answers:
        """The answers at these places."""
        return cls(list({id(asked): asked for asked, _ in places.values()}.values()), places)

    def of(self, question: Question) -> Retrieved:
        """What was retrieved for one of the questions."""
        asked, row = self.places[question]
        return asked.answer(row)

    def stirred(self, before: Answers) -> set[Question]:
        """The questions for which other chunks were retrieved than before, or that are new."""
        known = set(map(id, before.asked))
        others = [asked for asked in self.asked if id(asked) not in known]
        return {question for asked in others for question in asked.stirred(before.places)}


def retrieve(
    questions: Sequence[Question],
    searchers: Mapping[str, Searcher],
    catalog: Catalog,
    contract: Contract,
    spread: Spread | None = None,
    grader: Grader | None = None,
    tick: Tick = untold,
) -> Answers:
    """Rankings for questions: each leg to `max(k, depth)`, and the fusion of both.

    The configured searcher, where it is neither, is asked as well. `spread` orders its list anew; `grader` is what the
    contract's gate asks. `tick` is told how it goes.
    """
    places: dict[Question, tuple[Asked, int]] = {}
    by_scope: dict[Scope, list[Question]] = {}
    for question in questions:
        by_scope.setdefault(question.scope, []).append(question)
    for scope, together in by_scope.items():
        texts = [question.text for question in together]
        allowed = catalog.allowed(scope)
        rankings = {name: _ask(name, texts, searchers, contract, allowed, spread, tick) for name in LEGS}
        # A leg whose list is spread is not what is fused.
        legs = rankings if spread is None or contract.searcher not in LEGS else {}
        rankings["hybrid"] = _ask("hybrid", texts, searchers, contract, allowed, spread, tick, legs)
        configured = rankings.get(contract.searcher) or _ask(
            contract.searcher, texts, searchers, contract, allowed, spread, tick
        )
        rankings[contract.searcher] = configured
        unscoped = configured
        if len(allowed) < len(catalog.by_id):
            unscoped = _ask(contract.searcher, texts, searchers, contract, None, spread, tick)
        prompts = _prompts(texts, configured, contract, grader)
        marks = {id(one): one for found in (*rankings.values(), unscoped) for one in _marks_of(found)}
        if prompts:
            told = [(prompt.grade, tuple([found.chunk for found in prompt.context])) for prompt in prompts]
            marks[id(told)] = _objects(told)
        corrections = configured.results if isinstance(configured, _Corrected) else None
        asked = Asked(together, contract, rankings, unscoped, list(marks.values()), prompts, corrections)
        places.update((question, (asked, row)) for row, question in enumerate(together))
    return Answers.at(places)


def _marks_of(found: Rankings) -> list[Marks]:
    """Marks of all that these rankings follow from."""
    if isinstance(found, Derived):
        return [marks for one in found.of for marks in _marks_of(one)]
    marks = found.marks
    return [marks if isinstance(marks, np.ndarray) else _objects(marks)]


def _objects(values: Sequence[object]) -> Marks:
    return np.fromiter(values, np.object_, len(values))


def _prompts(
    texts: Sequence[str], configured: Rankings, contract: Contract, grader: Grader | None
) -> Sequence[_Prompt] | None:
    """What enters each prompt, where more than the chunks in the lists decides that."""
    is_gated = contract.gate is not None and grader is not None
    # Ranks alone decide what fusion gives, and no other text moves a cosine.
    if not is_gated and (contract.floor is None or is_fixed(contract)):
        return None
    prompts = []
    for row, text in enumerate(texts):
        context, grade = _passing(configured[row], contract), None
        if contract.gate is not None and grader is not None:
            grade = grader(text, context)
            context = context if contract.gate.admits(grade) else []
        prompts.append(_Prompt(context, grade))
    return prompts


def is_fixed(contract: Contract) -> bool:
    """Whether the configured searcher scores the same chunks in the same order alike, whatever else there is."""
    return contract.searcher in ("dense", "hybrid")


def _passing(ranking: RankedList, contract: Contract) -> RankedList:
    floor = contract.floor
    return [found for found in ranking[: contract.k] if floor is None or found.score >= floor]


class _Corrected(Listed):
    """Rankings with how they came about."""

    def __init__(self, lists: Sequence[RankedList], results: Sequence[CorrectionResult]) -> None:
        super().__init__(lists)
        self.results = results


def _ask(
    name: str,
    texts: Sequence[str],
    searchers: Mapping[str, Searcher],
    contract: Contract,
    allowed: AbstractSet[str] | None,
    spread: Spread | None,
    tick: Tick,
    known: Mapping[str, Rankings] | None = None,
) -> Rankings:
    """One searcher's rankings to `max(k, depth)`; those of the configured one are ordered anew by `spread`.

    `known` are those of legs that were asked already.
    """
    depth = max(contract.k, contract.depth)
    searcher = searchers[name]
    spread = spread if name == contract.searcher else None
    if isinstance(searcher, CorrectiveSearcher):
        results = searcher.correct_many(texts, depth, allowed)
        lists = [list(result.hits[:depth]) for result in results]
        return _Corrected([spread(one) for one in lists] if spread else lists, results)
    if name == "hybrid":
        legs = tuple((known or {}).get(leg) or rank_many(searchers[leg], texts, depth, allowed, tick) for leg in LEGS)
        found: Rankings = Derived(legs, lambda row, pair: rrf(pair, k=contract.rrf_k, top=depth, source="hybrid"))
    else:
        found = rank_many(searcher, texts, depth, allowed, tick)
    if spread is None:
        return found
    if name in ("dense", "hybrid"):
        return Derived((found,), lambda row, lists: spread(lists[0]))
    return Listed([spread(found[row]) for row in range(len(texts))])


@dataclass(frozen=True, slots=True)
class Judged:
    """The judgements of all labels, and what the next ones start from."""

    judgements: Mapping[str, Judgement]
    contract: Contract
    evidence: Evidence
    sources: Mapping[str, LabelSource] = field(default_factory=dict)
    answers: Answers = field(default_factory=Answers)
    homes: Mapped[str, Judgement, frozenset[str]] | None = None
    """By label id, the ids of the documents in which its gold is looked for."""


def judge(
    before: Judged | None,
    contract: Contract,
    by_id: Mapping[str, ChunkedDocument],
    questions: Questions,
    answers: Answers,
    progress: Callable[[int, int], None],
) -> Judged:
    """What became of every label's question.

    From `before` it takes over whatever rests on an equal label, the very same documents and retrieved chunks.
    `progress` is told how many are done, and how many there are.
    """
    evidence = before.evidence.after(by_id) if before else Evidence(by_id)
    known: Mapping[str, Judgement] = {}
    sources: Mapping[str, LabelSource] = {}
    homes: Mapped[str, Judgement, frozenset[str]] | None = None
    stirred, replaced = set(questions.of.values()), set(questions.of)
    if before and before.contract == contract:
        known, sources, homes = before.judgements, before.sources, before.homes
        stirred = answers.stirred(before.answers)
        changed, is_alike = difference(before.evidence.by_id, by_id)
        if homes and is_alike:
            pages = frozenset(changed)
            replaced = {label_id for label_id, own in homes.made.items() if not own.isdisjoint(pages)}
    again: Sequence[str] = list(questions.sources)
    if is_fixed(contract):
        again = [
            label_id
            for label_id, source in questions.sources.items()
            if label_id not in sources
            or (sources[label_id] is not source and sources[label_id].label != source.label)
            or label_id in replaced
            or questions.of[label_id] in stirred
        ]
    new: dict[str, Judgement] = {}
    for done, label_id in enumerate(again):
        progress(done, len(again))
        source, question, last = questions.sources[label_id], questions.of[label_id], known.get(label_id)
        if last and sources[label_id].label != source.label:
            last = None
        if last and label_id in replaced:
            places = tuple([evidence.place(gold) for gold in source.label.gold])
            # Gold at the same places makes the same judgement; else there is nothing to go by.
            last = last if _same(places, last.places) else None
        new[label_id] = _judge(last, question in stirred, source, answers.of(question), contract, evidence)
    if not known:
        evidence.forget_texts()
    judgements = known
    if new or not same_keys(known, questions.sources):
        judgements = {label_id: new.get(label_id) or known[label_id] for label_id in questions.sources}
    return Judged(judgements, contract, evidence, questions.sources, answers, mapped(homes, judgements, _homes))


def _homes(judgement: Judgement) -> frozenset[str]:
    return frozenset(place.gold.doc_id for place in judgement.places)


def _same(some: Sequence[object], others: Sequence[object]) -> bool:
    return len(some) == len(others) and all(map(is_, some, others))


def _judge(
    last: Judgement | None,
    is_stirred: bool,
    source: LabelSource,
    retrieved: Retrieved,
    contract: Contract,
    evidence: Evidence,
) -> Judgement:
    """The judgement of one label; `last` was made of an equal label, the same gold places and the same settings.

    Where it is not `is_stirred`, also of the same chunks.
    """
    found = retrieved.found(contract.gate) if is_stirred or last is None else last.found
    if last and (found is last.found or last.found.same(found)):
        scores = last.scores if found is last.found and is_fixed(contract) else retrieved.scores(contract)
        is_same = (scores, retrieved.grade) == (last.scores, last.grade)
        return last if is_same else replace(last, scores=scores, grade=retrieved.grade)
    places = last.places if last else tuple(evidence.place(gold) for gold in source.label.gold)
    contract = last.contract if last else replace(contract, scope=source.label.scope or contract.scope)
    gold = tuple(place.gold for place in places)
    grades: dict[str, int] = {}
    for place in places:
        for holder in place.holders:
            grades[holder] = max(grades.get(holder, 0), place.gold.grade)
    indexed = [chunk for doc_id in {entry.doc_id for entry in gold} for chunk in evidence.chunks_of(doc_id)]
    top = retrieved.rankings[contract.searcher][: contract.k]
    trace = Trace(indexed=indexed, retrieved=top, context=retrieved.context, closed=found.closed)
    return Judgement(
        label=replace(source.label, gold=gold),
        contract=contract,
        places=places,
        found=found,
        findings=tuple(diagnose(_Graded(source.label.answerable, grades), trace)),
        standing=Standing(
            rank=next((rank for rank, one in enumerate(top, start=1) if grades.get(one.chunk.id) == 2), None),
            whole=all(place.holders for place in places if place.matches and not place.gold.alternative),
            in_context=any(grades.get(chunk.id) == 2 for chunk in found.context),
            top=top[0].chunk.id if top else "",
        ),
        scores=tuple([one.score for one in top]),
        grade=retrieved.grade,
    )


@dataclass(frozen=True, slots=True)
class _Graded:
    """A label as `diagnose` reads it, with the grades already looked up."""

    answerable: bool
    grades: Mapping[str, int]

    def grade_of(self, chunk: Chunk) -> int:
        return self.grades.get(chunk.id, 0)
