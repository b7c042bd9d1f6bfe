"""ED303 stale-document-match. Invariant: a page is stale by its status, never by its age."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import answers, counted, document_of, listed, named, question_of, rank_of
from evidencedesk.rule import Related, Severity, Share, Violation, asked_by, rule


def _on_page(doc_id: str, members: Sequence[tuple[Evaluation, str]], facts: Facts) -> Iterator[Violation]:
    document = facts.by_id[doc_id].document
    retrieved = [evaluation for evaluation, how in members if how != "filtered"]
    evaluations = retrieved or [evaluation for evaluation, _ in members]
    labels, (says, current) = [evaluation.label.id for evaluation in evaluations], _current(doc_id, facts)
    values = {"count": counted(len(labels), "question"), "labels": listed(labels)}
    values |= {"status": document.status, "current": says}
    passes = any(how == "passing" for _, how in members)
    severity = Severity.WARNING if passes else Severity.INFORMATION if retrieved else Severity.HINT
    related, message = (*asked_by(evaluations), *current), "page" if retrieved else "filtered"
    yield Violation(document.path, document.top(), values, doc_id, related, severity, message)


@rule(
    code="ED303",
    stage="retrieval",
    failure="stale_document",
    severity=Severity.INFORMATION,
    message="rank {rank} is {chunk}, a page whose status is “{status}”{current}",
    messages={
        "page": "this page is “{status}” and still retrieved for {count}: {labels}{current}",
        "filtered": (
            "only the scope keeps this “{status}” page from coming before any answer to {count}: {labels}{current}"
        ),
    },
    join=_on_page,
)
def stale_document_match(subject: Evaluation, facts: Facts) -> Iterator[Violation | Share]:
    """A page that is no longer current is retrieved.

    It is information where the scope admits the page, and a warning where a floor is set and the page passes it. A page
    that the scope keeps out gets one hint where it would otherwise come before the answer; its questions get none. A
    label whose gold stands in the page asks for it.

    ## Why it matters

    A stale page uses the same words as its successor, so it ranks as high, and the reader gets last year's rule.

    ## Example

    ```markdown title="returns-v2.md"
    ---
    id: returns-v2
    status: superseded
    ---
    # Returns

    You can return a bike within 14 days.
    ```

    ```markdown title="returns-v3.md"
    ---
    id: returns-v3
    supersedes: returns-v2
    ---
    # Returns

    You can return it within 30 days.
    ```

    ```json title="labels.json"
    [{"id": "q1", "question": "How long can I return a bike?",
      "gold": [{"section": "returns-v3#Returns", "evidence": "within 30 days", "grade": 2}]}]
    ```

    ```toml title="evidencedesk.toml"
    [scope]
    statuses = ["current", "superseded"]
    ```

    ## How to fix

    Leave the status out of `scope.statuses` and filter before the search, in the product too; or delete the page.

    ## Repaired

    ```markdown title="returns-v2.md"
    ---
    id: returns-v2
    status: superseded
    ---
    # Opening hours in 2019

    The shop was open from Monday to Friday.
    ```

    ```toml title="evidencedesk.toml"
    [scope]
    statuses = ["current"]
    ```
    """
    stale = _stale(subject, subject.top)
    passed = _passing(subject).intersection(chunk.doc_id for _, chunk in stale)
    for doc_id in dict.fromkeys(chunk.doc_id for _, chunk in stale):
        yield Share(doc_id, "passing" if doc_id in passed else "retrieved")
    rank = rank_of(subject.found.unfiltered, answers(subject))
    above = subject.found.unfiltered[: rank - 1 if rank else None]
    for doc_id in dict.fromkeys(chunk.doc_id for _, chunk in _stale(subject, above)):
        yield Share(doc_id, "filtered")
    if stale:
        rank, chunk = stale[0]
        document, (says, current) = document_of(facts, chunk), _current(chunk.doc_id, facts)
        values = {"rank": rank, "chunk": named(chunk), "status": document.status, "current": says}
        related = (Related(document.path, document.top(), "the stale page"), *current)
        severity = Severity.WARNING if passed else Severity.INFORMATION
        yield Violation(*question_of(subject), values, subject.label.id, related, severity)


def _stale(evaluation: Evaluation, ranking: Sequence[Chunk]) -> list[tuple[int, Chunk]]:
    """Ranks and chunks of stale pages that the label does not ask for."""
    asked_for = {place.gold.doc_id for place in evaluation.places}
    return [
        (rank, chunk)
        for rank, chunk in enumerate(ranking, start=1)
        if chunk.status != "current" and chunk.doc_id not in asked_for
    ]


def _passing(evaluation: Evaluation) -> set[str]:
    """Documents with a chunk in the top k that the floor lets through."""
    floor = evaluation.contract.floor
    if floor is None:
        return set()
    return {chunk.doc_id for chunk, score in zip(evaluation.top, evaluation.scores, strict=True) if score >= floor}


def _current(doc_id: str, facts: Facts) -> tuple[str, tuple[Related, ...]]:
    """The page that replaced a stale one: the end of the message, and where it is."""
    newer = facts.versions.current(doc_id)
    if newer is None:
        return "", ()
    page = facts.by_id[newer].document
    return f"; the current page is {newer}", (Related(page.path, page.top(), "the current page"),)
