"""ED105 broken-supersedes. Invariant: every entry of `supersedes` is judged alone; a cycle is told once."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.facts import ChunkedDocument, Facts
from evidencedesk.rule import Fix, Related, Severity, Violation, rule
from evidencedesk.text.nearest import Names
from evidencedesk.text.spans import Span, TextEdit


def _nearest(subject: ChunkedDocument, facts: Facts, violation: Violation) -> Iterator[Fix]:
    nearest = violation.values.get("nearest")
    if nearest and violation.span.of(subject.document.text) == violation.values["id"]:
        yield Fix(f"Change to “{nearest}”", {violation.path: (TextEdit(violation.span, nearest),)})


@rule(
    code="ED105",
    stage="ingestion",
    failure="stale_document",
    severity=Severity.WARNING,
    message="this page supersedes “{id}”, but no document has that id",
    messages={
        "nearest": "this page supersedes “{id}”, but no document has that id; did you mean “{nearest}”?",
        "itself": "this page says that it supersedes itself",
        "cycle": "these pages supersede each other in a circle: {circle}",
    },
    fix=_nearest,
)
def broken_supersedes(subject: ChunkedDocument, facts: Facts) -> Iterator[Violation]:
    """The `supersedes` field of a page names no other document, or pages supersede each other in a circle.

    ## Why it matters

    `supersedes` ties an old page to the one that replaced it, so that a stale answer can be traced to the current one.
    A name that leads nowhere cuts that tie, mostly because the old file was renamed or the name mistyped.

    ## Example

    ```markdown title="returns-v3.md"
    ---
    id: returns-v3
    supersedes: return-v2
    ---
    # Returns

    Send it back within 30 days.
    ```

    ```markdown title="returns-v2.md"
    ---
    id: returns-v2
    status: superseded
    ---
    # Returns

    Send it back within 14 days.
    ```

    ## How to fix

    Write the id of the replaced document exactly as in its front matter (without one: its path without the ending), or
    remove the entry when the old page is gone.

    ## Repaired

    ```markdown title="returns-v3.md"
    ---
    id: returns-v3
    supersedes: returns-v2
    ---
    # Returns

    Send it back within 30 days.
    ```
    """
    document = subject.document
    for older in document.supersedes:
        span = _entry(document, older)
        if older == document.doc_id:
            yield Violation(document.path, span, {"id": older}, older, message="itself")
        elif older not in facts.by_id:
            nearest = Names(doc_id for doc_id in facts.by_id if doc_id != document.doc_id).nearest(older)
            values = {"id": older, "nearest": nearest}
            yield Violation(document.path, span, values, older, message="nearest" if nearest else "")
        elif (circle := _circle(document, older, facts)) and document.path == min(page.path for page in circle):
            names = " → ".join(page.doc_id for page in (*circle, document))
            related = tuple(Related(page.path, page.top(), "part of the circle") for page in circle[1:])
            yield Violation(document.path, span, {"circle": names}, names, related, message="cycle")


def _entry(document: Document, older: str) -> Span:
    field = document.fields.get("supersedes")
    if field is None:
        return document.top()
    found = re.compile(rf"(?<![\w-]){re.escape(older)}(?![\w-])").search(
        document.text, field.value_span.start, field.value_span.end
    )
    return Span(*found.span()) if found else field.value_span


def _circle(document: Document, older: str, facts: Facts) -> tuple[Document, ...]:
    """The pages on a way from `document` over `older` back to it; empty when there is none."""
    ways: list[tuple[Document, ...]] = [(document,)]
    seen = {document.doc_id}
    steps = (older,)
    while ways:
        way = ways.pop()
        for step in steps if len(way) == 1 else way[-1].supersedes:
            if step == document.doc_id and len(way) > 1:
                return way
            if step in facts.by_id and step not in seen:
                seen.add(step)
                ways.append((*way, facts.by_id[step].document))
    return ()
