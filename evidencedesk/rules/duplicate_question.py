"""ED711 duplicate-question. Invariant: questions asked in different scopes are different questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evidencedesk.repairs.members import without_entry
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.labels import Label
from evidencedesk.rule import Fix, Related, Severity, Share, Tag, Violation, rule
from evidencedesk.text.normal import fold


def _asked_again(key: object, members: Sequence[tuple[Evaluation, None]], facts: Facts) -> Iterator[Violation]:
    """Every question that one in an earlier place asks as well, in one scope."""
    earlier, *sources = (evaluation.source for evaluation, _ in members)
    for source in sources:
        difference = _difference(earlier.label, source.label)
        values = {"first": earlier.label.id, "difference": difference}
        related = (Related(earlier.path, earlier.place("question"), f"the question of {earlier.label.id}"),)
        severity, message = (Severity.WARNING, "differs") if difference else (Severity.INFORMATION, "")
        yield Violation(source.path, source.place("question"), values, source.label.id, related, severity, message)


def _remove(subject: Evaluation, facts: Facts, violation: Violation) -> Iterator[Fix]:
    file, entry = facts.label_files[violation.path], facts.evaluations[violation.subject].source
    if not violation.values["difference"]:
        edits = {violation.path: (without_entry(file, entry),)}
        yield Fix(f"Remove this label; {violation.values['first']} asks the same", edits)


@rule(
    code="ED711",
    stage="content",
    failure="",
    severity=Severity.INFORMATION,
    message="{first} asks the same question",
    messages={"differs": "{first} asks the same question, but {difference}"},
    fix=_remove,
    tags=(Tag.UNNECESSARY,),
    join=_asked_again,
)
def duplicate_question(subject: Evaluation, facts: Facts) -> Iterator[Share]:
    """Two labels with different ids ask the same question.

    Case, white space and final punctuation do not matter. It is information, and a warning where the two labels
    disagree about the answer. Labels with different scopes may ask the same; labels with one id are
    duplicate-label-id's matter.

    ## Why it matters

    A question that is asked twice counts twice. Where the answers differ, no search can satisfy both labels.

    ## Example

    ```json title="labels.json"
    [
      {"id": "q1", "question": "Do you sell scooters?", "answerable": false},
      {"id": "q2", "question": "do you sell scooters", "answerable": false}
    ]
    ```

    ## How to fix

    Delete one of the labels, and give the other all the gold. Or reword one so that it asks something else.

    ## Repaired

    ```json title="labels.json"
    [
      {"id": "q1", "question": "Do you sell scooters?", "answerable": false},
      {"id": "q2", "question": "Can I buy a scooter from you?", "answerable": false}
    ]
    ```
    """
    label = subject.label
    yield Share((fold(label.question).rstrip("?!.…؟。？！ "), label.scope))


def _difference(one: Label, other: Label) -> str:
    if one.answerable != other.answerable:
        return f"counts as {'answerable' if one.answerable else 'unanswerable'}"
    gold, second = ({(entry.section, fold(entry.evidence)) for entry in label.gold} for label in (one, other))
    return "has other gold" if gold != second else ""
