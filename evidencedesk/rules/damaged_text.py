"""ED108 damaged-text. Invariant: code is never looked at; one problem a line and kind of damage."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from evidencedesk.documents.prose import blanked, prose
from evidencedesk.retrieval.facts import ChunkedDocument, Facts
from evidencedesk.rule import Fix, Severity, Violation, rule
from evidencedesk.text.spans import LineIndex, Span, TextEdit

# What windows-1252 shows for the bytes 80 to 9F; it leaves five of them empty, which then stay control characters.
_HIGH = {bytes([byte]).decode("cp1252", "ignore") or chr(byte): byte for byte in range(0x80, 0xA0)}
_REST = "".join(_HIGH) + "".join(map(chr, range(0xA0, 0xC0)))
# UTF-8 read as windows-1252 has these shapes: a lead letter, then as many of the rest as the lead announces.
_SEQUENCE = (
    f"(?:[\xc2-\xdf][{re.escape(_REST)}]|[\xe0-\xef][{re.escape(_REST)}]{{2}}|[\xf0-\xf4][{re.escape(_REST)}]{{3}})"
)
_MOJIBAKE = re.compile(f"{_SEQUENCE}+")
_EACH = re.compile(_SEQUENCE)
_HINT = re.compile(f"[\xc2-\xf4][{re.escape(_REST)}]")  # much quicker, and rarely found
# Characters of the rest that stand behind a capital in sound text too: "MAÇÃ”", "0.5 Å–1 Å", "Å²", "NÄ®".
_QUOTING = "\xa0«»‹›‘’‚“”„–—…"
_ORDINARY = _QUOTING + "·•°²³¹®©™§ªº"

_CONTROL = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff\ufffe\uffff\ud800-\udfff]+")
_REPLACEMENT = re.compile("\ufffd+")


def _repair(subject: ChunkedDocument, facts: Facts, violation: Violation) -> Iterator[Fix]:
    text = subject.document.text
    spans = [Span(*place) for place in violation.values.get("places", ())]
    if violation.message == "mojibake":
        edits = tuple(TextEdit(span, _restored(span.of(text))) for span in spans)
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
        "bytes": "this file is not UTF-8: {count} place(s) hold bytes that mean nothing, the first one here",
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
        yield Violation(document.path, invalid[0], {"count": len(invalid)}, "bytes", message="bytes")
    if not any(pattern.search(document.text, 1) for pattern in (_REPLACEMENT, _HINT, _CONTROL)):
        return
    text, lines = prose(document), LineIndex(document.text)
    if not invalid:
        for span, _ in _per_line(_spans(_REPLACEMENT.finditer(text)), lines):
            yield Violation(document.path, span, subject="lost")
    damaged = _spans(run for run in _MOJIBAKE.finditer(text) if _is_damage(run)) if _HINT.search(text) else []
    for span, spans in _per_line(damaged, lines):
        values = {"found": span.of(text), "meant": _restored(span.of(text)), "places": spans}
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


def _is_damage(run: re.Match[str]) -> bool:
    """Whether text of this shape can hardly be meant: single pairs must show it by themselves, several in a row do."""
    before, after = run.string[max(0, run.start() - 1) : run.start()], run.string[run.end() : run.end() + 1]
    decoded = _decoded(run[0])
    if not decoded or _CONTROL.search(decoded.replace("\ufeff", "")):
        return False
    for sequence in _EACH.findall(run[0]):
        lead, rest = sequence[0], sequence[1:]
        odd = any(char not in _QUOTING for char in rest)
        if lead in "âïð" and odd:
            return True
        if lead in "ÃÂ" and (odd or not (before.isupper() or before in _QUOTING)):
            return True
        inside = lead.isupper() and before.islower()
        if inside and (after.isalpha() or not any(char in _ORDINARY for char in rest)):
            return True
        before = rest[-1]
    rest = "".join(sequence[1:] for sequence in _EACH.findall(run[0]))
    return len(_EACH.findall(run[0])) > 1 and sum(char not in _ORDINARY for char in rest) * 2 >= len(rest)


def _restored(text: str) -> str:
    """The text before it was read in the wrong encoding, once or several times."""
    while _MOJIBAKE.fullmatch(text) and (decoded := _decoded(text)):
        text = decoded
    return text.replace("\ufeff", "")


def _decoded(text: str) -> str:
    """The text's windows-1252 bytes read as UTF-8; "" when they are none."""
    return bytes(_HIGH.get(char, ord(char) & 0xFF) for char in text).decode("utf-8", "ignore")
