"""Labels → Rankings → Evaluations. Invariant: every ranking is made before any gold is looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from operator import is_

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
from evidencedesk.retrieval.searchers import Searcher
from evidencedesk.retrieval.taxonomy import Trace, diagnose

LEGS = ("sparse", "dense")

Spread = Callable[[RankedList], RankedList]
"""Orders a ranked list anew; nothing is added or lost."""

Grader = Callable[[str, RankedList], float]
"""How much a question's context speaks about it, 0 to 1."""


def retrieve(
    questions: Sequence[tuple[str, Scope]],
    legs: Mapping[str, Searcher],
    catalog: Catalog,
    contract: Contract,
    spread: Spread | None = None,
    grader: Grader | None = None,
) -> list[Retrieved]:
    """Rankings for `(question, scope)` pairs, in their order: each leg to `max(k, depth)`, and the fusion of both.

    The configured searcher, where it is neither, is asked as well. `spread` orders its list anew; `grader` is what the
    contract's gate asks.
    """
    results: list[Retrieved | None] = [None] * len(questions)
    for scope in dict.fromkeys(scope for _, scope in questions):
        places = [place for place, (_, wanted) in enumerate(questions) if wanted == scope]
        texts = [questions[place][0] for place in places]
        allowed = catalog.allowed(scope)
        filtered = _search_all(texts, legs, contract, allowed, spread)
        hides_nothing = len(allowed) == len(catalog.chunks)
        everything = filtered if hides_nothing else _search_all(texts, legs, contract, None, spread)
        for place, (rankings, correction), (unscoped, _) in zip(places, filtered, everything, strict=True):
            context, grade = _context(questions[place][0], rankings[contract.searcher], contract, grader)
            results[place] = Retrieved(rankings, unscoped[contract.searcher][: contract.k], context, grade, correction)
    return [result for result in results if result is not None]


def _search_all(
    texts: Sequence[str],
    legs: Mapping[str, Searcher],
    contract: Contract,
    allowed: AbstractSet[str] | None,
    spread: Spread | None,
) -> list[tuple[dict[str, RankedList], CorrectionResult | None]]:
    depth = max(contract.k, contract.depth)
    found = {name: legs[name].search_many(texts, depth, allowed) for name in LEGS}
    pairs = zip(*(found[name] for name in LEGS), strict=True)
    found["hybrid"] = [rrf(list(pair), k=contract.rrf_k, top=depth, source="hybrid") for pair in pairs]
    corrections: Sequence[CorrectionResult | None] = [None] * len(texts)
    if contract.searcher not in found:
        configured = legs[contract.searcher]
        if isinstance(configured, CorrectiveSearcher):
            corrections = results = configured.correct_many(texts, depth, allowed)
            found[contract.searcher] = [list(result.hits[:depth]) for result in results]
        else:
            found[contract.searcher] = configured.search_many(texts, depth, allowed)
    if spread is not None:
        found[contract.searcher] = [spread(ranking) for ranking in found[contract.searcher]]
    rankings = (dict(zip(found, lists, strict=True)) for lists in zip(*found.values(), strict=True))
    return list(zip(rankings, corrections, strict=True))


def _context(
    question: str, ranking: RankedList, contract: Contract, grader: Grader | None
) -> tuple[RankedList, float | None]:
    passing = [found for found in ranking[: contract.k] if contract.floor is None or found.score >= contract.floor]
    if contract.gate is None or grader is None:
        return passing, None
    grade = grader(question, passing)
    return passing if contract.gate.admits(grade) else [], grade


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

    From `before` it takes over whatever rests on the very same label, documents and retrieved chunks: where only scores
    moved, a new evaluation holds the old judgement. `progress` is told how many are done, and how many there are.
    """
    evidence = before.evidence.after(by_id) if before else Evidence(by_id)
    known = before.evaluations if before and before.contract == contract else {}
    settled = before is not None and before.evidence.by_id.keys() == by_id.keys()
    stirred = set(changed_keys(before.evidence.by_id, by_id)) if before and settled else set()
    evaluations = {}
    for done, (label_id, source) in enumerate(sources.items()):
        progress(done, len(sources))
        last = known.get(label_id)
        if last and (last.source is not source or not settled or _stands_in(last, stirred)):
            places = tuple([evidence.place(gold) for gold in source.label.gold])
            # Gold at the same places makes the same judgement; else there is nothing to go by.
            last = last if last.source is source and _same(places, last.places) else None
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
    """The evaluation of one label; `last` was made of the same label, the same gold places and the same settings."""
    if last and last.scored is retrieved:
        return last
    found = retrieved.found(contract.gate)
    if last and last.found.same(found):
        return replace(last, scores=retrieved.scores(contract), grade=retrieved.grade, scored=retrieved)
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
        scores=retrieved.scores(contract),
        grade=retrieved.grade,
        scored=retrieved,
    )


@dataclass(frozen=True, slots=True)
class _Graded:
    """A label as `diagnose` reads it, with the grades already looked up."""

    answerable: bool
    grades: Mapping[str, int]

    def grade_of(self, chunk: Chunk) -> int:
        return self.grades.get(chunk.id, 0)
