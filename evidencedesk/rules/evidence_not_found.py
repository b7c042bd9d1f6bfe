"""ED705 evidence-not-found. Invariant: evidence that is found only by folding is found."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import Place, question_of, quoted, reference, section_at
from evidencedesk.rule import Fix, Related, Severity, Violation, rule, value_fix
from evidencedesk.text.nearest import Passage, nearest_passage
from evidencedesk.text.normal import find_all
from evidencedesk.text.spans import TextEdit


def _follow(subject: Evaluation, facts: Facts, violation: Violation) -> Iterator[Fix]:
    values, spans = violation.values, subject.source.spans
    gold, path = f"gold[{values['gold']}]", subject.source.path
    if values["nearest"] and f"{gold}.evidence" in spans:
        span = spans[f"{gold}.evidence"]
        title = f"Take the evidence from the page, which {values['difference']}"
        yield value_fix(title, path, span, values["nearest"])
        there = violation if violation.message == "page" else violation.related[0]
        edit = TextEdit(there.span, subject.label.gold[values["gold"]].evidence)
        yield Fix("Put the words of the label back on the page", {there.path: (edit,)})
    if values["elsewhere"] and f"{gold}.section" in spans:
        title = f"Point to “{values['elsewhere']}”, which holds the evidence"
        yield value_fix(title, path, spans[f"{gold}.section"], values["elsewhere"])


@rule(
    code="ED705",
    stage="content",
    failure="",
    severity=Severity.WARNING,
    message="the evidence is not in {doc_id}, and nothing there resembles it",
    messages={
        "near": "the evidence is not in {doc_id}; the nearest text there {difference}",
        "elsewhere": "the evidence is not in {doc_id}, but in “{elsewhere}”",
        "page": "{label}, “{question}”, expects “{evidence}” on this page; the text here {difference}",
    },
    fix=_follow,
)
def evidence_not_found(subject: Evaluation, facts: Facts) -> Iterator[Violation]:
    """The evidence of a label does not occur in the document that the label names.

    White space, quotation marks, dashes and inline markup do not matter. When a similar text is found, the message says
    which words differ, and the place in the page gets the problem too. Evidence under another heading of the same
    document is found; the rule unknown-section mentions the heading.

    ## Why it matters

    Either an edit changed the answer and the label is out of date, or an answer was lost by accident. Until it is
    decided which, the question cannot be scored.

    ## Example

    ```markdown title="returns.md"
    # Returns

    You can return a bike within 14 days of delivery.
    ```

    ```json title="labels.json"
    [{"id": "q1", "question": "How long can I return a bike?",
      "gold": [{"section": "returns#Returns", "evidence": "return a bike within 30 days of delivery", "grade": 2}]}]
    ```

    ## How to fix

    Where the page is right, take the evidence from it. Where the label is right, put the answer back. Fixes do both.

    ## Repaired

    ```json title="labels.json"
    [{"id": "q1", "question": "How long can I return a bike?",
      "gold": [{"section": "returns#Returns", "evidence": "return a bike within 14 days of delivery", "grade": 2}]}]
    ```
    """
    for number, place in enumerate(subject.places):
        evidence, document = place.gold.evidence, place.document
        if document is None or place.matches or not evidence.strip():
            continue
        other = facts.elsewhere.get(evidence)
        near = None if other else _near(document, evidence)
        values = {
            "doc_id": document.doc_id,
            "gold": number,
            "elsewhere": reference(other.document, section_at(other.document, other.match.span.start)) if other else "",
            "nearest": near.span.of(document.text) if near else "",
            "difference": _difference(near, document) if near else "",
            "label": subject.label.id,
            "question": quoted(subject.label.question),
            "evidence": quoted(evidence),
        }
        label, at = Place(subject.source.path, subject.source.place(f"gold[{number}].evidence")), None
        if other:
            at = Place(other.document.path, other.match.span)
        elif near:
            at = Place(document.path, near.span)
        related = (Related(*at, "the evidence" if other else "the nearest text"),) if at else ()
        message = "elsewhere" if other else "near" if near else ""
        yield Violation(*label, values, subject.label.id, related, message=message)
        if at and near:
            asked = (Related(*label, "the evidence"), Related(*question_of(subject), "the question"))
            yield Violation(*at, values, subject.label.id, asked, message="page")


def _near(document: Document, evidence: str) -> Passage | None:
    """The passage nearest to `evidence` that would itself be found as evidence."""
    near = nearest_passage(document.text, evidence)
    if near is None or section_at(document, near.span.start) is None:
        return None
    return near if find_all(document.text, near.span.of(document.text)) else None


def _difference(near: Passage, document: Document) -> str:
    changes = list(dict.fromkeys(_change(*change) for change in near.changes))
    if 0 < len(changes) <= 3:
        return "has " + ", ".join(changes)
    return f"is “{quoted(near.span.of(document.text), 120)}”"


def _change(wanted: str, found: str) -> str:
    if wanted and found:
        return f"“{quoted(found)}” instead of “{quoted(wanted)}”"
    return f"“{quoted(found)}” more" if found else f"no “{quoted(wanted)}”"
