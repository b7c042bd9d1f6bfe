"""ED401 dropped-before-prompt. Invariant: the answer was retrieved, and floor or gate kept it from the prompt."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import best_answer, named, occurrence, question_of, quoted
from evidencedesk.rule import Related, Severity, Violation, rule


@rule(
    code="ED401",
    stage="context",
    failure="missed_evidence",
    severity=Severity.WARNING,
    message="the answer, {answer}, is at rank {rank}, but its score {score:.4g} is below the floor {floor:g}, "
    "so it never reaches the prompt",
    messages={
        "evidence": "this answers {label}, “{question}”, at rank {rank}, but its score {score:.4g} is below the floor "
        "{floor:g}",
        "gate": "the answer, {answer}, is at rank {rank}, but the gate keeps the prompt empty: {verdict}",
        "gate-evidence": "this answers {label}, “{question}”, at rank {rank}, but the gate keeps the prompt empty: "
        "{verdict}",
    },
)
def dropped_before_prompt(subject: Evaluation, facts: Facts) -> Iterator[Violation]:
    """The answer is retrieved, but its score is below the floor, or the gate is closed, so no prompt holds it.

    ## Why it matters

    The ranking looks right and the answer is still missing. A floor that was set to keep junk out takes answers with
    it.

    ## Example

    ```markdown title="returns.md"
    # Returns

    You can return a bike within 30 days.
    ```

    ```json title="labels.json"
    [{"id": "q1", "question": "How long can I return a bike?",
      "gold": [{"section": "returns#Returns", "evidence": "within 30 days", "grade": 2}]}]
    ```

    ```toml title="evidencedesk.toml"
    [retrieval]
    searcher = "sparse"
    floor = 5.0
    ```

    ## How to fix

    Lower `retrieval.floor` or `retrieval.gate.accept`; the rule unanswerable-junk measures which value keeps answers
    and drops junk. Or say the answer in the words of the question, which raises its score and its grade; for a gate,
    synonyms in `[analysis]` count as well.

    ## Repaired

    ```toml title="evidencedesk.toml"
    [retrieval]
    searcher = "sparse"
    floor = 0.1
    ```
    """
    floor, rank = subject.contract.floor, subject.standing.rank
    closed = subject.found.closed
    if (floor is None and not closed) or rank is None or subject.standing.in_context or not subject.label.answerable:
        return
    question = question_of(subject)
    gold = best_answer(subject)
    place = occurrence(gold) if gold else None
    score, answer = subject.scores[rank - 1], named(subject.top[rank - 1])
    values = {"answer": answer, "rank": rank, "score": score, "floor": floor, "verdict": closed}
    related = (Related(*place, "the answer"),) if place else ()
    yield Violation(*question, values, subject.label.id, related, message="gate" if closed else "")
    if place:
        at_evidence = "gate-evidence" if closed else "evidence"
        values |= {"label": subject.label.id, "question": quoted(subject.label.question)}
        yield Violation(*place, values, subject.label.id, (Related(*question, "the question"),), message=at_evidence)
