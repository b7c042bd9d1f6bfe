"""ED305 audience-leak. Invariant: reports only what the scope keeps out; what it lets through is no leak."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import answers, counted, document_of, field_of, listed, named, question_of, rank_of
from evidencedesk.rule import Related, Severity, Share, Violation, asked_by, rule


def _on_page(doc_id: str, members: Sequence[tuple[Evaluation, bool]], facts: Facts) -> Iterator[Violation]:
    document = facts.by_id[doc_id].document
    evaluations = [evaluation for evaluation, _ in members]
    costs = sum(cost for _, cost in members)
    values = {
        "audience": document.audience,
        "count": counted(len(members), "question"),
        "labels": listed([evaluation.label.id for evaluation in evaluations]),
        "effect": f"; filtering after the search would lose the answer to {costs}" if costs else "",
    }
    severity = Severity.WARNING if costs else Severity.INFORMATION
    yield Violation(*field_of(document, "audience"), values, doc_id, asked_by(evaluations), severity, "page")


@rule(
    code="ED305",
    stage="retrieval",
    failure="irrelevant_match",
    severity=Severity.INFORMATION,
    message="without the filter, rank {rank} would be {chunk}, a page for “{audience}”{effect}",
    messages={"page": "only the filter keeps this page for “{audience}” from {count}: {labels}{effect}"},
    join=_on_page,
)
def audience_leak(subject: Evaluation, facts: Facts) -> Iterator[Violation | Share]:
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
    leaks = _leaks(subject)
    if not leaks:
        return
    cost = subject.standing.rank is not None and rank_of(subject.found.unfiltered, answers(subject)) is None
    for doc_id in dict.fromkeys(chunk.doc_id for _, chunk in leaks):
        yield Share(doc_id, cost)
    rank, chunk = leaks[0]
    document = document_of(facts, chunk)
    values = {
        "rank": rank,
        "chunk": named(chunk),
        "audience": document.audience,
        "effect": ", and filtering after the search would lose the answer" if cost else "",
    }
    page = Related(*field_of(document, "audience"), "the page's audience")
    severity = Severity.INFORMATION if rank == 1 else Severity.HINT
    severity = Severity.WARNING if cost else severity
    yield Violation(*question_of(subject), values, subject.label.id, (page,), severity)


def _leaks(evaluation: Evaluation) -> list[tuple[int, Chunk]]:
    """Ranks and chunks that only the filter keeps out."""
    scope, asked_for = evaluation.contract.scope, {place.gold.doc_id for place in evaluation.places}
    return [
        (rank, chunk)
        for rank, chunk in enumerate(evaluation.found.unfiltered, start=1)
        if chunk.audience not in scope.audiences and chunk.doc_id not in asked_for
    ]
