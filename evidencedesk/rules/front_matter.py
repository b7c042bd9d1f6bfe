"""ED102 front-matter. Invariant: every defect of the front matter is told at its own line."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.retrieval.facts import ChunkedDocument, Facts
from evidencedesk.rule import Severity, Violation, rule

_TEMPLATES = {
    "front-matter-syntax": "",
    "front-matter-unclosed": "unclosed",
    "front-matter-not-a-mapping": "not-a-mapping",
    "front-matter-duplicate-key": "duplicate-key",
    "front-matter-second": "second",
    "front-matter-value": "value",
}


@rule(
    code="ED102",
    stage="ingestion",
    failure="",
    severity=Severity.WARNING,
    message="the front matter is no valid YAML, so fields may count as unset: {detail}",
    messages={
        "unclosed": "this front matter has no closing line of three hyphens, so it counts as text",
        "not-a-mapping": "the front matter must be a list of `key: value` lines; its fields count as unset",
        "duplicate-key": "the key “{detail}” stands in this front matter twice; keep one",
        "second": "a second front matter starts here and counts as text: a file is one document, so split it",
        "value": "this field has a value of the wrong kind: {detail}",
    },
)
def front_matter(subject: ChunkedDocument, facts: Facts) -> Iterator[Violation]:
    """The front matter of a page cannot be used as it is written.

    ## Why it matters

    Status, audience and language decide which searches may return a page. When the front matter cannot be read, the
    defaults apply: a superseded page counts as current, a page for the staff as public.

    ## Example

    ```markdown title="refunds.md"
    ---
    title: Refunds: how they work
    status: superseded
    ---
    # Refunds

    We pay back within five business days.
    ```

    ## How to fix

    Quote a value that holds a colon, an opening bracket or a percent sign; end the front matter with a line of three
    hyphens; keep each key once.

    ## Repaired

    ```markdown title="refunds.md"
    ---
    title: "Refunds: how they work"
    status: superseded
    ---
    # Refunds

    We pay back within five business days.
    ```
    """
    document = subject.document
    for defect in document.defects:
        if defect.kind in _TEMPLATES:
            values = {"detail": defect.detail}
            yield Violation(document.path, defect.span, values, defect.detail, message=_TEMPLATES[defect.kind])
