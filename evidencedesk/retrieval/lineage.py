"""The versions among all documents, kept while nothing that tells them apart changes. Invariant: as read afresh."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evidencedesk.documents.versions import Versions, head_of
from evidencedesk.retrieval.changes import difference
from evidencedesk.retrieval.facts import ChunkedDocument


@dataclass(frozen=True, slots=True)
class Lineage:
    """The versions of the documents `by_id`."""

    versions: Versions
    by_id: Mapping[str, ChunkedDocument]


def find_versions(before: Lineage | None, by_id: Mapping[str, ChunkedDocument]) -> Lineage:
    """The versions among these documents; the same object as `before` where all their heads are equal."""
    if before:
        changed, is_alike = difference(before.by_id, by_id)
        if is_alike and all(head_of(by_id[doc_id].document) == before.versions.heads[doc_id] for doc_id in changed):
            return Lineage(before.versions, by_id)
    return Lineage(Versions(head_of(chunked.document) for chunked in by_id.values()), by_id)
