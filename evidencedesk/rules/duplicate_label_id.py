"""ED703 duplicate-label-id. Invariant: the first label in path order keeps the id; every later one is reported."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.label_file import LabelSource
from evidencedesk.rule import Related, Severity, Violation, rule


@rule(
    code="ED703",
    stage="content",
    failure="",
    severity=Severity.ERROR,
    message="the id “{id}” is already used in {first}; this question is not evaluated",
    messages={"here": "the id “{id}” is already used above; this question is not evaluated"},
)
def duplicate_label_id(subject: Facts, facts: Facts) -> Iterator[Violation]:
    """Two labels have the same id, in one file or in two.

    ## Why it matters

    Results, baselines and suppressions are kept by id. Only the first label of an id is evaluated, so the second
    question is asked by nobody.

    ## Example

    ```json title="labels.json"
    [
      {"id": "q1", "question": "Do you sell scooters?", "answerable": false},
      {"id": "q1", "question": "Do you rent bikes?", "answerable": false}
    ]
    ```

    ## How to fix

    Give the later label an id of its own, or delete it if it is a copy.

    ## Repaired

    ```json title="labels.json"
    [
      {"id": "q1", "question": "Do you sell scooters?", "answerable": false},
      {"id": "q2", "question": "Do you rent bikes?", "answerable": false}
    ]
    ```
    """
    first: dict[str, LabelSource] = {}
    for file in facts.label_files.values():
        for entry in file.entries:
            earlier = first.setdefault(entry.label.id, entry)
            if earlier is entry:
                continue
            related = (Related(earlier.path, earlier.place("id"), "first used here"),)
            values = {"id": entry.label.id, "first": earlier.path}
            message = "here" if earlier.path == entry.path else ""
            yield Violation(entry.path, entry.place("id"), values, entry.label.id, related, message=message)
