"""ED403 mixed-versions-in-context. Invariant: versions are told by `supersedes` and by ids such as `-v2` and `-v3`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import counted, listed, question_of
from evidencedesk.rule import Related, Severity, Share, Violation, asked_by, rule


def _on_page(pair: tuple[str, str], members: Sequence[tuple[Evaluation, None]], facts: Facts) -> Iterator[Violation]:
    older, newer = (facts.by_id[doc_id].document for doc_id in pair)
    evaluations = [evaluation for evaluation, _ in members]
    labels = [evaluation.label.id for evaluation in evaluations]
    values = {"count": counted(len(labels), "question"), "newer": newer.doc_id, "labels": listed(labels)}
    related = (Related(newer.path, newer.top(), "the newer version"), *asked_by(evaluations))
    yield Violation(older.path, older.top(), values, older.doc_id, related, message="page")


@rule(
    code="ED403",
    stage="context",
    failure="stale_document",
    severity=Severity.WARNING,
    message="the prompt mixes two versions of one page: {older} and {newer}",
    messages={"page": "the prompt for {count} mixes this version with {newer}: {labels}"},
    join=_on_page,
)
def mixed_versions_in_context(subject: Evaluation, facts: Facts) -> Iterator[Violation | Share]:
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
    pages = dict.fromkeys(chunk.doc_id for chunk in subject.found.context)
    ordered = (facts.versions.older_first(one, other) for one, other in combinations(pages, 2))
    pairs = [pair for pair in ordered if pair]
    for pair in pairs:
        yield Share(pair)
    if pairs:
        older, newer = (facts.by_id[doc_id].document for doc_id in pairs[0])
        both = (
            Related(older.path, older.top(), "the older version"),
            Related(newer.path, newer.top(), "the newer version"),
        )
        values = {"older": older.doc_id, "newer": newer.doc_id}
        yield Violation(*question_of(subject), values, subject.label.id, both)
