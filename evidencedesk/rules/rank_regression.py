"""ED601 rank-regression. Invariant: the answer is still retrieved; what was lost is lost-answer's or newly-split's."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import listed, named, question_of, quoted, start_of
from evidencedesk.retrieval.regression import regression
from evidencedesk.rule import Related, Severity, Violation, rule


@rule(
    code="ED601",
    stage="retrieval",
    failure="irrelevant_match",
    severity=Severity.INFORMATION,
    message="the answer was at rank {before} in {state} and is at rank {rank} now, behind {above}",
    messages={
        "winner": "this now comes before the answer to {label}, “{question}”, which was at rank {before} in {state} "
        "and is at rank {rank}"
    },
)
def rank_regression(subject: Evaluation, facts: Facts) -> Iterator[Violation]:
    """The answer to a question is retrieved at a worse rank than before.

    The earlier state is the last saved one in an editor, or the team's `.evidencedesk/baseline.json`. Losing rank 1 is
    a warning, and the chunk that took it gets the problem too. Any other rank is information at the question: what came
    before the answer already is not known.

    ## Why it matters

    An edit helps the page it is made in and quietly hurts others. Here it is seen while the edit is fresh.

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

    ```json title=".evidencedesk/baseline.json"
    {"version": 1, "contract": "as of May",
     "standings": {"q1": {"rank": 1, "whole": true, "in_context": true, "top": "returns:c0"}}}
    ```

    ## How to fix

    Look at the chunk that overtook: mostly a new page that repeats the words of the question. Where the new order is
    right, accept it with `evidencedesk baseline accept`.

    ## Repaired

    ```markdown title="returns.md"
    # Returns

    ## Money

    How long a refund can take: it is on your card within 5 business days.

    ## Lost parcels

    We replace a lost parcel.
    ```
    """
    before = facts.before.get(subject.label.id)
    rank = subject.standing.rank
    if before is None or rank is None or regression(subject, before) != "rank-regression":
        return
    above = subject.top[: rank - 1]
    values = {
        "before": before.rank,
        "state": facts.before_name,
        "rank": rank,
        "above": listed([named(chunk) for chunk in above]),
        "label": subject.label.id,
        "question": quoted(subject.label.question),
    }
    question = question_of(subject)
    places = tuple(Related(*start_of(facts, chunk), f"rank {place}") for place, chunk in enumerate(above, start=1))
    if before.rank != 1:
        yield Violation(*question, values, subject.label.id, places)
        return
    yield Violation(*question, values, subject.label.id, places, Severity.WARNING)
    related = (Related(*question, "the question"),)
    yield Violation(*start_of(facts, above[0]), values, subject.label.id, related, Severity.WARNING, "winner")
