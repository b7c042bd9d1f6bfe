"""Where the gold of labels stands. Invariant: a gold entry is looked for once in a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from evidencedesk.retrieval.changes import changed_keys
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.evaluation import GoldPlace
from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.retrieval.labels import Gold
from evidencedesk.text.normal import Folded, fold, holds_folded


def split_section(section: str, doc_ids: Mapping[str, object]) -> str:
    """The document id in `<doc_id>#<heading>`: up to the first `#` that leaves a known id, else up to the first `#`."""
    at = section.find("#")
    while at >= 0:
        if section[:at] in doc_ids:
            return section[:at]
        at = section.find("#", at + 1)
    return section if section in doc_ids else section.split("#", 1)[0]


@dataclass(frozen=True)
class Page:
    """A document and what was looked for in it: `places` only ever gains what follows from the document."""

    chunked: ChunkedDocument
    places: dict[Gold, GoldPlace] = field(default_factory=dict, compare=False)

    @cached_property
    def text(self) -> Folded:
        """The document's text, folded."""
        return Folded(self.chunked.document.text)

    @cached_property
    def chunks(self) -> tuple[str, ...]:
        """The texts of the chunks, folded, in their order."""
        return tuple(fold(chunk.text) for chunk in self.chunked.chunks)

    def forget_texts(self) -> None:
        """Drop what is folded."""
        for name in ("text", "chunks"):
            self.__dict__.pop(name, None)

    def place(self, gold: Gold) -> GoldPlace:
        """Where a gold entry stands in this document; the same object for equal entries."""
        return self.places.get(gold) or self.places.setdefault(gold, self._locate(gold))

    def _locate(self, gold: Gold) -> GoldPlace:
        document = self.chunked.document
        gold = replace(gold, doc_id=document.doc_id)
        sections = document.sections_named(gold.heading) if gold.heading else document.sections
        body = document.sections[0].span.start if document.sections else len(document.text)
        matches = tuple(match for match in self.text.find_all(gold.evidence) if match.span.start >= body)
        in_section = tuple(match for match in matches if any(section.span.contains(match.span) for section in sections))
        evidence = fold(gold.evidence)
        holders = tuple(
            chunk.id
            for chunk, text in zip(self.chunked.chunks, self.chunks, strict=True)
            if holds_folded(chunk.text, text, gold.evidence, evidence)
        )
        return GoldPlace(gold, document, sections, matches, in_section, holders)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The documents of a knowledge base in which evidence was looked for, by id."""

    by_id: Mapping[str, ChunkedDocument]
    pages: dict[str, Page] = field(default_factory=dict, compare=False)

    def after(self, by_id: Mapping[str, ChunkedDocument]) -> Evidence:
        """The same for later documents; those that are still the same objects are not read again."""
        kept = dict(self.pages)
        for doc_id in changed_keys(self.by_id, by_id):
            kept.pop(doc_id, None)
        return Evidence(by_id, kept)

    def place(self, gold: Gold) -> GoldPlace:
        """Where a gold entry stands."""
        doc_id = split_section(gold.section, self.by_id)
        if doc_id not in self.by_id:
            return GoldPlace(replace(gold, doc_id=doc_id), None, (), (), (), ())
        page = self.pages.get(doc_id) or self.pages.setdefault(doc_id, Page(self.by_id[doc_id]))
        return page.place(gold)

    def forget_texts(self) -> None:
        """Drop the folded texts, as large as the pages; a page is folded again when new gold is looked for."""
        for page in self.pages.values():
            page.forget_texts()

    def chunks_of(self, doc_id: str) -> tuple[Chunk, ...]:
        """The chunks of a document; none when there is no such document."""
        chunked = self.by_id.get(doc_id)
        return chunked.chunks if chunked else ()
