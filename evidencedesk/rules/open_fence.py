"""ED203 open-fence. Invariant: one problem at the opening line of a code fence that never ends."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evidencedesk.documents.document import Block
from evidencedesk.retrieval.facts import ChunkedDocument, Facts
from evidencedesk.rule import Fix, Related, Severity, Violation, rule
from evidencedesk.text.spans import LineIndex, Span, TextEdit

_MARK = re.compile(r"[ \t]*(`{3,}|~{3,})")
# Comments in shell and Python look like headings of level 1, so only deeper ones after an empty line count.
_HEADING = re.compile(r"(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)(?P<heading>#{2,6}[ \t]+[^\r\n]+)")


def _close(subject: ChunkedDocument, facts: Facts, violation: Violation) -> Iterator[Fix]:
    document = subject.document
    block = next(block for block in document.blocks if block.span.start == violation.span.start)
    mark = _MARK.match(violation.span.of(document.text))
    if mark is None:
        return
    newline = "\r\n" if "\r\n" in document.text else "\n"
    heading = _swallowed(block, document.text)
    if heading:
        edit = TextEdit(Span(heading.start, heading.start), f"{mark[1]}{newline}{newline}")
        yield Fix(f"Close the fence before “{heading.of(document.text).strip()}”", {document.path: (edit,)})
    end = len(document.text)
    lead = "" if document.text.endswith(("\n", "\r")) else newline
    yield Fix(
        "Close the fence at the end of the file",
        {document.path: (TextEdit(Span(end, end), f"{lead}{mark[1]}{newline}"),)},
    )


@rule(
    code="ED203",
    stage="ingestion",
    failure="missed_evidence",
    severity=Severity.WARNING,
    message="this code fence is never closed, so all that follows counts as code",
    messages={"heading": "this code fence is never closed, so all that follows counts as code, “{heading}” too"},
    fix=_close,
)
def open_fence(subject: ChunkedDocument, facts: Facts) -> Iterator[Violation]:
    """A code fence is opened and never closed.

    ## Why it matters

    All that follows is code: headings open no section, tables are no tables, and the rest of the page may end up in one
    chunk whose beginning says nothing about it.

    ## Example

    ````markdown title="update.md"
    # Firmware

    Copy the file, then run:

    ```shell
    update --port usb0

    ## Going back to the old version

    Hold both buttons for ten seconds.
    ````

    ## How to fix

    Write a line with the same marks where the code ends.

    ## Repaired

    ````markdown title="update.md"
    # Firmware

    Copy the file, then run:

    ```shell
    update --port usb0
    ```

    ## Going back to the old version

    Hold both buttons for ten seconds.
    ````
    """
    document = subject.document
    for block in document.blocks:
        if block.kind != "code" or block.closed:
            continue
        lines = LineIndex(document.text)
        span = Span(block.span.start, lines.line_span(lines.line_of(block.span.start)).end)
        heading = _swallowed(block, document.text)
        if heading is None:
            yield Violation(document.path, span, subject=block.info)
        else:
            name = heading.of(document.text).strip(" \t#")
            related = (Related(document.path, heading, "no heading any more"),)
            yield Violation(document.path, span, {"heading": name}, block.info, related, message="heading")


def _swallowed(block: Block, text: str) -> Span | None:
    """The first line inside the fence that was clearly meant as a heading."""
    found = _HEADING.search(text, block.span.start, block.span.end)
    return Span(*found.span("heading")) if found else None
