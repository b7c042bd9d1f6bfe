"""ED902 unused-suppression. Invariant: the fix removes what is not needed and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evidencedesk.retrieval.facts import Facts, UnusedSuppression
from evidencedesk.rule import Fix, Severity, Violation, rule
from evidencedesk.text.spans import Span, TextEdit

_COMMA_BEFORE = re.compile(r"\s*,\s*\Z")
_COMMA_AFTER = re.compile(r"\s*,\s*")
_CODE = re.compile(r"\bED\d+\b")


def _remove(subject: UnusedSuppression, facts: Facts, violation: Violation) -> Iterator[Fix]:
    path = subject.path
    if path in facts.label_files:
        text, span = facts.label_files[path].text, subject.span
        if after := _COMMA_AFTER.match(text, span.end):
            span = Span(span.start, after.end())
        elif before := _COMMA_BEFORE.search(text, subject.whole.start, span.start):
            span = Span(before.start(), span.end)
    else:
        text = facts.documents[path].document.text
        if len(_CODE.findall(subject.whole.of(text))) > 1:
            start = subject.span.start
            while text[start - 1] in " ,":
                start -= 1
            span = Span(start, subject.span.end)
        else:
            span = _whole_line(text, subject.whole)
    yield Fix(f"Remove the unused {subject.code}", {path: (TextEdit(span, ""),)}, safe=True)


@rule(
    code="ED902",
    stage="control",
    failure="",
    severity=Severity.WARNING,
    message="{code} is ignored here, but there is no such problem any more",
    fix=_remove,
)
def unused_suppression(subject: UnusedSuppression, facts: Facts) -> Iterator[Violation]:
    """A comment or a label ignores a rule that reports nothing there.

    ## Why it matters

    What was silenced is repaired, or has moved. The comment stays and will silence the next problem of that kind, which
    then nobody sees.

    ## Example

    ```markdown title="tyres.md"
    # Tyres

    <!-- evidencedesk: ignore ED108 -->

    Road tyres take 7 bar.
    ```

    ## How to fix

    Remove the code, or the whole comment when it names no other.

    ## Repaired

    ```markdown title="tyres.md"
    # Tyres

    Road tyres take 7 bar.
    ```
    """
    yield Violation(subject.path, subject.span, {"code": subject.code}, subject.code)


def _whole_line(text: str, comment: Span) -> Span:
    """The comment, with its line and the empty line below when nothing else stands there."""
    start = max(text.rfind("\n", 0, comment.start), text.rfind("\r", 0, comment.start)) + 1
    rest = re.compile(r"[ \t]*(?:\r\n|\r|\n|\Z)(?:[ \t]*(?:\r\n|\r|\n))?").match(text, comment.end)
    if rest is None or text[start : comment.start].strip():
        return comment
    return Span(start, rest.end())
