"""ED101 unreadable-file. Invariant: one problem a file, at the first thing that makes it unreadable."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.retrieval.facts import ChunkedDocument, Facts
from evidencedesk.rule import Severity, Violation, rule


@rule(
    code="ED101",
    stage="ingestion",
    failure="missed_evidence",
    severity=Severity.ERROR,
    message="this file cannot be read: {reason}; nothing in it can be found",
    messages={
        "nul": "this file holds {count} NUL characters, so it is probably not text: save it as UTF-8, or exclude it"
    },
)
def unreadable_file(subject: ChunkedDocument, facts: Facts) -> Iterator[Violation]:
    r"""A file of the knowledge base cannot be read, or is not text.

    ## Why it matters

    A file that cannot be opened is missing from the index without a word, and so are all answers in it. A file with NUL
    characters is mostly a binary file with the wrong ending, or UTF-16 without a byte order mark: what the index gets
    from it is noise.

    ## Example

    ```markdown title="tyres.md" encoding="escaped"
    # Tyres

    Pump them up to 4 bar.\x00\x00
    ```

    ## How to fix

    Save the file as UTF-8 text, give yourself the right to read it, or exclude it with `[documents] exclude`.

    ## Repaired

    ```markdown title="tyres.md"
    # Tyres

    Pump them up to 4 bar.
    ```
    """
    document = subject.document
    for defect in document.defects:
        if defect.kind == "unreadable":
            yield Violation(document.path, defect.span, {"reason": defect.detail}, document.path)
            return
        if defect.kind == "nul":
            count = document.text.count("\0") or 1
            yield Violation(document.path, defect.span, {"count": count}, document.path, message="nul")
            return
