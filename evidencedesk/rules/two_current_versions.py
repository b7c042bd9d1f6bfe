"""ED104 two-current-versions. Invariant: without `supersedes`, `version` or ids such as `-v2` it is silent."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from evidencedesk.documents.document import Document
from evidencedesk.documents.versions import Head, version_of
from evidencedesk.repairs.front_matter import key_of, set_field
from evidencedesk.retrieval.facts import Facts
from evidencedesk.rule import Fix, Related, Severity, Tag, Violation, rule
from evidencedesk.text.spans import Span


def _mark_superseded(subject: Facts, facts: Facts, violation: Violation) -> Iterator[Fix]:
    pages = [chunked.document for chunked in facts.documents.values()]
    older = facts.documents[violation.path].document
    newer = facts.by_id[violation.values["newer"]].document
    marked = set_field(older, "status", key_of("status", pages), "superseded")
    if marked is None:
        return
    if not newer.supersedes and "supersedes" not in newer.fields and newer.path != older.path:
        named = set_field(newer, "supersedes", key_of("supersedes", pages), older.doc_id)
        if named is not None:
            title = f"Mark this page as superseded, and say so in {newer.path}"
            yield Fix(title, {violation.path: (marked,), newer.path: (named,)})
    yield Fix("Mark this page as superseded", {violation.path: (marked,)})


@rule(
    code="ED104",
    stage="ingestion",
    failure="stale_document",
    severity=Severity.WARNING,
    message="{older} and {newer} are two versions of one page, and both are current: searches return either",
    messages={"declared": "{newer} supersedes this page, but it is still marked as current: searches return either"},
    fix=_mark_superseded,
    tags=(Tag.DEPRECATED,),
)
def two_current_versions(subject: Facts, facts: Facts) -> Iterator[Violation]:
    """An older version of a page is still current beside the newer one.

    Two documents count as versions of one page when the newer says that it supersedes the older, when their ids differ
    only in `-v2` and `-v3`, or when title, language and audience are the same and the `version` fields differ.

    ## Why it matters

    Both versions answer the same questions, and the old one often ranks first: the reader gets last year's answer.

    ## Example

    ```markdown title="returns-v2.md"
    ---
    id: returns-v2
    title: Returns
    ---
    # Returns

    Send it back within 14 days.
    ```

    ```markdown title="returns-v3.md"
    ---
    id: returns-v3
    title: Returns
    ---
    # Returns

    Send it back within 30 days.
    ```

    ## How to fix

    Set `status: superseded` in the older page. Where both are really in force, give them different titles or audiences.

    ## Repaired

    ```markdown title="returns-v2.md"
    ---
    id: returns-v2
    title: Returns
    status: superseded
    ---
    # Returns

    Send it back within 14 days.
    ```
    """
    heads = facts.versions.heads
    current = [head for head in heads.values() if head.status == "current"]
    found: dict[str, tuple[str, str]] = {}
    for newer in current:
        for doc_id in newer.supersedes:
            if doc_id in heads and doc_id != newer.doc_id and heads[doc_id].status == "current":
                found.setdefault(doc_id, (newer.doc_id, "declared"))
    for versions in _versions(current):
        newest = max(versions, key=lambda version: version[0])
        for version, older in versions:
            if version < newest[0]:
                found.setdefault(older.doc_id, (newest[1].doc_id, ""))
    for doc_id, (newer_id, message) in found.items():
        older_page, newer_page = facts.by_id[doc_id].document, facts.by_id[newer_id].document
        related = (Related(newer_page.path, _place(newer_page), "the newer version"),)
        values = {"older": doc_id, "newer": newer_id}
        yield Violation(older_page.path, _place(older_page), values, doc_id, related, message=message)


Version = tuple[tuple[int, ...], str]


def _versions(heads: Iterable[Head]) -> Iterator[list[tuple[Version, Head]]]:
    """Groups of heads that are versions of one page, each with its version."""
    groups: dict[tuple[str, ...], list[tuple[Version, Head]]] = defaultdict(list)
    for head in heads:
        if named := version_of(head.doc_id):
            # A file name alone is weak: guides "migrating-to-v3" and "-v4" are different pages, as their titles tell.
            title = "" if head.named else head.title
            page, number = named
            groups["id", page, head.lang, head.audience, title].append((((number,), ""), head))
        if head.version and head.title:
            same = ("title", head.title.casefold(), head.lang, head.audience)
            groups[same].append((_version(head.version), head))
    yield from groups.values()


def _version(written: str) -> Version:
    numbers = tuple(map(int, re.findall(r"\d{1,18}", written)))
    return numbers, "" if numbers else written


def _place(document: Document) -> Span:
    written = document.fields.get("status") or document.fields.get("title")
    return written.value_span if written else document.top()
