"""ED110 front-matter-date. Invariant: dates are judged as written; what may be right in some order passes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

from evidencedesk.retrieval.facts import ChunkedDocument, Facts
from evidencedesk.rule import Severity, Violation, rule

_DATE_KEY = re.compile(
    r"(?:.*[._-])?(?:date|updated|modified|lastmod|published|created|reviewed|revised|changed)"
    r"|(?:date|updated|modified|published|created|reviewed|revised)[._-]?(?:at|on|time)"
    r"|(?:last|publish|create|modif|update|review|revision)[a-z]*[._-]?(?:date|updated|modified|reviewed)",
    re.IGNORECASE,
)
_AHEAD_KEY = re.compile(
    r"expir|until|valid|due|next|end|start|event|release|effective|publishdate|sunset", re.IGNORECASE
)
_US_KEYS = ("ms.date",)

_ISO = re.compile(r"[\"']?(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)")
_SLASHED = re.compile(r"[\"']?(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?!\d)")


@rule(
    code="ED110",
    stage="ingestion",
    failure="",
    severity=Severity.WARNING,
    message="{written} is a date that no calendar has",
    messages={"future": "{written} lies in the future (today is {today})"},
)
def front_matter_date(subject: ChunkedDocument, facts: Facts) -> Iterator[Violation]:
    """A date in the front matter does not exist, or says that something was done in the future.

    Keys that look ahead, such as `expiry_date` or `next_review_date`, may lie in the future. Tomorrow passes too:
    somewhere it is tomorrow already.

    ## Why it matters

    Search systems sort and filter by these fields: a page dated in the future stays on top for good, and one whose date
    cannot be read drops out of the filter, or stops the import.

    ## Example

    ```markdown title="opening.md"
    ---
    updated: 2025-02-30
    ---
    # Opening hours

    We open at nine.
    ```

    ## How to fix

    Write the day on which the page was changed, best as year-month-day.

    ## Repaired

    ```markdown title="opening.md"
    ---
    updated: 2025-02-28
    ---
    # Opening hours

    We open at nine.
    ```
    """
    document = subject.document
    if document.front is None:
        return
    for key, field in document.front.fields.items():
        if not _DATE_KEY.fullmatch(key):
            continue
        source = field.value_span.of(document.text)
        possible = _possible(source, us=key in _US_KEYS)
        if possible is None:
            continue
        values = {"written": source.strip("\"'"), "today": facts.today.isoformat()}
        if not possible:
            yield Violation(document.path, field.value_span, values, key)
        elif min(possible) > facts.today + timedelta(days=1) and not _AHEAD_KEY.search(key):
            yield Violation(document.path, field.value_span, values, key, message="future")


def _possible(source: str, us: bool) -> list[date] | None:
    """The days that `source` may mean; None when it has no shape of a date."""
    if found := _ISO.match(source):
        orders = [(found[1], found[3], found[4])]
    elif found := _SLASHED.match(source):
        orders = [(found[4], found[1], found[3])]
        if not us:
            orders.append((found[4], found[3], found[1]))
    else:
        return None
    days = []
    for year, month, day in orders:
        try:
            days.append(date(int(year), int(month), int(day)))
        except ValueError:
            continue
    return days
