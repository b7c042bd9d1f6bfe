"""ED706 evidence-ambiguous. Invariant: occurrences in one chunk, or in copies of one sentence, are no problem."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from evidencedesk.documents.document import Document
from evidencedesk.repairs.quoting import SENTENCE_END, sentence_around, telling_sentence
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.evaluation import Evaluation, GoldPlace
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import quoted, reference, section_at
from evidencedesk.rule import Fix, Related, Severity, Violation, rule
from evidencedesk.text.normal import Match, fold
from evidencedesk.text.spans import LineIndex, Span, TextEdit

_MAX_CHOICES = 5
_SENTENCE_START = re.compile(r"(?:\A|[\r\n.!?…。؟।])[^\w\r\n]*\Z")


def _quote_more(subject: Evaluation, facts: Facts, violation: Violation) -> Iterator[Fix]:
    number = violation.values["gold"]
    place, spans, path = subject.places[number], subject.source.spans, subject.source.path
    evidence, section = (spans.get(f"gold[{number}].{key}") for key in ("evidence", "section"))
    if place.document is None or evidence is None or section is None:
        return
    chunks = facts.by_id[place.document.doc_id].chunks
    shown = (place.in_section or place.matches)[0]
    others = [match for match in place.matches if match != shown]
    for match in [shown, *others[:_MAX_CHOICES]]:
        sentence = telling_sentence(place, match, chunks)
        if sentence is None:
            continue
        quote = sentence.of(place.document.text)
        edits = [TextEdit(evidence, json.dumps(quote, ensure_ascii=False))]
        home = reference(place.document, section_at(place.document, sentence.start))
        if match is shown:
            yield Fix(f"Quote the whole sentence: “{quoted(quote)}”", {path: tuple(edits)})
            continue
        if home != place.gold.section:
            edits.append(TextEdit(section, json.dumps(home, ensure_ascii=False)))
        where = f"line {LineIndex(place.document.text).line_of(sentence.start) + 1}"
        yield Fix(f"Mean the one in {where}: “{quoted(quote)}”", {path: tuple(edits)})


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


def _holders(place: GoldPlace, chunks: tuple[Chunk, ...]) -> Iterator[frozenset[str]]:
    """Per occurrence, the ids of the chunks that hold it whole."""
    for match in place.matches:
        yield frozenset(chunk.id for chunk in chunks if chunk.location.span.contains(match.span))


def _is_copied(document: Document, matches: Sequence[Match]) -> bool:
    """Whether all matches are whole sentences, or stand in sentences that say the same."""
    if all(_is_whole(document.text, match.span) for match in matches):
        return True
    sentences = (fold(sentence_around(document, match.span).of(document.text)) for match in matches)
    first = next(sentences)
    return all(sentence == first for sentence in sentences)


def _is_whole(text: str, span: Span) -> bool:
    begins = _SENTENCE_START.search(text[max(0, span.start - 20) : span.start])
    return bool(begins and (SENTENCE_END.match(text, span.end - 1) or SENTENCE_END.match(text, span.end)))
