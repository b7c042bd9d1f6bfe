"""Which documents are versions of one page. Invariant: only ids and `supersedes` decide, never a title or a date."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from evidencedesk.documents.document import Document

_VERSIONED = re.compile(r"(?P<stem>.+)-v(?P<number>\d{1,9})(?P<lang>-[a-z]{2,3})?")


def version_of(doc_id: str) -> tuple[str, int] | None:
    """The page and the number in ids such as `returns-v3` or `returns-v3-bn`: `("returns-bn", 3)`; None without one."""
    match = _VERSIONED.fullmatch(doc_id)
    return (match["stem"] + (match["lang"] or ""), int(match["number"])) if match else None


class Head(NamedTuple):
    """What tells versions of a page apart. `named` says whether the id is written in the front matter."""

    doc_id: str
    status: str
    supersedes: tuple[str, ...]
    version: str
    title: str
    lang: str
    audience: str
    named: bool


def head_of(document: Document) -> Head:
    """The head of a document."""
    return Head(
        document.doc_id,
        document.status,
        document.supersedes,
        document.version,
        document.title,
        document.lang,
        document.audience,
        "id" in document.fields,
    )


class Versions:
    """The version chains of a knowledge base, read once for all documents. Documents are named by their ids."""

    def __init__(self, heads: Iterable[Head]) -> None:
        """`heads` are of documents with different ids."""
        self.heads = {head.doc_id: head for head in heads}
        self._successors: dict[str, list[str]] = {}
        self._pages: dict[str, list[tuple[int, str]]] = {}
        for doc_id, head in self.heads.items():
            for older in head.supersedes:
                self._successors.setdefault(older, []).append(doc_id)
            if version := version_of(doc_id):
                self._pages.setdefault(version[0], []).append((version[1], doc_id))

    def current(self, doc_id: str) -> str | None:
        """The current page that replaced a document: by `supersedes`, else the highest current `-vN` sibling."""
        followed = self._newer(doc_id)
        version = version_of(doc_id)
        siblings = [sibling for _, sibling in sorted(self._pages[version[0]], reverse=True)] if version else []
        for other in (*followed, *siblings):
            if other != doc_id and self.heads[other].status == "current":
                return other
        return None

    def older_first(self, one: str, other: str) -> tuple[str, str] | None:
        """The two as `(older, newer)` when they are versions of one page, else None."""
        if other in self._newer(one):
            return one, other
        if one in self._newer(other):
            return other, one
        version, second = version_of(one), version_of(other)
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
