"""ED702 label-schema. Invariant: one problem a value; the other fields of the label still count."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.repairs.members import first_member
from evidencedesk.retrieval.elsewhere import first_holder, section_with
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.label_file import LabelFile
from evidencedesk.retrieval.label_writing import next_id
from evidencedesk.retrieval.places import quoted
from evidencedesk.rule import Fix, Severity, Violation, rule
from evidencedesk.text.spans import TextEdit


def _write_what_was_meant(subject: LabelFile, facts: Facts, violation: Violation) -> Iterator[Fix]:
    meant, missing = violation.values["meant"], violation.values["missing"]
    if meant:
        yield Fix(f"Write {quoted(meant, 50)}", {subject.path: (TextEdit(violation.span, meant),)})
    elif missing == "id":
        taken = {entry.label.id for file in facts.label_files.values() for entry in file.entries}
        label_id = next_id([entry.label.id for entry in subject.entries], taken)
        yield _with_member(f"Name it “{label_id}”", subject, violation, label_id)
    elif missing:
        evidence = violation.values["evidence"]
        if missing == "section" and (hit := first_holder(evidence, facts.by_id.values())):
            section = section_with(evidence, hit.document)
            yield _with_member(f"Point it to “{section}”, which holds the evidence", subject, violation, section)
        else:
            yield _with_member(f"Add an empty `{missing}` to fill in", subject, violation, "")


def _with_member(title: str, subject: LabelFile, violation: Violation, value: str) -> Fix:
    edit = first_member(subject.text, violation.span, violation.values["missing"], value)
    return Fix(title, {subject.path: (edit,)})


@rule(
    code="ED702",
    stage="content",
    failure="",
    severity=Severity.WARNING,
    message="{fault}",
    fix=_write_what_was_meant,
)
def label_schema(subject: LabelFile, facts: Facts) -> Iterator[Violation]:
    """A value in a label file is missing, misspelt or of the wrong kind.

    An entry without a usable `id` or `question` cannot be evaluated; any other wrong value counts as if it were absent.

    ## Why it matters

    `"answerable": "no"` looks like an unanswerable question and is none. Figures drawn from such labels are wrong
    without anybody noticing.

    ## Example

    ```json title="labels.json"
    [{"id": "q1", "question": "Do you sell scooters?", "answerable": "no"}]
    ```

    ## How to fix

    Write the value that the message asks for. Keys of your own may begin with `x-`.

    ## Repaired

    ```json title="labels.json"
    [{"id": "q1", "question": "Do you sell scooters?", "answerable": false}]
    ```
    """
    for defect in subject.defects:
        if defect.kind == "schema":
            values = {"fault": defect.message, "meant": defect.meant}
            values |= {"missing": defect.missing, "evidence": defect.evidence}
            yield Violation(subject.path, defect.span, values)
