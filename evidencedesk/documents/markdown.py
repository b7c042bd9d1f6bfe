"""Text → Document. Invariant: parsing never fails; sections tile the body, blocks are whole lines inside a section."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from markdown_it.token import Token

from evidencedesk.documents.block_parser import block_tokens
from evidencedesk.documents.document import Block, BlockKind, Defect, Document, Section
from evidencedesk.documents.frontmatter import FieldMap, later_headers, read_header
from evidencedesk.documents.headings import plain_heading
from evidencedesk.documents.language import guess_language
from evidencedesk.documents.suppressions import COMMENT_MARK, read_comments
from evidencedesk.text.spans import Span, line_starts

_KINDS: dict[str, BlockKind] = {
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "blockquote_open": "quote",
    "html_block": "html",
}

_FENCE_LINE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*\Z")
_ENDING = re.compile(r"(?<=[^/])\.[^./]+\Z")


def parse_document(path: str, text: str, fields: FieldMap | None = None, bad: tuple[Span, ...] = ()) -> Document:
    """Parse one file. `path` has `/`; `bad` are the U+FFFD that stand for undecodable bytes (see `decode`).

    Blocks are CommonMark with GFM tables. Thematic breaks and link reference definitions are no blocks: they hold
    nothing to find. A heading inside a list or quote opens no section.
    """
    fields = fields or FieldMap()
    header = read_header(text, fields)
    tokens, environment = block_tokens(text[header.body :])
    lines = _Lines(text, header.body)
    sections = _sections(tokens, environment, lines)
    blocks = _blocks(tokens, sections, lines)
    later = later_headers(text, header, fields)
    # What stands in code means nothing; few pages hold anything that it could hide.
    hides = bool(later) or COMMENT_MARK in text
    code = [lines.span(token) for token in tokens if token.type in ("fence", "code_block")] if hides else []
    comments = read_comments(text, header.body, blocks, sections, code)
    nul = text.find("\0")
    texts = header.texts
    doc_id = texts.get("id") or id_of_path(path)
    return Document(
        doc_id=doc_id,
        path=path,
        text=text,
        title=texts.get("title") or _first_heading(sections) or doc_id.rsplit("/", 1)[-1],
        version=texts.get("version", ""),
        status=texts.get("status", "current"),
        audience=texts.get("audience", "public"),
        lang=texts.get("lang") or guess_language(text[header.body :]),
        supersedes=header.supersedes,
        front=header.front,
        fields=header.fields,
        sections=sections,
        blocks=blocks,
        suppressions=comments.suppressions,
        kept=comments.kept,
        defects=(
            *(Defect("invalid-utf8", span) for span in bad),
            *([Defect("nul", Span(nul, nul + 1))] if nul >= 0 else []),
            *header.defects,
            *(Defect("front-matter-second", span) for span in later if not any(area.contains(span) for area in code)),
        ),
    )


def id_of_path(path: str) -> str:
    """The id of a document that names none: its path without the ending."""
    return _ENDING.sub("", path)


class _Lines:
    """The parser's line numbers, which count from the body, as spans of the whole text."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        starts = line_starts(text, start)
        self.starts = [*starts, len(text)]
        if "\r" in text:
            self._ends = [first + len(text[first:end].rstrip("\r\n")) for first, end in pairwise(self.starts)]
        else:
            self._ends = [*(start - 1 for start in starts[1:]), len(text)]

    def line(self, number: int) -> Span:
        """A line without its line break."""
        return Span(self.starts[number], self._ends[number])

    def of(self, token: Token) -> range:
        """The token's lines but for blank ones at its end, which the parser counts to lists and open fences."""
        first, last = token.map or (0, 0)
        while last > first + 1 and not self.text[self.starts[last - 1] : self._ends[last - 1]].strip(" \t"):
            last -= 1
        return range(first, last)

    def span(self, token: Token) -> Span:
        numbers = self.of(token)
        return Span(self.starts[numbers[0]], self._ends[numbers[-1]])


def _sections(tokens: Sequence[Token], environment: dict[str, Any], lines: _Lines) -> tuple[Section, ...]:
    headings = [
        (token, plain_heading(inline.content, environment))
        for token, inline in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0
    ]
    text, start = lines.text, lines.starts[0]
    anchors = _anchors([heading for _, heading in headings])
    sections: list[Section] = []
    spans = [lines.span(token) for token, _ in headings]
    first = spans[0].start if headings else len(text)
    if text[start:first].strip():
        whole = Span(start, first)
        sections.append(Section("", "", (), 0, Span(start, start), whole, whole))
        start = first
    path: list[tuple[int, str]] = []
    for number, (token, heading) in enumerate(headings):
        level = int(token.tag[1:])
        path = [*(outer for outer in path if outer[0] < level), (level, heading)]
        end = spans[number + 1].start if number + 1 < len(headings) else len(text)
        names = tuple(name for _, name in path)
        body = Span(lines.starts[token.map[1] if token.map else 0], end)
        sections.append(Section(heading, anchors[number], names, level, spans[number], Span(start, end), body))
        start = end
    return tuple(sections)


def _anchors(headings: Sequence[str]) -> list[str]:
    taken = set(headings)
    counts: Counter[str] = Counter()
    anchors: list[str] = []
    for heading in headings:
        anchor = heading
        while counts[heading] and anchor in taken:
            anchor = f"{heading}-{counts[heading]}"
            counts[heading] += 1
        counts[heading] = counts[heading] or 1
        taken.add(anchor)
        anchors.append(anchor)
    return anchors


def _first_heading(sections: Sequence[Section]) -> str:
    headings = [section for section in sections if section.level and section.heading]
    top = next((section for section in headings if section.level == 1), None)
    return top.heading if top else headings[0].heading if headings else ""


def _blocks(tokens: Sequence[Token], sections: Sequence[Section], lines: _Lines) -> tuple[Block, ...]:
    starts = [section.span.start for section in sections]
    blocks: list[Block] = []
    for token in tokens:
        kind = _KINDS.get(token.type)
        if kind is None or token.level:
            continue
        span = lines.span(token)
        rows = tuple(map(lines.line, lines.of(token))) if kind == "table" else ()
        closed = token.type != "fence" or _is_closed(token, lines)
        blocks.append(Block(kind, span, bisect_right(starts, span.start) - 1, rows, token.info.strip(), closed))
    return tuple(blocks)


def _is_closed(fence: Token, lines: _Lines) -> bool:
    """Whether a fence ends with a closing line: the parser stops at the first line that could be one."""
    numbers = lines.of(fence)
    last = _FENCE_LINE.match(lines.line(numbers[-1]).of(lines.text))
    return bool(len(numbers) > 1 and last and last[1].startswith(fence.markup))
