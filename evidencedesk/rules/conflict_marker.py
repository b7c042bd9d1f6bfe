"""ED109 conflict-marker. Invariant: one problem a conflict, at its first marker; code is left alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evidencedesk.documents.document import Document
from evidencedesk.documents.prose import prose
from evidencedesk.retrieval.facts import ChunkedDocument, Facts
from evidencedesk.rule import Fix, Related, Severity, Violation, rule
from evidencedesk.text.spans import LineIndex, Span, TextEdit

# Seven nested quotes look like a closing marker, so only a single name may follow it.
_MARKER = re.compile(
    r"(?:(?P<open><{7})(?: .*)?|\|{7}(?: .*)?|={7}|(?P<close>>{7})(?: [^ ]+(?: \(.*\))?)?)\s*", re.DOTALL
)


_NEXT_LINE = re.compile(r"\r\n|\r|\n")


def _keep_one(subject: ChunkedDocument, facts: Facts, violation: Violation) -> Iterator[Fix]:
    if violation.message:
        return
    text = subject.document.text
    opening, *between, closing = violation.span, *(related.span for related in violation.related)
    middle = next((span for span in between if span.of(text).startswith("=")), None)
    if middle is None or not closing.of(text).startswith(">"):
        return
    end = _line_after(closing, text)
    first = (Span(opening.start, _line_after(opening, text)), Span(between[0].start, end))
    second = (Span(opening.start, _line_after(middle, text)), Span(closing.start, end))
    for title, spans in (("Keep the first version", first), ("Keep the second version", second)):
        yield Fix(title, {subject.document.path: tuple(TextEdit(span, "") for span in spans)})


@rule(
    code="ED109",
    stage="ingestion",
    failure="",
    severity=Severity.ERROR,
    message="an unresolved merge conflict stands here; both versions are indexed as one text",
    messages={"left": "a marker of a merge conflict was left here"},
    fix=_keep_one,
)
def conflict_marker(subject: ChunkedDocument, facts: Facts) -> Iterator[Violation]:
    """A merge conflict was committed without being resolved. Code blocks that show one are left alone.

    ## Why it matters

    Both versions of the text are indexed side by side, so a search returns the old and the new answer in one passage,
    and the marker lines turn into headings and quotes that tear sections apart.

    ## Example

    ```markdown title="returns.md"
    # Returns

    <<<<<<< HEAD
    Send it back within 30 days.
    =======
    Send it back within 14 days.
    >>>>>>> old-policy
    ```

    ## How to fix

    Keep one of the versions, and delete the three marker lines.

    ## Repaired

    ```markdown title="returns.md"
    # Returns

    Send it back within 30 days.
    ```
    """
    document = subject.document
    if "<<<<<<<" not in document.text and ">>>>>>>" not in document.text:
        return
    conflict: list[Span] = []
    text = prose(document)
    lines = LineIndex(text)
    for number in range(lines.line_count):
        line = lines.line_span(number)
        marker = _MARKER.fullmatch(text, *line)
        if not marker or not (marker["open"] or marker["close"] or conflict):
            continue
        if marker["open"] and conflict:
            yield _violation(document, conflict)
            conflict = []
        conflict.append(line)
        if marker["close"]:
            yield _violation(document, conflict)
            conflict = []
    if conflict:
        yield _violation(document, conflict)


def _line_after(line: Span, text: str) -> int:
    found = _NEXT_LINE.match(text, line.end)
    return found.end() if found else line.end


def _violation(document: Document, markers: list[Span]) -> Violation:
    first = markers[0].of(document.text).strip()
    whole = len(markers) > 2 and first.startswith("<")
    related = tuple(Related(document.path, span, "marker of the same conflict") for span in markers[1:])
    return Violation(document.path, markers[0], subject=first, related=related, message="" if whole else "left")
