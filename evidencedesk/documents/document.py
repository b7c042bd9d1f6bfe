"""What a Document is. Invariant: spans are code points of `Document.text`; sections tile the body without gaps."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from evidencedesk.text.spans import Span

BlockKind = Literal["paragraph", "list", "table", "code", "quote", "html"]

DefectKind = Literal[
    "invalid-utf8",  # bytes that are no UTF-8; shown as U+FFFD in the text
    "nul",  # NUL characters: the file is probably binary
    "unreadable",  # the file could not be read at all; detail says why
    "front-matter-syntax",  # YAML refuses it; detail says why
    "front-matter-unclosed",
    "front-matter-not-a-mapping",
    "front-matter-duplicate-key",  # detail is the key
    "front-matter-second",  # fields of another document in the middle of the body, where they are text
    "front-matter-value",  # a known field with a value of the wrong kind; detail says what was expected
]


@dataclass(frozen=True, slots=True)
class Defect:
    """Something odd that parsing met and went past; a rule turns it into a problem."""

    kind: DefectKind
    span: Span
    detail: str = ""


@dataclass(frozen=True, slots=True)
class FrontMatterField:
    """One entry of the front matter: its value as YAML read it, and where key and value stand."""

    value: object
    key_span: Span
    value_span: Span


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The block between two `---` lines at the top. `span` covers both fences; `fields` holds top-level entries."""

    span: Span
    fields: Mapping[str, FrontMatterField]


@dataclass(frozen=True, slots=True)
class Block:
    """A top-level block of the body: whole source lines without the last line break.

    `rows` are the source lines of a table: header, delimiter row, then one span per body row; empty otherwise.
    `closed` is False only for a fence that never ends.
    """

    kind: BlockKind
    span: Span
    section: int
    rows: tuple[Span, ...] = ()
    info: str = ""
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what follows it up to the next heading of any level.

    Text before the first heading is a section with an empty heading and level 0. `heading` is the heading's plain
    text. `anchor` is unique in the document: the heading, or `Heading-1`, `Heading-2` … from its second occurrence.
    `path` holds the headings from the outermost down to this one. `body` starts after the heading's line(s).
    """

    heading: str
    anchor: str
    path: tuple[str, ...]
    level: int
    heading_span: Span
    span: Span
    body: Span


@dataclass(frozen=True, slots=True)
class Suppression:
    """A comment `<!-- evidencedesk: ignore ED201 -->`; `target` is what it covers (a block, or the whole file).

    `codes` are as written, each with its own span. An empty `codes` covers every rule.
    """

    codes: tuple[tuple[str, Span], ...]
    span: Span
    target: Span


@dataclass(frozen=True, slots=True)
class Keep:
    """A comment `<!-- evidencedesk: keep -->`: chunkers never cut `span`, a block or the body of a section."""

    span: Span
    comment: Span


@dataclass(frozen=True, slots=True)
class Document:
    """One Markdown file as the knowledge base sees it. Key: `doc_id` (two files may claim one; a rule reports it).

    `path` is relative to the workspace root, with `/`. `lang` is "" when nothing tells. `supersedes` are document ids.
    """

    doc_id: str
    path: str
    text: str
    title: str = ""
    version: str = ""
    status: str = "current"
    audience: str = "public"
    lang: str = ""
    supersedes: tuple[str, ...] = ()
    front: FrontMatter | None = None
    fields: Mapping[str, FrontMatterField] = field(default_factory=dict)
    """The known fields by their standard name (`status`, not the configured `state`), where they are written."""
    sections: tuple[Section, ...] = ()
    blocks: tuple[Block, ...] = ()
    suppressions: tuple[Suppression, ...] = ()
    kept: tuple[Keep, ...] = ()
    """What must stay in one piece, in source order and without overlaps."""
    defects: tuple[Defect, ...] = ()

    def sections_named(self, name: str) -> tuple[Section, ...]:
        """Sections that `name` may mean: the one with this anchor and, for a repeated heading, all that share it.

        Headings are NFC with single spaces, so a name in another form means the same.
        """
        name = " ".join(unicodedata.normalize("NFC", name).split())
        same_heading = tuple(section for section in self.sections if section.heading == name)
        if same_heading:
            return same_heading
        return tuple(section for section in self.sections if section.anchor == name)

    def top(self) -> Span:
        """Where a problem of the whole document stands: its first heading, else its first line."""
        for section in self.sections:
            if section.level:
                return section.heading_span
        start = len(self.text) - len(self.text.lstrip("\ufeff \t\r\n"))
        ends = [end for end in (self.text.find("\n", start), self.text.find("\r", start)) if end >= 0]
        return Span(min(start, len(self.text)), min([*ends, len(self.text)]))
