"""ED504 outdated-run. Invariant: only records made here have a contract that can be compared."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.label_runs import MODE, contract_hash
from evidencedesk.retrieval.run_file import RunFile
from evidencedesk.rule import Severity, Violation, asked_by, rule


@rule(
    code="ED504",
    stage="content",
    failure="",
    severity=Severity.INFORMATION,
    message="{label} expects something else now than when this was recorded; its figures are not comparable",
    messages={"unknown": "no label has the id {label}, so this record is of a question that is gone"},
)
def outdated_run(subject: RunFile, facts: Facts) -> Iterator[Violation]:
    """A recorded run is of a label that is gone, or that has changed since.

    The contract of a record is a fingerprint of the label: its question, gold, scope and whether it can be answered.
    A workspace without labels is not judged by this rule.

    ## Why it matters

    Figures of different questions under one name are no comparison.

    ## Example

    ```markdown title="returns.md"
    # Returns

    You can return a bike within 30 days.
    ```

    ```json title="labels.json"
    [{"id": "q1", "question": "How long can I return a bike?",
      "gold": [{"section": "returns#Returns", "evidence": "within 30 days"}]}]
    ```

    ```json title="night.runs.jsonl"
    {"test_id": "q7", "ranking": [], "context": []}
    ```

    ## How to fix

    Run the evaluation again: `evidencedesk run` writes a new file, `--resume` adds what has changed to an old one.

    ## Repaired

    ```json title="night.runs.jsonl"
    {"test_id": "q1", "ranking": [], "context": []}
    ```
    """
    if not facts.evaluations:
        return
    for line in subject.latest:
        evaluation = facts.evaluations.get(line.test_id)
        if evaluation is None:
            values = {"label": line.test_id}
            span = line.place("test_id")
            yield Violation(subject.path, span, values, line.test_id, severity=Severity.WARNING, message="unknown")
        elif line.record.get("mode") == MODE and line.record.get("contract_hash") != contract_hash(evaluation.label):
            span = line.place("contract_hash", "test_id")
            yield Violation(subject.path, span, {"label": line.test_id}, line.test_id, asked_by([evaluation]))
