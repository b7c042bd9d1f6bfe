"""ED201 answer-split. Invariant: reported only when no chunk of the document holds the evidence whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evidencedesk.repairs.keeping import keep_whole
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import Place, answers, listed, occurrence, quoted
from evidencedesk.rule import Fix, Related, Severity, Share, Violation, rule
from evidencedesk.text.spans import Span

_EDGE = 40
_MAX_RELATED = 5


def _keep(subject: Evaluation, facts: Facts, violation: Violation) -> Iterator[Fix]:
    there = violation if violation.path in facts.documents else violation.related[0]
    yield from keep_whole(facts.documents[there.path].document, there.span)


def _on_page(
    cut_at: Sequence[Any], members: Sequence[tuple[Evaluation, tuple[Place, Related]]], facts: Facts
) -> Iterator[Violation]:
    """What one cut parts, at the evidence in the document."""
    path = cut_at[0]
    spans = [shown.span for _, (shown, _) in members]
    span = Span(min(span.start for span in spans), max(span.end for span in spans))
    cut = _cut(Place(path, span), facts)
    questions = dict.fromkeys(f"“{quoted(evaluation.label.question)}”" for evaluation, _ in members)
    values = {"chunking": facts.chunking, "questions": listed(list(questions), 2)}
    severity = Severity.HINT if all(answers(evaluation) for evaluation, _ in members) else None
    related = tuple(related for _, (_, related) in members[:_MAX_RELATED])
    yield Violation(path, span, values | cut, path, related, severity, "" if cut else "outside")


@rule(
    code="ED201",
    stage="ingestion",
    failure="missed_evidence",
    severity=Severity.WARNING,
    message="no chunk holds the answer to {questions} whole: {chunking} cuts it between {first} and {second}, "
    "at “{tail} ‖ {head}”{longer}",
    messages={
        "label": "no chunk holds this evidence whole: {chunking} cuts it in {path} between {first} and {second}, "
        "at “{tail} ‖ {head}”{longer}",
        "outside": "the answer to {questions} is in no chunk: it stands in text that {chunking} leaves out",
        "outside-label": "this evidence is in no chunk: in {path} it stands in text that {chunking} leaves out",
    },
    join=_on_page,
    fix=_keep,
)
def answer_split(subject: Evaluation, facts: Facts) -> Iterator[Violation | Share]:
    """The chunker cuts the evidence of a question in two, so no chunk holds the whole answer.

    The problem stands at the evidence in the Markdown, once for all that one cut parts, and at the label. The message
    shows the cut as `tail ‖ head`. Where another answer of the label is whole in a chunk, it is a hint only.

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

    Choose a strategy that cuts at paragraphs or sections, a larger size, or an overlap longer than the evidence. Or
    keep the answer together with a comment `<!-- evidencedesk: keep -->` above its paragraph (the fix writes it), which
    every strategy here honours, and your own pipeline should. Evidence that is longer than any chunk needs a
    larger size, or a label that quotes only what answers the question.

    ## Repaired

    ```toml title="evidencedesk.toml"
    [chunking]
    strategy = "paragraph"
    ```
    """
    label = subject.label
    for number, gold in enumerate(subject.places):
        shown = occurrence(gold)
        if not label.answerable or shown is None or gold.holders:
            continue
        source = subject.source
        evidence = source.place(f"gold[{number}].evidence")
        values = {"chunking": facts.chunking, "path": shown.path}
        cut = _cut(shown, facts)
        severity = Severity.HINT if answers(subject) else None
        to_text = Related(shown.path, shown.span, "the evidence in the document")
        message = "label" if cut else "outside-label"
        yield Violation(source.path, evidence, values | cut, label.id, (to_text,), severity, message)
        if "ED201" not in label.ignore:
            where = (shown.path, cut["first"], cut["second"]) if cut else shown
            yield Share(where, (shown, Related(source.path, evidence, f"the evidence of “{label.id}”")))


def _cut(shown: Place, facts: Facts) -> dict[str, str]:
    """The chunk that holds most of the beginning, the one that goes on, and the words on both sides of the cut.

    Empty when the chunks hold all there is between them, so that the rest stands in no chunk.
    """
    text, evidence = facts.documents[shown.path].document.text, shown.span
    longest = max((len(chunk.location.span.of(text)) for chunk in facts.documents[shown.path].chunks), default=0)
    chunks = [chunk for chunk in facts.documents[shown.path].chunks if chunk.location.span.overlaps(evidence)]
    starting = [chunk for chunk in chunks if chunk.location.span.start <= evidence.start]
    first = max(starting or chunks[:1], key=lambda chunk: chunk.location.span.end, default=None)
    if first is None:
        return {}
    cut = first.location.span.end
    going_on = next((chunk for chunk in chunks if chunk.location.span.end > cut), None)
    if cut >= evidence.end or going_on is None:
        return {}
    tail = " ".join(text[evidence.start : cut].split())
    head = " ".join(text[max(cut, going_on.location.span.start) : evidence.end].split())
    length = len(evidence.of(text))
    return {
        "longer": f"; it has {length} characters, more than any chunk of this page" if length > longest else "",
        "first": first.id,
        "second": going_on.id,
        "tail": f"…{tail[-_EDGE:].partition(' ')[2] or tail[-_EDGE:]}" if len(tail) > _EDGE else tail,
        "head": quoted(head, _EDGE),
    }
