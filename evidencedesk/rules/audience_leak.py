"""ED305 audience-leak. Invariant: reports only what the scope keeps out; what it lets through is no leak."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from evidencedesk.retrieval.candidates import RankedList
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import answers, counted, field_of, listed, named, question_of, rank_of
from evidencedesk.rule import Related, Severity, Violation, asked_by, rule


@rule(
    code="ED305",
    stage="retrieval",
    failure="irrelevant_match",
    severity=Severity.INFORMATION,
    message="without the filter, rank {rank} would be {chunk}, a page for “{audience}”{effect}",
    messages={"page": "only the filter keeps this page for “{audience}” from {count}: {labels}{effect}"},
)
def audience_leak(subject: Facts, facts: Facts) -> Iterator[Violation]:
    """A page for another audience would be retrieved if the scope filter were missing or applied after the search.

    It stands at the question, and once at the page's `audience`. It is a warning where filtering after the search would
    cost the answer its place in the top k, information where the page would be rank 1, and a hint otherwise: the filter
    works, and only a search without it would show the page.

    ## Why it matters

    Many stores filter only after the search, or forget the filter in one of several code paths. Then staff rules reach
    customers, or take all places of the top k so that nothing is left when they are removed.

    ## Example

    ```markdown title="returns.md"
    # Returns

    You can return a bike within 30 days.
    ```

    ```markdown title="goodwill.md"
    ---
    audience: staff
    ---
    # Goodwill

    Return a bike after 30 days: you can still accept it within 60 days as goodwill.
    ```

    ```json title="labels.json"
    [{"id": "q1", "question": "Can I return a bike after 30 days?",
      "gold": [{"section": "returns#Returns", "evidence": "within 30 days", "grade": 2}]}]
    ```

    ## How to fix

    Make sure that the product filters by audience before it searches. Pages that must never leak belong into an index
    of their own. Where everybody may read the page, change its `audience` or the scope.

    ## Repaired

    ```markdown title="goodwill.md"
    # Goodwill

    Return a bike after 30 days: you can still accept it within 60 days as goodwill.
    ```
    """
    by_document: dict[str, list[tuple[Evaluation, bool]]] = defaultdict(list)
    for evaluation in facts.evaluations.values():
        leaks = _leaks(evaluation)
        if not leaks:
            continue
        cost = _costs_answer(evaluation)
        for doc_id in dict.fromkeys(found.chunk.doc_id for found in leaks):
            by_document[doc_id].append((evaluation, cost))
        chunk = leaks[0].chunk
        values = {
            "rank": leaks[0].rank,
            "chunk": named(chunk),
            "audience": facts.by_id[chunk.doc_id].document.audience,
            "effect": ", and filtering after the search would lose the answer" if cost else "",
        }
        page = Related(*field_of(facts.by_id[chunk.doc_id].document, "audience"), "the page's audience")
        severity = Severity.INFORMATION if leaks[0].rank == 1 else Severity.HINT
        severity = Severity.WARNING if cost else severity
        yield Violation(*question_of(evaluation), values, evaluation.label.id, (page,), severity)
    for doc_id, asked in by_document.items():
        document = facts.by_id[doc_id].document
        labels = [evaluation.label.id for evaluation, _ in asked]
        costs = sum(cost for _, cost in asked)
        values = {
            "audience": document.audience,
            "count": counted(len(labels), "question"),
            "labels": listed(labels),
            "effect": f"; filtering after the search would lose the answer to {costs}" if costs else "",
        }
        related = asked_by([evaluation for evaluation, _ in asked])
        severity = Severity.WARNING if costs else Severity.INFORMATION
        yield Violation(*field_of(document, "audience"), values, doc_id, related, severity, "page")


def _leaks(evaluation: Evaluation) -> RankedList:
    scope, asked_for = evaluation.contract.scope, {place.gold.doc_id for place in evaluation.places}
    return [
        found
        for found in evaluation.unfiltered
        if found.chunk.audience not in scope.audiences and found.chunk.doc_id not in asked_for
    ]


def _costs_answer(evaluation: Evaluation) -> bool:
    """Whether the answer is found only because the filter comes before the search."""
    return evaluation.standing.rank is not None and rank_of(evaluation.found.unfiltered, answers(evaluation)) is None
