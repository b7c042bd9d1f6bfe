"""ED708 answerable-without-gold. Invariant: gold that is written but defective is label-schema's matter."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.repairs.members import add_member
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.label_file import LabelFile
from evidencedesk.rule import Fix, Severity, Violation, rule, value_fix


def _unanswerable(subject: LabelFile, facts: Facts, violation: Violation) -> Iterator[Fix]:
    entry = next(entry for entry in subject.entries if entry.place("gold") == violation.span)
    title = "Mark the question as unanswerable"
    if "answerable" in entry.spans:
        yield value_fix(title, subject.path, entry.spans["answerable"], False)
    else:
        yield Fix(title, {subject.path: (add_member(subject.text, entry, "answerable", False),)})


@rule(
    code="ED708",
    stage="content",
    failure="",
    severity=Severity.WARNING,
    message="this question counts as answerable but has no gold, so no search can ever answer it",
    fix=_unanswerable,
)
def answerable_without_gold(subject: LabelFile, facts: Facts) -> Iterator[Violation]:
    """A label is answerable, as every label is that does not say otherwise, but has no gold evidence.

    ## Why it matters

    The question counts in every figure and fails in every search: hit rates are too low, and nobody can repair them.

    ## Example

    ```json title="labels.json"
    [{"id": "q1", "question": "Do you sell scooters?", "answerable": true}]
    ```

    ## How to fix

    Add the section and the exact words that answer the question, or say `"answerable": false`.

    ## Repaired

    ```json title="labels.json"
    [{"id": "q1", "question": "Do you sell scooters?", "answerable": false}]
    ```
    """
    defective = [defect.span for defect in subject.defects]
    for entry in (entry for entry in subject.entries if entry.label.answerable and not entry.label.gold):
        gold = entry.place("gold")
        if not any(gold.contains(span) for span in defective):
            yield Violation(subject.path, gold, {}, entry.label.id)
