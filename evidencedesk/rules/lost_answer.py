"""ED602 lost-answer. Invariant: the answer was retrieved or in the prompt before, and is not now."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import best_answer, named, occurrence, question_of, quoted, start_of
from evidencedesk.retrieval.regression import regression
from evidencedesk.rule import Related, Severity, Violation, rule


@rule(
    code="ED602",
    stage="retrieval",
    failure="missed_evidence",
    severity=Severity.WARNING,
    message="the answer was at rank {before} in {state} and is not in the top {k} now{winner}",
    messages={
        "gone": "the answer was at rank {before} in {state}, and now no document holds its evidence",
        "dropped": "the answer was in the prompt in {state}, and now the {dropper} drops it at rank {rank}",
        "evidence": "{label}, “{question}”, found this answer at rank {before} in {state}, and now does not{winner}",
        "dropped-evidence": "this answer to {label}, “{question}”, was in the prompt in {state}, and now the {dropper} "
        "drops it at rank {rank}",
    },
)
def lost_answer(subject: Evaluation, facts: Facts) -> Iterator[Violation]:
    """The answer to a question was found before and is not found now.

    It was in the top k, or passed floor and gate, in the last saved state or in the team's baseline file,
    `.evidencedesk/baseline.json`. The problem stands at the question, and at the evidence where that still exists.

    ## Why it matters

    A reader who got the answer yesterday does not get it today, and nothing but this comparison tells.

    ## Example

    ```markdown title="returns.md"
    # Returns

    ## Money

    The amount is on your card within 5 business days.

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
    k = 1
    ```

    ```json title=".evidencedesk/baseline.json"
    {"version": 1, "contract": "as of May",
     "standings": {"q1": {"rank": 1, "whole": true, "in_context": true, "top": "returns:c0"}}}
    ```

    ## How to fix

    Compare with the page as it was: mostly a word of the question went from the answer, or came into another chunk.
    Where the answer was taken out on purpose, change the label, then run `evidencedesk baseline accept`.

    ## Repaired

    ```markdown title="returns.md"
    # Returns

    ## Money

    A refund can take long: it is on your card within 5 business days.

    ## Lost parcels

    We replace a lost parcel.
    ```
    """
    before = facts.before.get(subject.label.id)
    if before is None or regression(subject, before) != "lost-answer":
        return
    gold, retrieved, rank = best_answer(subject), subject.top, subject.standing.rank
    values = {
        "before": before.rank,
        "state": facts.before_name,
        "k": subject.contract.k,
        "rank": rank,
        "dropper": "gate" if subject.found.closed else "floor",
        "winner": f"; rank 1 is {named(retrieved[0])}" if retrieved else "",
        "label": subject.label.id,
        "question": quoted(subject.label.question),
    }
    question = question_of(subject)
    winner = (Related(*start_of(facts, retrieved[0]), "rank 1 now"),) if retrieved and rank is None else ()
    place = occurrence(gold) if gold else None
    if place is None:
        yield Violation(*question, values, subject.label.id, winner, message="gone")
        return
    at_question, at_evidence = ("", "evidence") if rank is None else ("dropped", "dropped-evidence")
    yield Violation(*question, values, subject.label.id, (Related(*place, "the answer"), *winner), message=at_question)
    related = (Related(*question, "the question"), *winner)
    yield Violation(*place, values, subject.label.id, related, message=at_evidence)
