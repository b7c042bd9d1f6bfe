"""Labels → Rankings → Evaluations. Invariant: every ranking is made before any gold is looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from operator import is_
from typing import TypeVar

from evidencedesk.retrieval.candidates import RankedList
from evidencedesk.retrieval.catalog import Catalog, Scope
from evidencedesk.retrieval.changes import changed_keys
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.corrective import CorrectionResult
from evidencedesk.retrieval.corrective_searcher import CorrectiveSearcher
from evidencedesk.retrieval.evaluation import Contract, Evaluation, GoldPlace, Retrieved, Standing
from evidencedesk.retrieval.evidence import Evidence
from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.retrieval.fusion import rrf
from evidencedesk.retrieval.label_file import LabelSource
from evidencedesk.retrieval.searcher import Derived, Listed, Lists, Rankings, Searcher, Tick, rank_many, untold
from evidencedesk.retrieval.taxonomy import Trace, diagnose

LEGS = ("sparse", "dense")

Asked = TypeVar("Asked", bound=tuple[str, Scope])

Spread = Callable[[RankedList], RankedList]
"""Orders a ranked list anew; nothing is added or lost."""

Grader = Callable[[str, RankedList], float]
"""How much a question's context speaks about it, 0 to 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What was retrieved for a question; `mark` is equal to an earlier one where all lists hold the same chunks."""

    retrieved: Retrieved
    mark: tuple[object, ...]


def retrieve(
    questions: Sequence[Asked],
    searchers: Mapping[str, Searcher],
    catalog: Catalog,
    contract: Contract,
    spread: Spread | None = None,
    grader: Grader | None = None,
    before: Callable[[Asked], Answer | None] = lambda question: None,
    tick: Tick = untold,
) -> list[Answer]:
    """Rankings for `(question, scope)` pairs, in their order: each leg to `max(k, depth)`, and the fusion of both.

    The configured searcher, where it is neither, is asked as well. `spread` orders its list anew; `grader` is what the
    contract's gate asks. `before` gives an answer from an earlier state under the same contract; `tick`
    is told how it goes.
    """
    # Ranks alone decide what fusion gives, and no other text moves a cosine.
    is_fixed = contract.searcher in ("dense", "hybrid")
    results: dict[int, Answer] = {}
    for scope in dict.fromkeys(scope for _, scope in questions):
        places = [place for place, (_, wanted) in enumerate(questions) if wanted == scope]
        texts = [questions[place][0] for place in places]
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
        marks = zip(*(found.marks for found in (*rankings.values(), unscoped)), strict=True)
        for row, (place, mark) in enumerate(zip(places, marks, strict=True)):
            results[place] = answer = _answer(
                questions[place][0], mark, Lists(rankings, row), Lists({"": unscoped}, row), contract, grader, is_fixed
            )
            if isinstance(configured, _Corrected):
                answer.retrieved.correction = configured.results[row]
            last = before(questions[place])
            if last and last.mark == answer.mark:
                answer.retrieved.take_over(last.retrieved, is_fixed)
    return [results[place] for place in range(len(questions))]


def _answer(
    question: str,
    mark: tuple[object, ...],
    rankings: Lists,
    unscoped: Lists,
    contract: Contract,
    grader: Grader | None,
    is_fixed: bool,
) -> Answer:
    k, floor = contract.k, contract.floor

    def unfiltered() -> RankedList:
        return unscoped[""][:k]

    def passing() -> RankedList:
        return [found for found in rankings[contract.searcher][:k] if floor is None or found.score >= floor]

    if contract.gate is not None and grader is not None:
        context = passing()
        grade = grader(question, context)
        context = context if contract.gate.admits(grade) else []
        mark = (*mark, grade, tuple([found.chunk for found in context]))
        return Answer(Retrieved(rankings, unfiltered, lambda: context, grade), mark)
    if floor is not None and not is_fixed:
        mark = (*mark, tuple([found.chunk for found in passing()]))
    return Answer(Retrieved(rankings, unfiltered, passing), mark)


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
    """The evaluations of all labels, and what the next ones start from."""

    evaluations: Mapping[str, Evaluation]
    contract: Contract
    evidence: Evidence


