"""Which documents hold a text that is not where it was expected. Invariant: documents come in path order."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import reference, section_at
from evidencedesk.text.normal import Match, find_all

_WORD = re.compile(r"\w{2,}")


def documents_with(evidence: str, facts: Facts) -> Iterator[tuple[Document, Match]]:
    """Documents whose body holds `evidence`, each with its first occurrence.

    Folding a text is slow and looking for a word is fast, so only documents that hold every word as it is written are
    folded.
    """
    words = sorted(set(_WORD.findall(evidence)), key=lambda word: (-len(word), word))
    for chunked in facts.by_id.values():
        document = chunked.document
        if words and all(word in document.text for word in words):
            match = next((match for match in find_all(document.text, evidence) if _in_body(document, match)), None)
            if match:
                yield document, match


def section_with(evidence: str, document: Document) -> str:
    """How a label names the first section of `document` that holds `evidence`; "" when none does."""
    for match in find_all(document.text, evidence):
        if _in_body(document, match):
            return reference(document, section_at(document, match.span.start))
    return ""


def _in_body(document: Document, match: Match) -> bool:
    return section_at(document, match.span.start) is not None
