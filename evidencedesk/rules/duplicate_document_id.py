"""ED103 duplicate-document-id. Invariant: the first file in path order keeps the id; each later one has a problem."""

from __future__ import annotations

import json
from collections.abc import Iterator

from evidencedesk.documents.document import Document
from evidencedesk.documents.markdown import id_of_path
from evidencedesk.retrieval.facts import ChunkedDocument, Facts
from evidencedesk.rule import Fix, Related, Severity, Violation, rule
from evidencedesk.text.spans import Span, TextEdit


def _own_id(subject: ChunkedDocument, facts: Facts, violation: Violation) -> Iterator[Fix]:
    document, doc_id = subject.document, id_of_path(violation.path)
    written = document.fields.get("id")
    if written is not None and doc_id not in facts.by_id:
        edit = TextEdit(written.value_span, json.dumps(doc_id, ensure_ascii=False))
        yield Fix(f"Give this page the id “{doc_id}”", {violation.path: (edit,)})


@rule(
    code="ED103",
    stage="ingestion",
    failure="",
    severity=Severity.ERROR,
    message="the document id “{id}” is taken: {first} has it as well, and only that file is searched",
    fix=_own_id,
)
def duplicate_document_id(subject: ChunkedDocument, facts: Facts) -> Iterator[Violation]:
    """Two files claim one document id.

    ## Why it matters

    Labels, superseding pages and chunk ids name a document by its id. With two files under one id, chunks of one would
    stand for those of the other, so only the first file in path order is searched and checked against labels.

    ## Example

    ```markdown title="returns.md"
    ---
    id: returns
    ---
    # Returns

    Send it back within 30 days.
    ```

    ```markdown title="shipping.md"
    ---
    id: returns
    ---
    # Shipping

    Parcels leave every working day at noon.
    ```

    ## How to fix

    Give the second file an id of its own. This often happens when a page was copied as a starting point.

    ## Repaired

    ```markdown title="shipping.md"
    ---
    id: shipping
    ---
    # Shipping

    Parcels leave every working day at noon.
    ```
    """
    other = subject.document
    first = facts.by_id[other.doc_id].document
    if first.path != other.path:
        related = Related(first.path, _place(first), f"the first file with the id “{first.doc_id}”")
        values = {"id": first.doc_id, "first": first.path}
        yield Violation(other.path, _place(other), values, first.doc_id, (related,))


def _place(document: Document) -> Span:
    written = document.fields.get("id")
    return written.value_span if written else document.top()
