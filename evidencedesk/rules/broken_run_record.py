"""ED503 broken-run-record. Invariant: one problem a line; the other lines count."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.run_file import RunFile
from evidencedesk.rule import Severity, Violation, rule


@rule(code="ED503", stage="content", failure="", severity=Severity.ERROR, message="{fault}")
def broken_run_record(subject: RunFile, facts: Facts) -> Iterator[Violation]:
    """A line of a run file is no run record.

    A record is a JSON object on one line with a `test_id` and two lists of rows, `ranking` and `context`; a row has a
    `chunk_id`, a `score` and a `text`.

    ## Why it matters

    A run that was interrupted leaves half a line behind. Whoever counts the lines counts a question that was never
    evaluated.

    ## Example

    ```json title="night.runs.jsonl"
    {"test_id": "q1", "ranking": [], "context": []}
    {"test_id": "q2", "ranking": [{"chunk_id": "retur
    ```

    ## How to fix

    `evidencedesk run --resume` moves a line that breaks off aside and goes on with the run. Mend or remove any other.

    ## Repaired

    ```json title="night.runs.jsonl"
    {"test_id": "q1", "ranking": [], "context": []}
    ```
    """
    for defect in subject.defects:
        yield Violation(subject.path, defect.span, {"fault": defect.message})
