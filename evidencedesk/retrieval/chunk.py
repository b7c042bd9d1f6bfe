"""What a Chunk is: the unit that is indexed, ranked and put into a prompt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from evidencedesk.text.spans import Span

ChunkKind = Literal["text", "table", "code", "list"]


@dataclass(frozen=True, slots=True)
class Location:
    """Where a chunk stands in its file.

    `label` is `"{section}, lines {first}-{last}"`; lines count from 1 at the top of the file, both ends inclusive.
    `span` is code points of the document's text. `heading` is the span of the heading above the chunk (empty at the
    start of the body when there is none).
    """

    label: str
    span: Span
    first_line: int
    last_line: int
    heading: Span


class Passage(NamedTuple):
    """What is embedded for a chunk: its id and the text that a model reads."""

    passage_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of one document. Key: `id` = `<doc_id>:c<n>`, n from 0 per document and strategy.

    `text` holds no heading; it equals the source at `location.span` up to what its chunker documents (white space
    collapsed, a table header repeated). `section` is the anchor of the section in which the chunk starts.
    """

    id: str
    doc_id: str
    text: str
    kind: ChunkKind
    location: Location
    path: str = ""
    section: str = ""
    title: str = ""
    status: str = "current"
    audience: str = "public"
    lang: str = ""

    def to_passage(self) -> Passage:
        """What an embedding model reads: title and section above the text."""
        heading = self.passage_heading
        return Passage(self.id, f"{heading}\n{self.text}" if heading else self.text)

    @property
    def passage_heading(self) -> str:
        """The line above the text of the passage; empty when there is none."""
        return " – ".join(part for part in (self.title, self.section) if part)


def doc_id_in(chunk_id: str) -> str:
    """The document's id in the id of one of its chunks."""
    return chunk_id.rpartition(":c")[0]


def number_in(chunk_id: str) -> int:
    """Which of its document's chunks an id names, from 0."""
    return int(chunk_id.rpartition(":c")[2])
