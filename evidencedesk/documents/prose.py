"""A document's text with its code blanked out. Invariant: same length and line breaks as the text itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from evidencedesk.documents.document import Document
from evidencedesk.text.spans import LineIndex, Span

# A fence inside a list item or a quote stands behind their markers.
_FENCE = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*(?P<mark>`{3,}|~{3,})(?P<info>[^\r\n]*)")
_INLINE = re.compile(r"(?<!`)(?P<mark>`+)(?!`)(?:(?!\r?\n[ \t]*\r?\n)[\s\S])*?(?<!`)(?P=mark)(?!`)")
_HTML_CODE = re.compile(r"<(?P<tag>pre|code|script|style)\b[^>]*>[\s\S]{0,20000}?</(?P=tag)\s*>", re.IGNORECASE)
_VISIBLE = re.compile(r"[^\r\n]")


def prose(document: Document) -> str:
    """The text with code blocks (nested ones too), code spans and HTML code replaced by blanks, offset by offset."""
    masked = blanked(document.text, (block.span for block in document.blocks if block.kind == "code"))
    masked = blanked(masked, _nested_fences(document))
    for pattern in (_INLINE, _HTML_CODE):
        masked = blanked(masked, (Span(*code.span()) for code in pattern.finditer(masked)))
    return masked


def blanked(text: str, spans: Iterable[Span]) -> str:
    """`text` with the characters of these ordered spans replaced by blanks; line breaks stay."""
    parts: list[str] = []
    done = 0
    for span in spans:
        parts += [text[done : span.start], _VISIBLE.sub(" ", span.of(text))]
        done = span.end
    return "".join([*parts, text[done:]])


def _nested_fences(document: Document) -> Iterator[Span]:
    for block in document.blocks:
        if block.kind not in ("list", "quote"):
            continue
        source = block.span.of(document.text)
        if "```" in source or "~~~" in source:
            yield from (
                Span(block.span.start + span.start, block.span.start + span.end) for span in _fenced(LineIndex(source))
            )


def _fenced(lines: LineIndex) -> Iterator[Span]:
    """From each opening fence to its closing one, or to the end of the text."""
    mark, start = "", 0
    for number in range(lines.line_count):
        line = lines.line_span(number)
        fence = _FENCE.match(lines.text, line.start, line.end)
        if not fence:
            continue
        if not mark and not (fence["mark"][0] == "`" and "`" in fence["info"]):
            mark, start = fence["mark"], fence.start("mark")
        elif mark and fence["mark"].startswith(mark) and not fence["info"].strip():
            yield Span(start, line.end)
            mark = ""
    if mark:
        yield Span(start, len(lines.text))
