"""ED202 table-split. Invariant: a row that some chunk holds with its header is no problem."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.repairs.keeping import keep_comment
from evidencedesk.retrieval.facts import ChunkedDocument, Facts
from evidencedesk.retrieval.places import quoted
from evidencedesk.retrieval.tables import split_tables
from evidencedesk.rule import Fix, Related, Severity, Violation, rule
from evidencedesk.text.spans import Span

_SINGLY = 3


def _keep(subject: ChunkedDocument, facts: Facts, violation: Violation) -> Iterator[Fix]:
    document = subject.document
    headers = {table.header.start for table in split_tables(subject)}
    split = [block for block in document.blocks if block.rows and block.rows[0].start in headers]
    here = [block for block in split if block.span.overlaps(violation.span)]
    if not any(keep.span.overlaps(block.span) for keep in document.kept for block in split):
        every = bool(violation.message)
        edits = tuple(keep_comment(document, block.span) for block in (split if every else here))
        yield Fix(
            "Keep the tables of this page together" if every else "Keep this table together", {document.path: edits}
        )


@rule(
    code="ED202",
    stage="ingestion",
    failure="missed_evidence",
    severity=Severity.WARNING,
    message="{chunking} cuts this table: {apart} of its {rows} rows stand in no chunk with their header “{header}”",
    messages={
        "several": "{chunking} cuts {count} tables of this page, so that rows stand in no chunk with their header"
    },
    fix=_keep,
)
def table_split(subject: ChunkedDocument, facts: Facts) -> Iterator[Violation]:
    """The chunker separates rows of a table from their header, or cuts a row in two.

    A page with more than three such tables gets one problem.

    ## Why it matters

    `| Crank | 40 |` without its header says neither what is measured nor in which unit. The row is found less often,
    and read wrongly when it is.

    ## Example

    ```markdown title="torque.md"
    # Torque

    | Part      | Newton metres | Tool       |
    |-----------|---------------|------------|
    | Stem bolt | 5             | 4 mm key   |
    | Crank arm | 40            | 8 mm key   |
    | Seat post | 7             | 5 mm key   |
    ```

    ```toml title="evidencedesk.toml"
    [chunking]
    strategy = "fixed"
    size = 120
    overlap = 20
    ```

    ## How to fix

    The `structure` strategy makes a chunk of each row and repeats the header; with other strategies choose a size that
    holds the table, or split a long table under several headings. A comment `<!-- evidencedesk: keep -->` above the
    table makes it one chunk (the fix writes it).

    ## Repaired

    ```toml title="evidencedesk.toml"
    [chunking]
    strategy = "structure"
    ```
    """
    document = subject.document
    found = list(split_tables(subject))
    together = len(found) > _SINGLY
    for table in found[:1] if together else found:
        name = quoted(table.header.of(document.text).strip().strip("|"))
        values = {"chunking": facts.chunking, "apart": len(table.apart), "rows": table.rows, "header": name}
        values["count"] = len(found)
        related = [Related(document.path, table.header, "the header")]
        related += [Related(document.path, other.apart[0], "rows without their header") for other in found[1:]]
        span = Span(table.apart[0].start, table.apart[-1].end)
        shown = tuple(related) if together else tuple(related[:1])
        yield Violation(document.path, span, values, name, shown, message="several" if together else "")
