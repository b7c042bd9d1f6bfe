"""ED303 stale-document-match. Invariant: a page is stale by its status, never by its age."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from evidencedesk.documents.document import Document
from evidencedesk.documents.versions import Versions
from evidencedesk.retrieval.candidates import RankedList
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import Place, answers, counted, listed, named, question_of, rank_of
from evidencedesk.rule import Related, Severity, Violation, asked_by, rule


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
)
def stale_document_match(subject: Facts, facts: Facts) -> Iterator[Violation]:
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
    versions = Versions(chunked.document for chunked in facts.by_id.values())
    retrieved: dict[str, list[Evaluation]] = defaultdict(list)
    filtered: dict[str, list[Evaluation]] = defaultdict(list)
    passing: set[str] = set()
    for evaluation in facts.evaluations.values():
        floor = evaluation.contract.floor
        stale = _stale(evaluation, evaluation.retrieved)
        passed = {found.chunk.doc_id for found in stale if floor is not None and found.score >= floor}
        passing |= passed
        for doc_id in dict.fromkeys(found.chunk.doc_id for found in stale):
            retrieved[doc_id].append(evaluation)
        rank = rank_of(evaluation.found.unfiltered, answers(evaluation))
        above = evaluation.unfiltered[: rank - 1 if rank else None]
        for doc_id in dict.fromkeys(found.chunk.doc_id for found in _stale(evaluation, above)):
            filtered[doc_id].append(evaluation)
        if stale:
            document = facts.by_id[stale[0].chunk.doc_id].document
            severity = Severity.WARNING if passed else Severity.INFORMATION
            values = {"rank": stale[0].rank, "chunk": named(stale[0].chunk)}
            place = question_of(evaluation)
            yield _violation("", place, evaluation.label.id, document, versions, values, severity)
    for doc_id, document in ((doc_id, facts.by_id[doc_id].document) for doc_id in {**retrieved, **filtered}):
        message, evaluations = ("page", retrieved[doc_id]) if retrieved[doc_id] else ("filtered", filtered[doc_id])
        severity = Severity.WARNING if doc_id in passing else Severity.INFORMATION
        labels = [evaluation.label.id for evaluation in evaluations]
        values = {"count": counted(len(labels), "question"), "labels": listed(labels)}
        place, severity = Place(document.path, document.top()), severity if message == "page" else Severity.HINT
        yield _violation(message, place, doc_id, document, versions, values, severity, asked_by(evaluations))


def _stale(evaluation: Evaluation, ranking: RankedList) -> RankedList:
    asked_for = {place.gold.doc_id for place in evaluation.places}
    return [found for found in ranking if found.chunk.status != "current" and found.chunk.doc_id not in asked_for]


def _violation(
    message: str,
    place: Place,
    subject: str,
    stale: Document,
    versions: Versions,
    values: dict[str, object],
    severity: Severity,
    related: tuple[Related, ...] = (),
) -> Violation:
    values |= {"status": stale.status, "current": ""}
    if not message:
        related = (Related(stale.path, stale.top(), "the stale page"),)
    if current := versions.current(stale):
        values["current"] = f"; the current page is {current.doc_id}"
        related = (*related, Related(current.path, current.top(), "the current page"))
    return Violation(*place, values, subject, related, severity, message)
