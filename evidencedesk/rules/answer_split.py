"""ED201 answer-split. Invariant: reported only when no chunk of the document holds the evidence whole."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import answers, occurrence, quoted
from evidencedesk.rule import Related, Severity, Violation, rule
from evidencedesk.text.spans import Span

_EDGE = 30


@rule(
    code="ED201",
    stage="ingestion",
    failure="missed_evidence",
    severity=Severity.WARNING,
    message="no chunk holds this answer to “{question}” whole: {chunking} cuts it between {first} and {second}, "
    "at “{tail} ‖ {head}”",
    messages={
        "label": "no chunk holds this evidence whole: {chunking} cuts it in {path} between {first} and {second}, "
        "at “{tail} ‖ {head}”",
        "outside": "this answer to “{question}” is in no chunk: it stands in text that {chunking} leaves out",
        "outside-label": "this evidence is in no chunk: in {path} it stands in text that {chunking} leaves out",
    },
)
def answer_split(subject: Evaluation, facts: Facts) -> Iterator[Violation]:
    """The chunker cuts the evidence of a question in two, so no chunk holds the whole answer.

    The problem stands at the evidence in the Markdown and at the label. The message shows the cut as `tail ‖ head`.
    When the same evidence is whole in another chunk, or another whole answer of the label is, it is information only.

    ## Why it matters

    A search returns chunks. When the answer is in none of them, no ranking can bring it back: the prompt gets one half,
    and the model makes up the other.

    ## Example

    ```markdown title="returns.md"
    # Returns

    A bicycle may be sent back within 30 days of delivery if it is unused and in its box.
    ```

    ```json title="labels.json"
    [{"id": "q1", "question": "How long can I send a bike back?",
      "gold": [{"section": "returns#Returns", "evidence": "sent back within 30 days of delivery", "grade": 2}]}]
    ```

    ```toml title="evidencedesk.toml"
    [chunking]
    strategy = "fixed"
    size = 40
    overlap = 10
    ```

    ## How to fix

    Choose a strategy that cuts at paragraphs or sections, a larger size, or an overlap longer than the evidence; or
    move the answer into one sentence near the beginning of its section.

    ## Repaired

    ```toml title="evidencedesk.toml"
    [chunking]
    strategy = "paragraph"
    ```
    """
    if not subject.label.answerable:
        return
    severity = Severity.INFORMATION if answers(subject) else None
    for number, place in enumerate(subject.places):
        shown = occurrence(place)
        if place.document is None or shown is None or place.holders:
            continue
        chunks = [
            chunk for chunk in facts.by_id[place.document.doc_id].chunks if chunk.location.span.overlaps(shown.span)
        ]
        values = {"question": quoted(subject.label.question), "chunking": facts.chunking, "path": shown.path}
        if cut := _cut(place.document.text, shown.span, chunks):
            values |= cut
        source = subject.source
        evidence = source.place(f"gold[{number}].evidence")
        at_text, at_label = ("", "label") if cut else ("outside", "outside-label")
        to_label = Related(source.path, evidence, f"the evidence of “{subject.label.id}”")
        to_text = Related(shown.path, shown.span, "the evidence in the document")
        yield Violation(shown.path, shown.span, values, subject.label.id, (to_label,), severity, at_text)
        yield Violation(source.path, evidence, values, subject.label.id, (to_text,), severity, at_label)


def _cut(text: str, evidence: Span, chunks: list[Chunk]) -> dict[str, str] | None:
    """The chunk that holds most of the beginning, the one that goes on, and the words on both sides of the cut."""
    starting = [chunk for chunk in chunks if chunk.location.span.start <= evidence.start]
    first = max(starting or chunks[:1], key=lambda chunk: chunk.location.span.end, default=None)
    if first is None:
        return None
    cut = first.location.span.end
    going_on = [chunk for chunk in chunks if chunk.location.span.end > cut]
    if cut >= evidence.end or not going_on:
        return None
    head_start = max(cut, going_on[0].location.span.start)
    return {
        "first": first.id,
        "second": going_on[0].id,
        "tail": " ".join(text[max(evidence.start, cut - _EDGE) : cut].split()),
        "head": " ".join(text[head_start : min(evidence.end, head_start + _EDGE)].split()),
    }
