"""ED502 unsupported-citation. Invariant: only a supported answer is asked what it cites."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import quoted
from evidencedesk.retrieval.run_file import RunFile
from evidencedesk.retrieval.taxonomy import diagnose_answer
from evidencedesk.rule import Severity, Violation, recorded, rule


@rule(
    code="ED502",
    stage="citation",
    failure="unsupported_answer",
    severity=Severity.WARNING,
    message="the citation does not bear out the answer to {label}: {reason}",
    messages={"label": "a recorded run answers this with “{answer}”, but {reason}"},
)
def unsupported_citation(subject: RunFile, facts: Facts) -> Iterator[Violation]:
    """A recorded answer is right by its prompt, but what it cites does not bear it out.

    It cites nothing, a chunk that was not in the prompt, or only chunks that do not support it.

    ## Why it matters

    A reader who follows the citation finds something else, and trusts neither the answer nor the page.

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
    {"test_id": "q1", "ranking": [], "context": [{"chunk_id": "returns:c0", "score": 1, "text": "You can return a bike within 30 days."}], "answer": "Within 30 days.", "cited": ["shipping:c0"]}
    ```

    ## How to fix

    Let the generator cite the ids it was given, and check them before the answer is shown.

    ## Repaired

    ```json title="night.runs.jsonl"
    {"test_id": "q1", "ranking": [], "context": [{"chunk_id": "returns:c0", "score": 1, "text": "You can return a bike within 30 days."}], "answer": "Within 30 days.", "cited": ["returns:c0"]}
    ```
    """  # noqa: E501
    for line in subject.latest:
        reason = next((finding.detail for finding in diagnose_answer(line.trace) if finding.stage == "citation"), "")
        if reason:
            values = {"label": line.test_id, "reason": reason, "answer": quoted(line.answer or "")}
            yield from recorded(subject, line, "cited", facts, values, "the recorded citation")
