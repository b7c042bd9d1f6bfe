"""ED703 duplicate-label-id. Invariant: the first label in path order keeps the id; every later one is reported."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.label_file import LabelFile, LabelSource
from evidencedesk.retrieval.label_writing import next_id
from evidencedesk.rule import Fix, Related, Severity, Violation, rule, value_fix

_SINGLY = 3


def _own_id(subject: LabelFile, facts: Facts, violation: Violation) -> Iterator[Fix]:
    if violation.message == "several":
        return
    taken = {entry.label.id for file in facts.label_files.values() for entry in file.entries}
    label_id = next_id([entry.label.id for entry in subject.entries], taken)
    yield value_fix(f"Name it “{label_id}”", violation.path, violation.span, label_id)


@rule(
    code="ED703",
    stage="content",
    failure="",
    severity=Severity.ERROR,
    message="the id “{id}” is already used in {first}; this question is not evaluated",
    messages={
        "here": "the id “{id}” is already used above; this question is not evaluated",
        "several": "{count} ids of this file are already used in {first}, {id} the first of them; these questions are "
        "not evaluated",
    },
    fix=_own_id,
)
def duplicate_label_id(subject: LabelFile, facts: Facts) -> Iterator[Violation]:
    """Two labels have the same id, in one file or in two.

    A file that shares more than three ids with an earlier one is one problem.

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

    Give the later label an id of its own, or delete it if it is a copy. Where a whole file holds the same questions as
    another, keep one of them: `exclude` in the section `[documents]` of the configuration leaves out label files too.

    ## Repaired

    ```json title="labels.json"
    [
      {"id": "q1", "question": "Do you sell scooters?", "answerable": false},
      {"id": "q2", "question": "Do you rent bikes?", "answerable": false}
    ]
    ```
    """
    shared: dict[str, list[tuple[LabelSource, LabelSource]]] = defaultdict(list)
    for entry in subject.entries:
        earlier = facts.evaluations[entry.label.id].source
        if earlier is not entry:
            shared[earlier.path].append((earlier, entry))
    for earlier_path, pairs in shared.items():
        together = subject.path != earlier_path and len(pairs) > _SINGLY
        for earlier, entry in pairs[:1] if together else pairs:
            related = (Related(earlier_path, earlier.place("id"), "first used here"),)
            values = {"id": entry.label.id, "first": earlier_path, "count": len(pairs)}
            message = "several" if together else "here" if subject.path == earlier_path else ""
            yield Violation(subject.path, entry.place("id"), values, entry.label.id, related, message=message)
