"""Labels → Rankings → Evaluations. Invariant: every ranking is made before any gold is looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evidencedesk.retrieval.candidates import RankedList
from evidencedesk.retrieval.catalog import Catalog, Scope
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.corrective import CorrectionResult
from evidencedesk.retrieval.corrective_searcher import CorrectiveSearcher
from evidencedesk.retrieval.evaluation import Contract, Evaluation, GoldPlace, Standing
from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.retrieval.fusion import rrf
from evidencedesk.retrieval.label_file import LabelSource
from evidencedesk.retrieval.labels import Gold
from evidencedesk.retrieval.searchers import Searcher
from evidencedesk.retrieval.taxonomy import Trace, diagnose
from evidencedesk.text.normal import Folded, fold, holds_folded

LEGS = ("sparse", "dense")

Spread = Callable[[RankedList], RankedList]
"""Orders a ranked list anew; nothing is added or lost."""

Grader = Callable[[str, RankedList], float]
"""How much a question's context speaks about it, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What was retrieved for one question: a ranked list per searcher, and the configured one's without the scope.

    `context` is what of the configured one's top k passes floor and gate, and `grade` what the gate gave it.
    `correction` holds the rounds of the configured one when that is `corrective`.
    """

    rankings: Mapping[str, RankedList]
    unfiltered: RankedList
    context: RankedList
    grade: float | None = None
    correction: CorrectionResult | None = None


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
    allowed: set[str] | None,
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


def split_section(section: str, doc_ids: Mapping[str, object]) -> str:
    """The document id in `<doc_id>#<heading>`: up to the first `#` that leaves a known id, else up to the first `#`."""
    at = section.find("#")
    while at >= 0:
        if section[:at] in doc_ids:
            return section[:at]
        at = section.find("#", at + 1)
    return section if section in doc_ids else section.split("#", 1)[0]


Once = Callable[..., Any]
"""`once(function, *inputs)` is `function(*inputs)`, computed once for the same input objects."""


class Judge:
    """Evaluates labels against one set of documents; `once` finds evidence that is where it was at no cost."""

    def __init__(self, by_id: Mapping[str, ChunkedDocument], contract: Contract, once: Once) -> None:
        self.by_id = by_id
        self.contract = contract
        self._once = once

    def scope_of(self, source: LabelSource) -> Scope:
        """The label's own scope, else the workspace's."""
        return source.label.scope or self.contract.scope

    def evaluate(self, source: LabelSource, retrieved: Retrieved) -> Evaluation:
        """What became of one label's question."""
        contract = replace(self.contract, scope=self.scope_of(source))
        places = tuple(self._locate(entry) for entry in source.label.gold)
        gold = tuple(place.gold for place in places)
        label = replace(source.label, gold=gold)
        grades: dict[str, int] = {}
        for place in places:
            for holder in place.holders:
                grades[holder] = max(grades.get(holder, 0), place.gold.grade)
        top = retrieved.rankings[contract.searcher][: contract.k]
        context, gate, grade = retrieved.context, contract.gate, retrieved.grade
        closed = "" if gate is None or grade is None or gate.admits(grade) else gate.verdict(grade)
        indexed = [chunk for doc_id in {entry.doc_id for entry in gold} for chunk in self._chunks(doc_id)]
        trace = Trace(indexed=indexed, retrieved=top, context=context, closed=closed)
        rank = next((found.rank for found in top if grades.get(found.chunk.id) == 2), None)
        return Evaluation(
            label=label,
            source=source,
            contract=contract,
            places=places,
            rankings=retrieved.rankings,
            unfiltered=retrieved.unfiltered,
            trace=trace,
            findings=tuple(diagnose(_Graded(label.answerable, grades), trace)),
            standing=Standing(
                rank=rank,
                whole=all(place.holders for place in places if place.matches and not place.gold.alternative),
                in_context=any(grades.get(found.chunk.id) == 2 for found in context),
                top=top[0].chunk.id if top else "",
            ),
            grade=grade,
            correction=retrieved.correction,
        )

    def _locate(self, gold: Gold) -> GoldPlace:
        doc_id = split_section(gold.section, self.by_id)
        chunked = self.by_id.get(doc_id)
        if chunked is None:
            return GoldPlace(replace(gold, doc_id=doc_id), None, (), (), (), ())
        place: GoldPlace = self._once(locate, self._once(fold_document, chunked), gold)
        return place

    def _chunks(self, doc_id: str) -> tuple[Chunk, ...]:
        chunked = self.by_id.get(doc_id)
        return chunked.chunks if chunked else ()


@dataclass(frozen=True, slots=True)
class FoldedDocument:
    """A document's text, and the texts of its chunks in their order, as evidence is looked for in them."""

    chunked: ChunkedDocument
    text: Folded
    chunks: tuple[str, ...]


def fold_document(chunked: ChunkedDocument) -> FoldedDocument:
    """Fold a document and its chunks, however many labels ask."""
    return FoldedDocument(chunked, Folded(chunked.document.text), tuple(fold(chunk.text) for chunk in chunked.chunks))


def locate(folded: FoldedDocument, gold: Gold) -> GoldPlace:
    """Where one gold entry stands in its document: sections, occurrences of the evidence, chunks that hold it whole."""
    document = folded.chunked.document
    gold = replace(gold, doc_id=document.doc_id)
    sections = document.sections_named(gold.heading) if gold.heading else document.sections
    body = document.sections[0].span.start if document.sections else len(document.text)
    matches = tuple(match for match in folded.text.find_all(gold.evidence) if match.span.start >= body)
    in_section = tuple(match for match in matches if any(section.span.contains(match.span) for section in sections))
    evidence = fold(gold.evidence)
    holders = tuple(
        chunk.id
        for chunk, text in zip(folded.chunked.chunks, folded.chunks, strict=True)
        if holds_folded(chunk.text, text, gold.evidence, evidence)
    )
    return GoldPlace(gold, document, sections, matches, in_section, holders)


@dataclass(frozen=True, slots=True)
class _Graded:
    """A label as `diagnose` reads it, with the grades already looked up."""

    answerable: bool
    grades: Mapping[str, int]

    def grade_of(self, chunk: Chunk) -> int:
        return self.grades.get(chunk.id, 0)
