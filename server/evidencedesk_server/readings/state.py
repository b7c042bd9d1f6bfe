"""What readings read. Invariant: one snapshot, with the places of its files in the client's terms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evidencedesk.documents.document import Document
from evidencedesk.documents.sentences import sentences
from evidencedesk.retrieval.searchers import Searcher
from evidencedesk.rule import Problem
from evidencedesk.text.normal import fold
from evidencedesk.text.spans import Span
from evidencedesk.workspace.config import Config
from evidencedesk.workspace.snapshot import Snapshot
from evidencedesk_server.hover_places import PlaceTexts
from evidencedesk_server.hover_text import Escape, HoverTexts, Parts
from evidencedesk_server.mentions import Mentions
from evidencedesk_server.messages import Chars, Style
from evidencedesk_server.to_lsp import Texts


@dataclass(frozen=True)
class State:
    """A snapshot and what is derived from it, once and when first needed.

    `escape` makes document text harmless in hovers; `takes` says which paths the folder speaks for, whose URI is
    `folder`. `config` and `searchers` are those that made the snapshot; for `last_parts` see HoverTexts.
    """

    snapshot: Snapshot
    texts: Texts
    escape: Escape
    takes: Callable[[str], bool]
    folder: str
    style: Style
    config: Config
    searchers: Mapping[str, Searcher]
    last_parts: Parts | None = None

    @cached_property
    def problems(self) -> Mapping[str, Sequence[Problem]]:
        """The problems by path."""
        found: dict[str, list[Problem]] = defaultdict(list)
        for problem in self.snapshot.problems:
            found[problem.path].append(problem)
        return found

    @cached_property
    def allowed(self) -> frozenset[str]:
        """Ids of the chunks inside the configured scope.

        A set of its own: searchers take it for one that will not come again, and keep nothing for it.
        """
        return frozenset(self.snapshot.facts.catalog.allowed(self.config.contract().scope))

    @cached_property
    def hovers(self) -> HoverTexts:
        """What hovers say."""
        link = self.chunk_link if self.style["markdown"] else None
        return HoverTexts(self.snapshot, self.escape, link, self.last_parts)

    @cached_property
    def mentions(self) -> Mentions:
        """Which labels speak of which places."""
        return Mentions(self.snapshot)

    @cached_property
    def names(self) -> PlaceTexts:
        """What hovers say of names."""
        return PlaceTexts(self.snapshot, lambda: self.mentions, self.escape, self.chunk_link)

    def sentences(self, document: Document, part: Span) -> Sequence[tuple[Span, str]]:
        """The sentences in a part of a document, each with its folded text."""
        key = document.path, part
        if key not in self._sentences:
            spans = sentences(document, part)
            self._sentences[key] = [(span, fold(span.of(document.text))) for span in spans]
        return self._sentences[key]

    @cached_property
    def _sentences(self) -> dict[tuple[str, Span], Sequence[tuple[Span, str]]]:
        return {}

    def chunk_link(self, chunk_id: str) -> str:
        """A chunk's id as a link to its text, where the client shows links and the chunk is there."""
        chunk = self.snapshot.facts.catalog.by_id.get(chunk_id)
        if chunk is None or not self.style["markdown"]:
            return self.escape(chunk_id)
        line, column = self.texts.index(chunk.path).position(chunk.location.span.start, "utf-16")
        uri = self.texts.uri_of(chunk.path).replace("(", "%28").replace(")", "%29")
        return f"[{self.escape(chunk_id)}]({uri}#L{line + 1},{column + 1})"

    def place(self, path: str, span: Span, asked: str) -> Any:
        """The range of a span; of the file `asked` about, characters that the loop makes a range of."""
        return chars(span) if path == asked else self.texts.range(path, span)


def chars(span: Span) -> Chars:
    """A span of the file that was asked about."""
    return Chars(chars=[span.start, span.end])
