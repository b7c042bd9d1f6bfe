"""ED902 unused-suppression. Invariant: the fix removes what is not needed and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from evidencedesk.retrieval.facts import Facts, UnusedSuppression
from evidencedesk.rule import Fix, Severity, Tag, Violation, rule
from evidencedesk.text.spans import Span, TextEdit

_LINE_END = re.compile(r"[ \t]*(?:\r\n|\r|\n|\Z)(?:[ \t]*(?:\r\n|\r|\n))?")


def _remove(subject: UnusedSuppression, facts: Facts, violation: Violation) -> Iterator[Fix]:
    """One edit of the whole comment or array, so that two removals never meet and leave an `ignore` of everything."""
    file, page = facts.label_files.get(subject.path), facts.documents.get(subject.path)
    if file:
        kept = [
            code
            for entry in file.entries
            if entry.spans.get("ignore") == subject.whole
            for number, code in enumerate(entry.label.ignore)
            if entry.place(f"ignore[{number}]") != subject.span
        ]
        edit = TextEdit(subject.whole, json.dumps(kept, ensure_ascii=False))
    elif page:
        text = page.document.text
        comment = next(each for each in page.document.suppressions if each.span == subject.whole)
        kept = [code for code, span in comment.codes if span != subject.span]
        codes = Span(comment.codes[0][1].start, comment.codes[-1][1].end)
        edit = TextEdit(codes, " ".join(kept)) if kept else TextEdit(_whole_line(text, comment.span), "")
    else:
        return
    yield Fix(f"Remove the unused {subject.code}", {subject.path: (edit,)}, safe=True)


@rule(
    code="ED902",
    stage="control",
    failure="",
    severity=Severity.WARNING,
    message="{code} is ignored here, but there is no such problem any more",
    fix=_remove,
    tags=(Tag.UNNECESSARY,),
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
    rest = _LINE_END.match(text, comment.end)
    if rest is None or text[start : comment.start].strip():
        return comment
    return Span(start, rest.end())
