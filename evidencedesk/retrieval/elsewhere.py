"""Which document holds a text that is not where it was expected. Invariant: of several, the first in path order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.changes import Mapped, changed_keys, mapped
from evidencedesk.retrieval.evaluation import Judgement
from evidencedesk.retrieval.facts import ChunkedDocument, Hit
from evidencedesk.retrieval.places import reference, section_at
from evidencedesk.text.normal import Match, find_all

_WORD = re.compile(r"\w{2,}")


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """For each missing text the first document that holds it in its body, None when none does."""

    hits: Mapping[str, Hit | None]
    by_id: Mapping[str, ChunkedDocument]
    missing: Mapped[str, Judgement, tuple[str, ...]]
    """By label id, the texts that are not in the documents that the label names."""


def find_elsewhere(
    before: Elsewhere | None, by_id: Mapping[str, ChunkedDocument], judgements: Mapping[str, Judgement]
) -> Elsewhere:
    """Where the evidence stands that is not in the document its label names.

    Texts that were looked for `before` are looked for again only where that may change the answer: in new documents
    and, when the document that held one is another now, in all from there on.
    """
    missing = mapped(before.missing if before else None, judgements, _missing)
    new = changed_keys(before.by_id, by_id) if before else []
    fresh = sorted((by_id[doc_id] for doc_id in new if doc_id in by_id), key=_path)
    stirred = set(map(_path, fresh))
    hits: dict[str, Hit | None] = {}
    for text in dict.fromkeys(chain.from_iterable(missing.made.values())):
        if before is None or text not in before.hits:
            hits[text] = first_holder(text, by_id.values())
            continue
        hit = before.hits[text]
        if hit is None:
            hits[text] = first_holder(text, fresh)
        elif by_id.get(hit.document.doc_id) is before.by_id[hit.document.doc_id]:
            hits[text] = first_holder(text, (page for page in fresh if _path(page) < hit.document.path)) or hit
        else:
            rest = (page for page in by_id.values() if _path(page) in stirred or _path(page) >= hit.document.path)
            hits[text] = first_holder(text, rest)
    return Elsewhere(hits, by_id, missing)


def _missing(judgement: Judgement) -> tuple[str, ...]:
    return tuple(place.gold.evidence for place in judgement.places if not place.matches)


def section_with(evidence: str, document: Document) -> str:
    """How a label names the first section of `document` that holds `evidence`; "" when none does."""
    for match in find_all(document.text, evidence):
        if _in_body(document, match):
            return reference(document, section_at(document, match.span.start))
    return ""


def _path(chunked: ChunkedDocument) -> str:
    return chunked.document.path


def first_holder(evidence: str, pages: Iterable[ChunkedDocument]) -> Hit | None:
    """The first of these documents that holds `evidence` in its body, with every word as it is written.

    Folding a text is slow and looking for a word is fast, so only documents with all the words are folded.
    """
    words = sorted(set(_WORD.findall(evidence)), key=lambda word: (-len(word), word))
    for document in (page.document for page in pages):
        if words and all(word in document.text for word in words):
            match = next((match for match in find_all(document.text, evidence) if _in_body(document, match)), None)
            if match:
                return Hit(document, match)
    return None


def _in_body(document: Document, match: Match) -> bool:
    return section_at(document, match.span.start) is not None
