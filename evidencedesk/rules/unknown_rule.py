"""ED901 unknown-rule. Invariant: every suppressed code that does not exist is told where it is written."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evidencedesk.retrieval.facts import ChunkedDocument, Facts
from evidencedesk.retrieval.label_file import LabelFile
from evidencedesk.rule import Fix, Severity, Violation, rule
from evidencedesk.text.spans import Span, TextEdit


def _nearest(subject: ChunkedDocument | LabelFile, facts: Facts, violation: Violation) -> Iterator[Fix]:
    nearest = violation.values["nearest"]
    if nearest:
        written = '"{}"' if isinstance(subject, LabelFile) else "{}"
        edit = TextEdit(violation.span, written.format(nearest))
        yield Fix(f"Change to {nearest}", {violation.path: (edit,)})


@rule(
    code="ED901",
    stage="control",
    failure="",
    severity=Severity.ERROR,
    message="there is no rule “{code}”, so this ignores nothing",
    messages={"nearest": "there is no rule “{code}”, so this ignores nothing; did you mean {nearest}?"},
    fix=_nearest,
)
def unknown_rule(subject: ChunkedDocument | LabelFile, facts: Facts) -> Iterator[Violation]:
    """A comment or a label asks to ignore a rule that does not exist.

    ## Why it matters

    The writer believes that a problem is silenced or settled; it is neither. `evidencedesk rule` lists all codes.

    ## Example

    ```markdown title="tyres.md"
    # Tyres

    <!-- evidencedesk: ignore ed108 -->

    The label says “2 barâ€¦”, and the ending is copied as it stands.
    ```

    ## How to fix

    Write the code as the problem shows it, such as `ED201`, or remove the comment.

    ## Repaired

    ```markdown title="tyres.md"
    # Tyres

    <!-- evidencedesk: ignore ED108 -->

    The label says “2 barâ€¦”, and the ending is copied as it stands.
    ```
    """
    if isinstance(subject, LabelFile):
        for entry in subject.entries:
            for number, code in enumerate(entry.label.ignore):
                if code not in facts.rule_codes:
                    yield _violation(subject.path, entry.place(f"ignore[{number}]"), code, facts)
        return
    for suppression in subject.document.suppressions:
        for code, span in suppression.codes:
            if code not in facts.rule_codes:
                yield _violation(subject.document.path, span, code, facts)


def _violation(path: str, span: Span, code: str, facts: Facts) -> Violation:
    # Only the spelling is guessed: a wrong number is as near to one code as to the next.
    meant = re.sub(r"[^A-Z0-9]", "", code.upper())
    nearest = meant if meant in facts.rule_codes else ""
    return Violation(path, span, {"code": code, "nearest": nearest}, code, message="nearest" if nearest else "")
