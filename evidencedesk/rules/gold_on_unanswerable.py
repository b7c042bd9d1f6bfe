"""ED709 gold-on-unanswerable. Invariant: both repairs are offered, since only the author knows which is meant."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.label_file import LabelFile
from evidencedesk.rule import Fix, Related, Severity, Violation, rule, value_fix


def _decide(subject: LabelFile, facts: Facts, violation: Violation) -> Iterator[Fix]:
    spans = next(entry.spans for entry in subject.entries if entry.place("gold") == violation.span)
    if "answerable" in spans:
        yield value_fix("Mark the question as answerable", subject.path, spans["answerable"], True)
    if "gold" in spans:
        yield value_fix("Remove the gold", subject.path, spans["gold"], [])


@rule(
    code="ED709",
    stage="content",
    failure="",
    severity=Severity.WARNING,
    message="this question is marked as unanswerable but has gold, which is not looked at",
    fix=_decide,
)
def gold_on_unanswerable(subject: LabelFile, facts: Facts) -> Iterator[Violation]:
    """A label says `"answerable": false` and names gold evidence all the same.

    ## Why it matters

    One of the two is wrong. As it stands, a search that finds the answer is blamed for it.

    ## Example

    ```markdown title="returns.md"
    # Returns

    You can return a bike within 30 days.
    ```

    ```json title="labels.json"
    [{"id": "q1", "question": "How long can I return a bike?", "answerable": false,
      "gold": [{"section": "returns#Returns", "evidence": "within 30 days", "grade": 2}]}]
    ```

    ## How to fix

    Set `answerable` to `true` if the evidence answers the question; otherwise remove the gold.

    ## Repaired

    ```json title="labels.json"
    [{"id": "q1", "question": "How long can I return a bike?", "answerable": true,
      "gold": [{"section": "returns#Returns", "evidence": "within 30 days", "grade": 2}]}]
    ```
    """
    for entry in subject.entries:
        if not entry.label.answerable and entry.label.gold:
            answerable = entry.spans.get("answerable")
            related = (Related(subject.path, answerable, "unanswerable"),) if answerable else ()
            yield Violation(subject.path, entry.place("gold"), {}, entry.label.id, related)
