"""ED701 json-syntax. Invariant: reading goes on after the fault, so one file may have several."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.label_file import LabelFile
from evidencedesk.rule import Severity, Violation, rule


@rule(code="ED701", stage="content", failure="", severity=Severity.ERROR, message="{fault}")
def json_syntax(subject: LabelFile, facts: Facts) -> Iterator[Violation]:
    """A label file is not valid JSON.

    What can be read around the fault is still used here, but other programs refuse the whole file.

    ## Why it matters

    A label file that does not load is an evaluation that does not run, or one that silently runs on half of its labels.

    ## Example

    ```json title="labels.json"
    [
      {"id": "q1", "question": "How long can I return a bike?", "answerable": false}
      {"id": "q2", "question": "Who pays for the return?", "answerable": false}
    ]
    ```

    ## How to fix

    Repair the place that the message names: mostly a comma is missing between two entries, stands after the last one,
    or a quotation mark is not closed.

    ## Repaired

    ```json title="labels.json"
    [
      {"id": "q1", "question": "How long can I return a bike?", "answerable": false},
      {"id": "q2", "question": "Who pays for the return?", "answerable": false}
    ]
    ```
    """
    for defect in subject.defects:
        if defect.kind == "syntax":
            yield Violation(subject.path, defect.span, {"fault": defect.message})
