"""ED108 damaged-text. Invariant: code is never looked at; one problem a line and kind of damage."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from evidencedesk.documents.prose import blanked, prose
from evidencedesk.retrieval.facts import ChunkedDocument, Facts
from evidencedesk.retrieval.places import counted
from evidencedesk.rule import Fix, Severity, Violation, rule
from evidencedesk.text.mojibake import find_mojibake, restored
from evidencedesk.text.spans import LineIndex, Span, TextEdit

_CONTROLS = "\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff\ufffe\uffff\ud800-\udfff"
_CONTROL = re.compile(f"[{_CONTROLS}]+")
_REPLACEMENT = re.compile("\ufffd+")
_SUSPECT = re.compile(f"[{_CONTROLS}\ufffd]")


def _repair(subject: ChunkedDocument, facts: Facts, violation: Violation) -> Iterator[Fix]:
    text = subject.document.text
    spans = [Span(*place) for place in violation.values.get("places", ())]
    if violation.message == "mojibake":
        edits = tuple(TextEdit(span, restored(span.of(text))) for span in spans)
        yield Fix("Restore the damaged characters of this line", {violation.path: edits})
    elif violation.message == "control":
        edits = tuple(TextEdit(span, "") for span in spans)
        yield Fix("Remove the control characters of this line", {violation.path: edits})


@rule(
    code="ED108",
    stage="ingestion",
    failure="missed_evidence",
    severity=Severity.WARNING,
    message="a character got lost here (U+FFFD stands in its place); write it again",
    messages={
        "bytes": "this file is not UTF-8: in {where} its bytes mean nothing, first here",
        "mojibake": "“{found}” is damaged text: “{meant}” was read in the wrong encoding",
        "control": "an invisible control character ({name}) stands here; it breaks the word apart",
    },
    fix=_repair,
)
def damaged_text(subject: ChunkedDocument, facts: Facts) -> Iterator[Violation]:
    r"""Characters were damaged when the text was converted or copied. Code is left alone.

    ## Why it matters

    A question with “café” does not find “cafÃ©”. Damaged characters split words, so the passage loses its terms, and
    evidence copied from the rendered page is not found in the source.

    ## Example

    ```markdown title="opening.md"
    # Opening hours

    The cafÃ© doesnâ€™t open on Mondays.
    ```

    ## How to fix

    Restore the characters (there is a quick fix for text that was read in the wrong encoding), and convert files that
    are not UTF-8 as a whole.

    ## Repaired

    ```markdown title="opening.md"
    # Opening hours

    The café doesn’t open on Mondays.
    ```
    """
    document = subject.document
    if any(defect.kind in ("unreadable", "nul") for defect in document.defects):
        return
    invalid = [defect.span for defect in document.defects if defect.kind == "invalid-utf8"]
    if invalid:
        yield Violation(document.path, invalid[0], {"where": counted(len(invalid), "place")}, "bytes", message="bytes")
    if not _SUSPECT.search(document.text) and not find_mojibake(document.text):
        return
    text, lines = prose(document), LineIndex(document.text)
    if not invalid:
        for span, _ in _per_line(_spans(_REPLACEMENT.finditer(text)), lines):
            yield Violation(document.path, span, subject="lost")
    damaged = find_mojibake(text)
    for span, spans in _per_line(damaged, lines):
        values = {"found": span.of(text), "meant": restored(span.of(text)), "places": spans}
        yield Violation(document.path, span, values, span.of(text), message="mojibake")
    # A mark at the very start of a text is a byte order mark where it belongs; damage may hold control characters.
    sound = blanked(text, damaged)
    for span, spans in _per_line(_spans(_CONTROL.finditer(sound, 1)), lines):
        name = f"U+{ord(text[span.start]):04X}"
        yield Violation(document.path, span, {"name": name, "places": spans}, name, message="control")


def _spans(runs: Iterable[re.Match[str]]) -> list[Span]:
    return [Span(*run.span()) for run in runs]


def _per_line(spans: Iterable[Span], lines: LineIndex) -> Iterator[tuple[Span, list[Span]]]:
    """The first span of each line with all spans of that line."""
    for _, group in groupby(spans, key=lambda span: lines.line_of(span.start)):
        together = list(group)
        yield together[0], together
