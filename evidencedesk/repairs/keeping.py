"""An answer kept in one chunk. Invariant: only white space and a `keep` comment are written; every word stays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from evidencedesk.documents.document import Block, Document
from evidencedesk.documents.sentences import sentences
from evidencedesk.retrieval.places import quoted, section_at
from evidencedesk.rule import Fix
from evidencedesk.text.spans import Span, TextEdit

_NOUNS = {"list": "list", "table": "table", "code": "code block", "quote": "quote", "html": "block"}
# A line may begin so without becoming a heading, a list, a quote or a rule.
_STARTS_PROSE = re.compile(r"[\"'“‘«(]?(?:[^\W\d_]|\d+[ %\w])")
_MARKS = re.compile(r"\*\*|__|[*_`]")


def keep_whole(document: Document, span: Span) -> Iterator[Fix]:
    """What keeps the text at `span` in one chunk under every strategy, the least first.

    The paragraph's sentences that hold it by themselves; the block that holds it; the text under its heading. Nothing
    where it crosses a heading, or is kept as it stands.
    """
    section = section_at(document, span.start)
    if section is None or not section.body.contains(span) or any(keep.span.contains(span) for keep in document.kept):
        return
    blocks = [block for block in document.blocks if block.span.overlaps(span)]
    if not blocks or any(keep.span.overlaps(span) for keep in document.kept):
        return
    if edits := _own_paragraph(document, blocks, span):
        yield Fix("Put the answer in a paragraph of its own and keep it together", {document.path: edits})
    if len(blocks) == 1:
        noun = _NOUNS.get(blocks[0].kind, "paragraph")
        title = f"Keep this {noun} together ({_size(document, blocks[0].span)})"
        yield Fix(title, {document.path: (keep_comment(document, blocks[0].span),)})
    elif section.level:
        title = f"Keep the text under “{quoted(section.heading, 40)}” together ({_size(document, section.body)})"
        yield Fix(title, {document.path: (keep_comment(document, section.heading_span),)})


def keep_comment(document: Document, span: Span) -> TextEdit:
    """The edit that writes the comment above a block or a heading."""
    text = document.text
    line = max(text.rfind("\n", 0, span.start), text.rfind("\r", 0, span.start)) + 1
    return TextEdit(Span(line, line), f"<!-- evidencedesk: keep -->{line_end(text)}")


def line_end(text: str) -> str:
    """The line break that a text uses."""
    return "\r\n" if "\r\n" in text else "\r" if "\r" in text and "\n" not in text else "\n"


def _size(document: Document, span: Span) -> str:
    return f"{len(span.of(document.text).strip()):,} characters"


def _own_paragraph(document: Document, blocks: list[Block], span: Span) -> tuple[TextEdit, ...]:
    """Edits that put blank lines around the sentences that hold `span`, and take those inside it away.

    Nothing where that would change how the text reads as Markdown, or where the sentences are all of the paragraph.
    """
    text = document.text
    whole = Span(blocks[0].span.start, blocks[-1].span.end)
    if any(block.kind != "paragraph" for block in blocks):
        return ()
    found = [sentence for sentence in sentences(document, whole) if sentence.overlaps(span)]
    if not found:
        return ()
    own = Span(min(found[0].start, span.start), max(found[-1].end, span.end))
    before, after = Span(whole.start, own.start), Span(own.end, whole.end)
    if before.start >= before.end and after.start >= after.end and len(blocks) == 1:
        return ()
    parts = [part.of(text).strip() for part in (before, own, after)]
    if any(part and not (_STARTS_PROSE.match(part) and _is_closed(part)) for part in parts):
        return ()
    newline = line_end(text)
    edits = []
    for one, other in pairwise(blocks):
        edits.append(TextEdit(Span(one.span.end, other.span.start), newline))
    if parts[0]:
        gap = Span(before.start + len(before.of(text).rstrip()), own.start)
        edits.append(TextEdit(gap, f"{newline}{newline}<!-- evidencedesk: keep -->{newline}"))
    else:
        edits.append(keep_comment(document, own))
    if parts[2]:
        gap = Span(own.end, own.end + len(after.of(text)) - len(after.of(text).lstrip()))
        edits.append(TextEdit(gap, newline * 2))
    return tuple(edits)


def _is_closed(part: str) -> bool:
    """Whether inline marks, brackets and link targets that begin in the part end in it."""
    marks = _MARKS.findall(part)
    return all(marks.count(mark) % 2 == 0 for mark in set(marks)) and part.count("[") == part.count("]")
