"""ED704 unknown-section. Invariant: a suggestion names a section that exists; evidence decides before likeness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.evaluation import Evaluation, GoldPlace
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import Place, beneath, quoted, reference, section_at
from evidencedesk.rule import Fix, Related, Severity, Share, Violation, rule, value_fix
from evidencedesk.text.nearest import Names
from evidencedesk.text.spans import Span


def _point_there(subject: Evaluation, facts: Facts, violation: Violation) -> Iterator[Fix]:
    suggestion, source = violation.values["suggestion"], subject.source
    if suggestion and violation.span == source.spans.get(f"gold[{violation.values['gold']}].section"):
        safe = bool(violation.values["certain"])
        yield value_fix(f"Point to “{suggestion}”", violation.path, violation.span, suggestion, safe=safe)


def _of_file(
    named: tuple[str, str], members: Sequence[tuple[Evaluation, Violation]], facts: Facts
) -> Iterator[Violation]:
    """All gold of one file that names one unknown document, where nothing can be suggested."""
    first, *others = (violation for _, violation in members)
    also = tuple(Related(one.path, one.span, "named here too") for one in others[:5])
    values = {**first.values, "count": len(members)}
    yield replace(first, values=values, related=also, message="several" if also else "")


@rule(
    code="ED704",
    stage="content",
    failure="",
    severity=Severity.ERROR,
    message="no document has the id “{doc_id}”{hint}",
    messages={
        "several": "no document has the id “{doc_id}”, which {count} gold entries of this file name",
        "heading": "{doc_id} has no heading “{heading}”{hint}",
        "misplaced": "“{heading}” does not hold the evidence{hint}",
    },
    join=_of_file,
    fix=_point_there,
)
def unknown_section(subject: Evaluation, facts: Facts) -> Iterator[Violation | Share]:
    """The gold of a label names a document or heading that does not exist, or one that does not hold the evidence.

    An unknown document is an error, since the question can never be answered (one for all gold that names it); an
    unknown heading is a warning; evidence under another heading is information, for it is found all the same.

    ## Why it matters

    Renamed pages and headings leave labels behind that point nowhere: the question counts as failed for ever, or the
    next person looks for the answer in the wrong place.

    ## Example

    ```markdown title="returns.md"
    # Returns

    ## Deadline

    You can return a bike within 30 days.
    ```

    ```json title="labels.json"
    [{"id": "q1", "question": "How long can I return a bike?",
      "gold": [{"section": "returns#Time limit", "evidence": "within 30 days", "grade": 2}]}]
    ```

    ## How to fix

    Write `<document id>#<heading>` as they are now; the fix does it where the evidence tells the section. A heading
    that occurs twice is addressed as `Heading-1` from its second occurrence on.

    ## Repaired

    ```json title="labels.json"
    [{"id": "q1", "question": "How long can I return a bike?",
      "gold": [{"section": "returns#Deadline", "evidence": "within 30 days", "grade": 2}]}]
    ```
    """
    for number, place in enumerate(subject.places):
        gold = place.gold
        if not gold.section.strip():
            continue
        if place.document is None:
            message, severity, found = "", Severity.ERROR, _document(place, facts)
        elif not place.sections:
            message, severity, found = "heading", Severity.WARNING, _heading(place, place.document, facts)
        elif place.matches and not place.in_section and not beneath(place, place.document):
            message, severity, found = "misplaced", Severity.INFORMATION, _heading(place, place.document, facts)
        else:
            continue
        hint, suggestion, at = found
        where = {section_at(place.document, match.span.start) for match in place.matches if place.document}
        values = {
            "doc_id": gold.doc_id,
            "heading": quoted(gold.heading),
            "hint": hint,
            "suggestion": suggestion,
            "gold": number,
            "certain": len(where) == 1,
        }
        related = (Related(*at, "the evidence" if place.matches else "meant perhaps"),) if at else ()
        source = subject.source
        here = Place(source.path, source.place(f"gold[{number}].section"))
        violation = Violation(*here, values, subject.label.id, related, severity, message)
        if message or suggestion:
            yield violation
        else:
            yield Share((source.path, gold.doc_id), violation)


Hint = tuple[str, str, Place | None]
"""The end of the message, the suggested section, and where that is."""


def _evidence(document: Document, span: Span) -> Hint:
    suggestion = reference(document, section_at(document, span.start))
    return f"; the evidence is in “{suggestion}”", suggestion, Place(document.path, span)


def _document(place: GoldPlace, facts: Facts) -> Hint:
    if found := facts.elsewhere.get(place.gold.evidence):
        return _evidence(found.document, found.match.span)
    nearest = Names(facts.by_id).nearest(place.gold.doc_id)
    if not nearest:
        return "", "", None
    document = facts.by_id[nearest].document
    section = next(iter(document.sections_named(place.gold.heading)), None)
    suggestion = reference(document, section)
    at = Place(document.path, section.heading_span if section else document.top())
    return f"; did you mean “{suggestion}”?", suggestion, at


def _heading(place: GoldPlace, document: Document, facts: Facts) -> Hint:
    if place.matches:
        return _evidence(document, place.matches[0].span)
    if found := facts.elsewhere.get(place.gold.evidence):
        return _evidence(found.document, found.match.span)
    nearest = Names(section.anchor for section in document.sections).nearest(place.gold.heading)
    if not nearest:
        return "", "", None
    suggestion = f"{document.doc_id}#{nearest}"
    at = Place(document.path, document.sections_named(nearest)[0].heading_span)
    return f"; did you mean “{suggestion}”?", suggestion, at
