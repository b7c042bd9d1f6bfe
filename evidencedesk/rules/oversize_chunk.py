"""ED204 oversize-chunk. Invariant: the place is exactly the text that the model does not read."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from evidencedesk.retrieval.facts import ChunkedDocument, Facts
from evidencedesk.rule import Severity, Violation, rule
from evidencedesk.text.spans import Span
from evidencedesk.text.words import words

_PIECE = re.compile(r"\S+")


@rule(
    code="ED204",
    stage="ingestion",
    failure="missed_evidence",
    severity=Severity.WARNING,
    message="the last {lost} of {all} words of chunk {chunk} are never embedded: the model reads {limit} words",
    messages={"kept": "this is kept together and has {length} {unit}, while other chunks have at most {limit}"},
)
def oversize_chunk(subject: ChunkedDocument, facts: Facts) -> Iterator[Violation]:
    """A chunk is longer than the text that the embedding model reads.

    `[retrieval] word_limit` says how many words your model reads; without it nothing is reported, since the built-in
    model reads texts of any length. Title and heading count: they are embedded in front of the text. What a comment
    `<!-- evidencedesk: keep -->` keeps together is information where it is longer than the configured chunk size.

    ## Why it matters

    A model reads a fixed number of words and drops the rest without a word. Whatever stands in the tail of a long chunk
    cannot be found by meaning, and no score shows it.

    ## Example

    ```markdown title="returns.md"
    # Returns

    A bicycle may be sent back within 30 days of delivery if it is unused and in its box.
    ```

    ```toml title="evidencedesk.toml"
    [chunking]
    strategy = "section"

    [retrieval]
    word_limit = 16
    ```

    ## How to fix

    Choose a smaller chunk size, a strategy that cuts at paragraphs, or split the section with headings.

    ## Repaired

    ```markdown title="returns.md"
    # Returns

    A bicycle may be sent back within 30 days of delivery.

    ## Condition

    It must be unused and in its box.
    ```
    """
    document = subject.document
    size = facts.chunk_size
    for keep in document.kept:
        text = keep.span.of(document.text)
        length = len(_PIECE.findall(text)) if size and size.unit == "words" else len(text)
        if size and length > size.number:
            values: dict[str, object] = {"length": length, "unit": size.unit, "limit": size.number}
            yield Violation(document.path, keep.comment, values, text[:60], (), Severity.INFORMATION, "kept")
    if facts.word_limit is None:
        return
    for chunk in subject.chunks:
        passage = chunk.to_passage().text
        if len(passage) <= facts.word_limit:  # no word is shorter than a character
            continue
        total = len(words(passage))
        lost = min(total - facts.word_limit, len(words(chunk.text)))
        if lost > 0:
            tail = _tail(document.text, chunk.location.span, lost)
            values = {"lost": lost, "all": total, "chunk": chunk.id, "limit": facts.word_limit}
            yield Violation(document.path, tail, values, chunk.section)


def _tail(text: str, span: Span, lost: int) -> Span:
    """The longest end of `span` that holds at most `lost` words and begins at a word."""
    pieces = [piece.span() for piece in _PIECE.finditer(text, span.start, span.end)]
    end = pieces[-1][1] if pieces else span.end
    at = bisect_left(range(len(pieces)), -lost, key=lambda number: -len(words(text[pieces[number][0] : end])))
    return Span(pieces[min(at, len(pieces) - 1)][0] if pieces else span.start, end)