def judge(
    before: Judged | None,
    contract: Contract,
    by_id: Mapping[str, ChunkedDocument],
    sources: Mapping[str, LabelSource],
    answers: Mapping[str, Retrieved],
    progress: Callable[[int, int], None],
) -> Judged:
    """What became of every label's question; `sources` and `answers` are by label id, in one order.

    From `before` it takes over whatever rests on an equal label, the very same documents and retrieved chunks: where
    only scores or the label's place in its file moved, a new evaluation holds the old judgement. `progress` is told how
    many are done, and how many there are.
    """
    evidence = before.evidence.after(by_id) if before else Evidence(by_id)
    known = before.evaluations if before and before.contract == contract else {}
    settled = before is not None and before.evidence.by_id.keys() == by_id.keys()
    stirred = set(changed_keys(before.evidence.by_id, by_id)) if before and settled else set()
    evaluations = {}
    for done, (label_id, source) in enumerate(sources.items()):
        progress(done, len(sources))
        last = known.get(label_id)
        if last and last.source is not source and last.source.label != source.label:
            last = None
        if last and (not settled or _stands_in(last, stirred)):
            places = tuple([evidence.place(gold) for gold in source.label.gold])
            # Gold at the same places makes the same judgement; else there is nothing to go by.
            last = last if _same(places, last.places) else None
        evaluations[label_id] = _evaluate(last, source, answers[label_id], contract, evidence)
    return Judged(evaluations, contract, evidence)


def scope_of(source: LabelSource, contract: Contract) -> Scope:
    """The label's own scope, else the workspace's."""
    return source.label.scope or contract.scope


def _stands_in(evaluation: Evaluation, doc_ids: set[str]) -> bool:
    return bool(doc_ids) and any(place.gold.doc_id in doc_ids for place in evaluation.places)


def _same(some: tuple[GoldPlace, ...], others: tuple[GoldPlace, ...]) -> bool:
    return len(some) == len(others) and all(map(is_, some, others))


def _evaluate(
    last: Evaluation | None, source: LabelSource, retrieved: Retrieved, contract: Contract, evidence: Evidence
) -> Evaluation:
    """The evaluation of one label; `last` was made of an equal label, the same gold places and the same settings."""
    if last and last.scored is retrieved and last.source is source:
        return last
    found = retrieved.found(contract.gate)
    scores, grade = retrieved.scores(contract), retrieved.grade
    if last and last.found.same(found):
        return Evaluation(
            last.label,
            source,
            last.contract,
            last.places,
            last.found,
            last.findings,
            last.standing,
            scores,
            grade,
            retrieved,
        )
    places = last.places if last else tuple(evidence.place(gold) for gold in source.label.gold)
    contract = last.contract if last else replace(contract, scope=scope_of(source, contract))
    gold = tuple(place.gold for place in places)
    grades: dict[str, int] = {}
    for place in places:
        for holder in place.holders:
            grades[holder] = max(grades.get(holder, 0), place.gold.grade)
    indexed = [chunk for doc_id in {entry.doc_id for entry in gold} for chunk in evidence.chunks_of(doc_id)]
    top = retrieved.rankings[contract.searcher][: contract.k]
    trace = Trace(indexed=indexed, retrieved=top, context=retrieved.context, closed=found.closed)
    return Evaluation(
        label=replace(source.label, gold=gold),
        source=source,
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
        scores=scores,
        grade=grade,
        scored=retrieved,
    )


@dataclass(frozen=True, slots=True)
class _Graded:
    """A label as `diagnose` reads it, with the grades already looked up."""

    answerable: bool
    grades: Mapping[str, int]

    def grade_of(self, chunk: Chunk) -> int:
        return self.grades.get(chunk.id, 0)
