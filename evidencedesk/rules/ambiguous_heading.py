"""ED106 ambiguous-heading. Invariant: only a heading that a label addresses is reported."""

from __future__ import annotations

import json
from collections.abc import Iterator

from evidencedesk.retrieval.evaluation import Evaluation, GoldPlace
from evidencedesk.retrieval.facts import Facts
from evidencedesk.rule import Fix, Related, Severity, Violation, rule
from evidencedesk.text.spans import LineIndex, TextEdit


def _exact_section(subject: Evaluation, facts: Facts, violation: Violation) -> Iterator[Fix]:
    exact = violation.values["exact"]
    if exact:
        edit = TextEdit(violation.span, json.dumps(exact, ensure_ascii=False))
        yield Fix(f"Name the section that holds the evidence: “{exact}”", {violation.path: (edit,)})


@rule(
    code="ED106",
    stage="ingestion",
    failure="",
    severity=Severity.WARNING,
    message="“{heading}” is ambiguous: {count} sections of {path} have this heading (lines {lines})",
    fix=_exact_section,
)
def ambiguous_heading(subject: Evaluation, facts: Facts) -> Iterator[Violation]:
    """A label names a section by a heading that its document has more than once.

    ## Why it matters

    Nobody can tell which of the sections the label means, and when one of them changes, the wrong one may be taken for
    the answer. Repeated headings that no label names are no problem and are not reported.

    ## Example

    ```markdown title="pump.md"
    # Pump

    ## Settings

    Road tyres take 7 bar.

    ## Mountain pump

    ### Settings

    Wide tyres take 2 bar.
    ```

    ```json title="labels.json"
    [{"id": "q1", "question": "How hard are wide tyres pumped?",
      "gold": [{"section": "pump#Settings", "evidence": "Wide tyres take 2 bar.", "grade": 2}]}]
    ```

    ## How to fix

    Give the sections different headings. Where they must stay, name the second and later ones by number: the second
    `Settings` is `Settings-1`, the third `Settings-2`.

    ## Repaired

    ```json title="labels.json"
    [{"id": "q1", "question": "How hard are wide tyres pumped?",
      "gold": [{"section": "pump#Settings-1", "evidence": "Wide tyres take 2 bar.", "grade": 2}]}]
    ```
    """
    for number, place in enumerate(subject.places):
        document = place.document
        if document is None or not place.gold.heading or len(place.sections) < 2:
            continue
        index = LineIndex(document.text)
        lines = [index.line_of(section.heading_span.start) + 1 for section in place.sections]
        related = tuple(
            Related(document.path, section.heading_span, f"“{section.heading}”, line {line}")
            for section, line in zip(place.sections, lines, strict=True)
        )
        values = {
            "heading": place.gold.heading,
            "count": len(lines),
            "path": document.path,
            "lines": ", ".join(map(str, lines)),
            "exact": _exact(place),
        }
        span = subject.source.place(f"gold[{number}].section")
        yield Violation(subject.source.path, span, values, subject.label.id, related)


def _exact(place: GoldPlace) -> str:
    """The unambiguous name of the only section that holds the evidence; "" when there is none."""
    holding = [
        section for section in place.sections if any(section.span.contains(match.span) for match in place.in_section)
    ]
    if len(holding) != 1 or holding[0].anchor == place.gold.heading:
        return ""
    return f"{place.gold.doc_id}#{holding[0].anchor}"
