"""ED302 answer-outranked. Invariant: the answer is in the top k; its severity says how far it fell."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import document_of, named, question_of, start_of
from evidencedesk.rule import Related, Severity, Violation, rule
from evidencedesk.text.normal import fold


@rule(
    code="ED302",
    stage="retrieval",
    failure="irrelevant_match",
    severity=Severity.INFORMATION,
    message="the answer is at rank {rank}, behind {winner}{kind}",
)
def answer_outranked(subject: Evaluation, facts: Facts) -> Iterator[Violation]:
    """The answer is retrieved, but something else comes before it.

    From rank 3 on this is information. At rank 2, or behind another part of the same page, it is only a hint: the
    prompt holds the answer either way, and authors rarely change a page for one rank.

    ## Why it matters

    Models trust the first chunk most, and the next small edit elsewhere may push the answer out of the top k.

    ## Example

    ```markdown title="returns.md"
    # Returns

    ## Money

    A refund is on your card within 5 business days.

    ## Lost parcels

    A refund for a lost parcel can take long.
    ```

    ```json title="labels.json"
    [{"id": "q1", "question": "How long does a refund take?",
      "gold": [{"section": "returns#Money", "evidence": "within 5 business days", "grade": 2}]}]
    ```

    ```toml title="evidencedesk.toml"
    [chunking]
    strategy = "section"

    [retrieval]
    searcher = "sparse"
    ```

    ## How to fix

    Use the words of the question where the answer is, and look at the winner: a stale page, a copy or a page that
    mentions the subject in passing can be repaired there.

    ## Repaired

    ```markdown title="returns.md"
    # Returns

    ## Money

    How long a refund can take: it is on your card within 5 business days.

    ## Lost parcels

    A refund for a lost parcel is slow.
    ```
    """
    rank = subject.standing.rank
    if rank is None or rank == 1 or not subject.label.answerable:
        return
    winner, answer = subject.top[0], subject.top[rank - 1]
    values = {"rank": rank, "winner": named(winner), "kind": _kind(winner, answer, facts)}
    related = (
        Related(*start_of(facts, winner), f"rank 1 for {subject.label.id}"),
        Related(*start_of(facts, answer), f"the answer, rank {rank}"),
    )
    slight = rank == 2 or winner.doc_id == answer.doc_id
    severity = Severity.HINT if slight else Severity.INFORMATION
    yield Violation(*question_of(subject), values, subject.label.id, related, severity)


def _kind(winner: Chunk, answer: Chunk, facts: Facts) -> str:
    status = document_of(facts, winner).status
    if status != "current":
        return f", a page whose status is “{status}”"
    if fold(winner.text) == fold(answer.text):
        return ", which has the same text"
    if winner.doc_id == answer.doc_id:
        return ", another part of the same section" if winner.section == answer.section else ", on the same page"
    return ""
