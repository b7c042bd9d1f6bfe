"""ED706 evidence-ambiguous. Invariant: occurrences in one chunk, or in copies of one sentence, are no problem."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.evaluation import Evaluation, GoldPlace
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import quoted
from evidencedesk.rule import Fix, Related, Severity, Violation, rule, value_fix
from evidencedesk.text.normal import Match, fold, holds
from evidencedesk.text.spans import Span

_SENTENCE_END = re.compile(r"[.!?…。؟।](?=\s|$)|\r?\n[ \t]*\r?\n")

_SENTENCE_START = re.compile(r"(?:\A|[\r\n.!?…。؟।])[^\w\r\n]*\Z")


def _quote_more(subject: Evaluation, facts: Facts, violation: Violation) -> Iterator[Fix]:
    number = violation.values["gold"]
    place, span = subject.places[number], subject.source.spans.get(f"gold[{number}].evidence")
    if place.document is None or span is None:
        return
    text = place.document.text
    sentence = _sentence(place.document, (place.in_section or place.matches)[0].span)
    quote = sentence.of(text)
    others = (match.span for match in place.matches if not sentence.contains(match.span))
    around = (_around(span, sentence, text) for span in others)
    held = any(chunk.location.span.contains(sentence) for chunk in facts.by_id[place.document.doc_id].chunks)
    if held and not any(holds(window, quote) for window in around):
        yield value_fix(f"Quote the whole sentence: “{quoted(quote)}”", subject.source.path, span, quote)


@rule(
    code="ED706",
    stage="content",
    failure="",
    severity=Severity.INFORMATION,
    message="“{evidence}” occurs {count} times in {doc_id}, so {chunks} chunks count as the answer",
    fix=_quote_more,
)
def evidence_ambiguous(subject: Evaluation, facts: Facts) -> Iterator[Violation]:
    """The evidence of a label occurs several times in its document, in chunks that may say different things.

    Chunks are graded by document and text, so it does not matter under which heading the other occurrences stand. Where
    the whole sentence is repeated, every copy is an answer, so nothing is reported.

    ## Why it matters

    A chunk that says "30 days" about something else counts as a hit: the figures look better than the search is.

    ## Example

    ```markdown title="returns.md"
    # Returns

    ## Bikes

    You can return a bike within 30 days.

    ## Invoices

    An invoice is due within 30 days.
    ```

    ```json title="labels.json"
    [{"id": "q1", "question": "How long can I return a bike?",
      "gold": [{"section": "returns#Bikes", "evidence": "within 30 days", "grade": 2}]}]
    ```

    ```toml title="evidencedesk.toml"
    [chunking]
    strategy = "section"
    ```

    ## How to fix

    Quote more of the sentence, so that the evidence says what it is about.

    ## Repaired

    ```json title="labels.json"
    [{"id": "q1", "question": "How long can I return a bike?",
      "gold": [{"section": "returns#Bikes", "evidence": "return a bike within 30 days", "grade": 2}]}]
    ```
    """
    for number, place in enumerate(subject.places):
        if place.document is None or len(place.matches) < 2:
            continue
        holders = [held for held in _holders(place, facts.by_id[place.document.doc_id].chunks) if held]
        if not holders or frozenset.intersection(*holders) or _is_copied(place.document, place.matches):
            continue
        values = {
            "evidence": quoted(place.gold.evidence, 50),
            "count": len(place.matches),
            "doc_id": place.document.doc_id,
            "chunks": len(frozenset.union(*holders)),
            "gold": number,
        }
        related = tuple(Related(place.document.path, match.span, "occurs here") for match in place.matches[:10])
        span = subject.source.place(f"gold[{number}].evidence")
        yield Violation(subject.source.path, span, values, subject.label.id, related)


def _around(span: Span, sentence: Span, text: str) -> str:
    """What stands around `span`, wide enough to hold a copy of `sentence`, but not the sentence itself."""
    reach = 2 * (sentence.end - sentence.start)
    low, high = (sentence.end, len(text)) if span.start >= sentence.end else (0, sentence.start)
    return text[max(low, span.start - reach) : min(high, span.end + reach)]


def _holders(place: GoldPlace, chunks: tuple[Chunk, ...]) -> Iterator[frozenset[str]]:
    """Per occurrence, the ids of the chunks that hold it whole."""
    for match in place.matches:
        yield frozenset(chunk.id for chunk in chunks if chunk.location.span.contains(match.span))


def _is_copied(document: Document, matches: Sequence[Match]) -> bool:
    """Whether all matches are whole sentences, or stand in sentences that say the same."""
    if all(_is_whole(document.text, match.span) for match in matches):
        return True
    sentences = (fold(_sentence(document, match.span).of(document.text)) for match in matches)
    first = next(sentences)
    return all(sentence == first for sentence in sentences)


def _is_whole(text: str, span: Span) -> bool:
    begins = _SENTENCE_START.search(text[max(0, span.start - 20) : span.start])
    return bool(begins and (_SENTENCE_END.match(text, span.end - 1) or _SENTENCE_END.match(text, span.end)))


def _sentence(document: Document, span: Span) -> Span:
    """The sentence around `span`, inside its block; a table row is a sentence."""
    block = next((block for block in document.blocks if block.span.contains(span)), None)
    if block is None:
        return span
    row = next((row for row in block.rows if row.contains(span)), None)
    if row is not None:
        return row
    ends = [match.end() for match in _SENTENCE_END.finditer(document.text, *block.span)]
    start = max((end for end in ends if end <= span.start), default=block.span.start)
    end = min((end for end in ends if end >= span.end), default=block.span.end)
    text = document.text[start:end]
    return Span(start + len(text) - len(text.lstrip()), start + len(text.rstrip()))
