"""ED710 question-leaks-evidence. Invariant: a heading that repeats a question is good writing and never reported."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import document_of, question_of
from evidencedesk.rule import Related, Severity, Violation, rule
from evidencedesk.text.spans import Span
from evidencedesk.text.words import words

_LEAST_WORDS = 4
_WORD = re.compile(r"\w+")
_GAP = r"\W+"


@rule(
    code="ED710",
    stage="content",
    failure="",
    severity=Severity.INFORMATION,
    message="{doc_id} contains this question word for word, so any search finds it",
    messages={"body": "this text is word for word the question of {label}, so any search finds it"},
)
def question_leaks_evidence(subject: Evaluation, facts: Facts) -> Iterator[Violation]:
    """A question of four words or more stands word for word in the body of a page that it retrieves.

    Case and punctuation do not matter. A heading that repeats the question is not reported.

    ## Why it matters

    Readers do not ask in the words of the page. A question copied from it is found by every search and says nothing
    about how real questions fare.

    ## Example

    ```markdown title="returns.md"
    # Returns

    Many ask: how long can I return a bike? You have 30 days.
    ```

    ```json title="labels.json"
    [{"id": "q1", "question": "How long can I return a bike?",
      "gold": [{"section": "returns#Returns", "evidence": "You have 30 days", "grade": 2}]}]
    ```

    ## How to fix

    Ask in the label as a reader would who does not know the page, or move the question from the text to a heading.

    ## Repaired

    ```json title="labels.json"
    [{"id": "q1", "question": "When must a bike be back with you?",
      "gold": [{"section": "returns#Returns", "evidence": "You have 30 days", "grade": 2}]}]
    ```
    """
    asked = _WORD.findall(subject.label.question)
    if len(words(subject.label.question)) < _LEAST_WORDS or not asked:
        return
    lowered = [word.casefold() for word in asked]
    chunks = {
        chunk.id: chunk
        for ranking in subject.found.rankings.values()
        for chunk in ranking[: subject.contract.k]
        if _has_all(chunk.text.casefold(), lowered)
    }
    for chunk in chunks.values():
        document = document_of(facts, chunk)
        span = _in_body(document, chunk, asked)
        if span:
            question = question_of(subject)
            values = {"doc_id": document.doc_id, "label": subject.label.id}
            yield Violation(*question, values, subject.label.id, (Related(document.path, span, "the same words"),))
            related = (Related(*question, "the question"),)
            yield Violation(document.path, span, values, subject.label.id, related, message="body")
            return


def _has_all(text: str, words: list[str]) -> bool:
    return all(word in text for word in words)


def _in_body(document: Document, chunk: Chunk, asked: list[str]) -> Span | None:
    """Where the source of a chunk repeats the words of a question outside a heading."""
    copy = re.compile(rf"\b{_GAP.join(map(re.escape, asked))}\b", re.IGNORECASE)
    for match in copy.finditer(document.text, *chunk.location.span):
        span = Span(*match.span())
        if not any(section.heading_span.overlaps(span) for section in document.sections):
            return span
    return None
