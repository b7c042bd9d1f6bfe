"""ED702 label-schema. Invariant: one problem a value; the other fields of the label still count."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.label_file import LabelFile
from evidencedesk.rule import Severity, Violation, rule


@rule(code="ED702", stage="content", failure="", severity=Severity.WARNING, message="{fault}")
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
            yield Violation(subject.path, defect.span, {"fault": defect.message})
