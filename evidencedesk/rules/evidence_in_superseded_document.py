"""ED707 evidence-in-superseded-document. Invariant: a label whose own scope admits the status asks for such a page."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.retrieval.elsewhere import section_with
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import field_of
from evidencedesk.rule import Fix, Related, Severity, Tag, Violation, rule, value_fix


def _point_to_current(subject: Evaluation, facts: Facts, violation: Violation) -> Iterator[Fix]:
    section, source = violation.values["section"], subject.source
    if section and violation.span == source.spans.get(f"gold[{violation.values['gold']}].section"):
        yield value_fix(f"Point to “{section}”, which says the same", violation.path, violation.span, section)


@rule(
    code="ED707",
    stage="content",
    failure="stale_document",
    severity=Severity.WARNING,
    message="the gold stands in {doc_id}, whose status is “{status}”{current}",
    fix=_point_to_current,
    tags=(Tag.DEPRECATED,),
)
def evidence_in_superseded_document(subject: Evaluation, facts: Facts) -> Iterator[Violation]:
    """The gold of a label stands in a document that is not current.

    A label may ask for such a page on purpose: give it a `scope` whose `statuses` admit the page.

    ## Why it matters

    A search that returns only current pages can never find this answer, and where it is found, it is out of date.

    ## Example

    ```markdown title="returns-v2.md"
    ---
    status: superseded
    ---
    # Returns

    Send the bike back in its box.
    ```

    ```markdown title="returns-v3.md"
    # Returns

    ## Packing

    Send the bike back in its box.
    ```

    ```json title="labels.json"
    [{"id": "q1", "question": "How do I pack the bike?",
      "gold": [{"section": "returns-v2#Returns", "evidence": "in its box", "grade": 2}]}]
    ```

    ## How to fix

    Take the gold from the page that replaced the old one. The fix does it where that page holds the same evidence.

    ## Repaired

    ```json title="labels.json"
    [{"id": "q1", "question": "How do I pack the bike?",
      "gold": [{"section": "returns-v3#Packing", "evidence": "in its box", "grade": 2}]}]
    ```
    """
    scope = subject.label.scope
    for number, place in enumerate(subject.places):
        document = place.document
        if document is None or document.status == "current" or (scope and document.status in scope.statuses):
            continue
        newer = facts.versions.current(document.doc_id)
        current = facts.by_id[newer].document if newer else None
        section = section_with(place.gold.evidence, current) if current else ""
        says = f", and holds the evidence under “{section}”" if section else ", and does not hold the evidence"
        values = {
            "doc_id": document.doc_id,
            "status": document.status,
            "current": f"; the current page is {current.doc_id}{says}" if current else "",
            "section": section,
            "gold": number,
        }
        related: tuple[Related, ...] = (Related(*field_of(document, "status"), f"the status of {document.doc_id}"),)
        if current:
            related = (*related, Related(current.path, current.top(), "the current page"))
        span = subject.source.place(f"gold[{number}].section")
        yield Violation(subject.source.path, span, values, subject.label.id, related)
