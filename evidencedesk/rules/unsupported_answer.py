"""ED501 unsupported-answer. Invariant: an answer is held against the texts that its own run recorded."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import listed, quoted
from evidencedesk.retrieval.run_file import RunFile
from evidencedesk.retrieval.taxonomy import diagnose_answer
from evidencedesk.rule import Severity, Violation, recorded, rule


@rule(
    code="ED501",
    stage="generation",
    failure="unsupported_answer",
    severity=Severity.WARNING,
    message="the prompt does not support this answer to {label}; it held {prompt}",
    messages={"label": "a recorded run answers this with “{answer}”, which its prompt does not support"},
)
def unsupported_answer(subject: RunFile, facts: Facts) -> Iterator[Violation]:
    """A recorded answer says what the chunks in its prompt do not say.

    An answer is supported when every number in it, and at least half of its content words, occur in the prompt. Of
    several records of a question in one file the last counts. A run that declines to answer records no answer.

    ## Why it matters

    The generator made it up. Whether it happens to be true, your pages as retrieved do not say so.

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
    {"test_id": "q1", "ranking": [], "context": [{"chunk_id": "returns:c0", "score": 1, "text": "You can return a bike within 30 days."}], "answer": "Within 60 days.", "cited": ["returns:c0"]}
    ```

    ## How to fix

    See that the answer reaches the prompt, or let the pipeline withhold what the prompt does not support.

    ## Repaired

    ```json title="night.runs.jsonl"
    {"test_id": "q1", "ranking": [], "context": [{"chunk_id": "returns:c0", "score": 1, "text": "You can return a bike within 30 days."}], "answer": "Within 30 days.", "cited": ["returns:c0"]}
    ```
    """  # noqa: E501
    for line in subject.latest:
        if any(finding.stage == "generation" for finding in diagnose_answer(line.trace)):
            prompt = listed([found.chunk.id for found in line.trace.context]) or "nothing"
            values = {"label": line.test_id, "prompt": prompt, "answer": quoted(line.answer or "")}
            yield from recorded(subject, line, "answer", facts, values, "the recorded answer")
