"""Which documents are versions of one page. Invariant: only ids and `supersedes` decide, never a title or a date."""

from __future__ import annotations

import re
from collections.abc import Iterable

from evidencedesk.documents.document import Document

_VERSIONED = re.compile(r"(?P<stem>.+)-v(?P<number>\d{1,9})(?P<lang>-[a-z]{2,3})?")


def version_of(doc_id: str) -> tuple[str, int] | None:
    """The page and the number in ids such as `returns-v3` or `returns-v3-bn`: `("returns-bn", 3)`; None without one."""
    match = _VERSIONED.fullmatch(doc_id)
    return (match["stem"] + (match["lang"] or ""), int(match["number"])) if match else None


class Versions:
    """The version chains of a knowledge base, read once for all documents."""

    def __init__(self, documents: Iterable[Document]) -> None:
        """Where two documents share an id, the first one counts."""
        self._by_id: dict[str, Document] = {}
        for document in documents:
            self._by_id.setdefault(document.doc_id, document)
        self._successors: dict[str, list[str]] = {}
        self._pages: dict[str, list[tuple[int, str]]] = {}
        for doc_id, document in self._by_id.items():
            for older in document.supersedes:
                self._successors.setdefault(older, []).append(doc_id)
            if version := version_of(doc_id):
                self._pages.setdefault(version[0], []).append((version[1], doc_id))

    def current(self, document: Document) -> Document | None:
        """The current page that replaced `document`: by `supersedes`, else the highest current `-vN` sibling."""
        followed = self._newer(document.doc_id)
        version = version_of(document.doc_id)
        siblings = [doc_id for _, doc_id in sorted(self._pages[version[0]], reverse=True)] if version else []
        for doc_id in (*followed, *siblings):
            if doc_id != document.doc_id and self._by_id[doc_id].status == "current":
                return self._by_id[doc_id]
        return None

    def older_first(self, one: Document, other: Document) -> tuple[Document, Document] | None:
        """The two as `(older, newer)` when they are versions of one page, else None."""
        if other.doc_id in self._newer(one.doc_id):
            return one, other
        if one.doc_id in self._newer(other.doc_id):
            return other, one
        version, second = version_of(one.doc_id), version_of(other.doc_id)
        if version is None or second is None or version[0] != second[0] or version[1] == second[1]:
            return None
        return (one, other) if version[1] < second[1] else (other, one)

    def _newer(self, doc_id: str) -> list[str]:
        """Ids that supersede `doc_id`, directly or through others; a cycle ends where it began."""
        found: list[str] = []
        waiting = list(self._successors.get(doc_id, ()))
        while waiting:
            newer = waiting.pop(0)
            if newer != doc_id and newer not in found:
                found.append(newer)
                waiting += self._successors.get(newer, ())
        return found
