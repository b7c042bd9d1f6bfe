"""ED403 mixed-versions-in-context. Invariant: versions are told by `supersedes` and by ids such as `-v2` and `-v3`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from evidencedesk.documents.document import Document
from evidencedesk.documents.versions import Versions
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import counted, listed, question_of
from evidencedesk.rule import Related, Severity, Violation, asked_by, rule


@rule(
    code="ED403",
    stage="context",
    failure="stale_document",
    severity=Severity.WARNING,
    message="the prompt mixes two versions of one page: {older} and {newer}",
    messages={"page": "the prompt for {count} mixes this version with {newer}: {labels}"},
)
def mixed_versions_in_context(subject: Facts, facts: Facts) -> Iterator[Violation]:
    """The prompt for one question holds chunks of two versions of the same page.

    It stands at the question, and once at the heading of the older version.

    ## Why it matters

    The model reads two rules that contradict each other and has nothing to tell which of them is in force.

    ## Example

    ```markdown title="returns-v2.md"
    # Returns

    You can return a bike within 14 days.
    ```

    ```markdown title="returns-v3.md"
    # Returns

    You can return a bike within 30 days.
    ```

    ```json title="labels.json"
    [{"id": "q1", "question": "How long can I return a bike?",
      "gold": [{"section": "returns-v3#Returns", "evidence": "within 30 days", "grade": 2}]}]
    ```

    ## How to fix

    Give the older page `status: superseded`; the scope then keeps it out of the search. Where both versions are in
    force (two products, two countries), rename them so that the ids do not differ by a version alone.

    ## Repaired

    ```markdown title="returns-v2.md"
    ---
    status: superseded
    ---
    # Returns

    You can return a bike within 14 days.
    ```
    """
    versions = Versions(chunked.document for chunked in facts.by_id.values())
    mixed: dict[tuple[str, str], list[Evaluation]] = defaultdict(list)
    for evaluation in facts.evaluations.values():
        pairs = _pairs(evaluation, versions, facts)
        for older, newer in pairs:
            mixed[older.doc_id, newer.doc_id].append(evaluation)
        if pairs:
            older, newer = pairs[0]
            both = (
                Related(older.path, older.top(), "the older version"),
                Related(newer.path, newer.top(), "the newer version"),
            )
            values = {"older": older.doc_id, "newer": newer.doc_id}
            yield Violation(*question_of(evaluation), values, evaluation.label.id, both)
    for (one, other), evaluations in mixed.items():
        older, newer = facts.by_id[one].document, facts.by_id[other].document
        labels = [evaluation.label.id for evaluation in evaluations]
        values = {"count": counted(len(labels), "question"), "newer": newer.doc_id, "labels": listed(labels)}
        related = (Related(newer.path, newer.top(), "the newer version"), *asked_by(evaluations))
        yield Violation(older.path, older.top(), values, older.doc_id, related, message="page")


def _pairs(evaluation: Evaluation, versions: Versions, facts: Facts) -> list[tuple[Document, Document]]:
    documents = {chunk.doc_id: facts.by_id[chunk.doc_id].document for chunk in evaluation.found.context}
    ordered = (versions.older_first(one, other) for one, other in combinations(documents.values(), 2))
    return [pair for pair in ordered if pair]
