"""ED603 newly-split. Invariant: every evidence was in one chunk before, and one that still exists is in none now."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.repairs.keeping import keep_whole
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import occurrence, question_of, quoted
from evidencedesk.retrieval.regression import regression
from evidencedesk.rule import Fix, Related, Severity, Violation, rule


def _keep(subject: Evaluation, facts: Facts, violation: Violation) -> Iterator[Fix]:
    there = violation if violation.path in facts.documents else violation.related[0]
    yield from keep_whole(facts.documents[there.path].document, there.span)


@rule(
    code="ED603",
    stage="ingestion",
    failure="missed_evidence",
    severity=Severity.WARNING,
    message="the answer was in one chunk in {state}, and now {chunking} splits it",
    messages={"evidence": "this answer to {label}, “{question}”, was in one chunk in {state}, and now it is split"},
    fix=_keep,
)
def newly_split(subject: Evaluation, facts: Facts) -> Iterator[Violation]:
    """An answer that one chunk held whole is now divided between chunks.

    The earlier state is the last saved one in an editor, or the team's `.evidencedesk/baseline.json`.

    ## Why it matters

    Words that were added above an answer move the borders of every later chunk. No single chunk says the whole answer
    any more, so the prompt may hold one half of it.

    ## Example

    ```markdown title="returns.md"
    # Returns

    Please read this first. For any bike: you can return it to our shop, with no reason given, within 30 days.
    ```

    ```json title="labels.json"
    [{"id": "q1", "question": "How long can I return a bike?",
      "gold": [{"section": "returns#Returns",
                "evidence": "you can return it to our shop, with no reason given", "grade": 2}]}]
    ```

    ```toml title="evidencedesk.toml"
    [chunking]
    strategy = "fixed"
    size = 60
    overlap = 10
    ```

    ```json title=".evidencedesk/baseline.json"
    {"version": 1, "contract": "as of May",
     "standings": {"q1": {"rank": 1, "whole": true, "in_context": true, "top": "returns:c0"}}}
    ```

    ## How to fix

    Shorten what stands before the answer, give the answer a heading or a paragraph of its own, or use a chunking
    strategy that follows the structure of the page. The rule answer-split shows where the border runs.

    ## Repaired

    ```markdown title="returns.md"
    # Returns

    You can return it to our shop, with no reason given, within 30 days. This holds for any bike.
    ```
    """
    before = facts.before.get(subject.label.id)
    if before is None or regression(subject, before) != "newly-split":
        return
    values = {
        "state": facts.before_name,
        "chunking": facts.chunking,
        "label": subject.label.id,
        "question": quoted(subject.label.question),
    }
    split = [place for place in map(occurrence, (gold for gold in subject.places if not gold.holders)) if place]
    question = question_of(subject)
    shown = tuple(Related(*place, "the split answer") for place in split)
    yield Violation(*question, values, subject.label.id, shown)
    for place in split:
        yield Violation(*place, values, subject.label.id, (Related(*question, "the question"),), message="evidence")
