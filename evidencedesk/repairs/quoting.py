"""Evidence widened to what tells it from the same words elsewhere. Invariant: what is quoted stands in one chunk."""

from __future__ import annotations

import re
from collections.abc import Iterable

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.evaluation import GoldPlace
from evidencedesk.text.normal import Match, fold, holds_folded
from evidencedesk.text.spans import Span

SENTENCE_END = re.compile(r"[.!?…。؟।](?=\s|$)|\r?\n[ \t]*\r?\n")


def telling_sentence(place: GoldPlace, match: Match, chunks: Iterable[Chunk]) -> Span | None:
    """The sentence around an occurrence, where a chunk holds it whole and it stands at no other occurrence."""
    if place.document is None:
        return None
    text = place.document.text
    sentence = sentence_around(place.document, match.span)
    quote = sentence.of(text)
    others = (other.span for other in place.matches if not sentence.contains(other.span))
    around = (_around(span, sentence, text) for span in others)
    held, folded = any(chunk.location.span.contains(sentence) for chunk in chunks), fold(quote)
    return sentence if held and not any(holds_folded(one, fold(one), quote, folded) for one in around) else None


def sentence_around(document: Document, span: Span) -> Span:
    """The sentence around `span`, inside its block; a table row is a sentence."""
    block = next((block for block in document.blocks if block.span.contains(span)), None)
    if block is None:
        return span
    row = next((row for row in block.rows if row.contains(span)), None)
    if row is not None:
        return row
    ends = [match.end() for match in SENTENCE_END.finditer(document.text, *block.span)]
    start = max((end for end in ends if end <= span.start), default=block.span.start)
    end = min((end for end in ends if end >= span.end), default=block.span.end)
    text = document.text[start:end]
    return Span(start + len(text) - len(text.lstrip()), start + len(text.rstrip()))


def _around(span: Span, sentence: Span, text: str) -> str:
    """What stands around `span`, wide enough to hold a copy of `sentence`, but not the sentence itself."""
    reach = 2 * (sentence.end - sentence.start)
    low, high = (sentence.end, len(text)) if span.start >= sentence.end else (0, sentence.start)
    return text[max(low, span.start - reach) : min(high, span.end + reach)]
