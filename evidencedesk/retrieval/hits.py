"""Hits of any search, seen alike. Invariant: reading a hit never fails; what it does not say is None or empty."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any


def hits_of(response: Any) -> tuple[Any, ...]:
    """The hits of a response, best first: its `hits` where it has them, else what it iterates over."""
    found: Iterable[Any] = getattr(response, "hits", response) or ()
    return tuple(found)


def id_of(hit: Any) -> Hashable | None:
    """What tells a hit from others: `doc.doc_id`, else `chunk.id`, else `chunk_id`; None when it says nothing."""
    for owner, name in (("doc", "doc_id"), ("chunk", "id"), ("", "chunk_id")):
        found = _read(_read(hit, owner) if owner else hit, name)
        if found is not None and isinstance(found, Hashable):
            return found
    return None


def text_of(hit: Any) -> str:
    """A hit's text: `doc.text`, else `chunk.text`, else `text`."""
    for owner in (_read(hit, "doc"), _read(hit, "chunk"), hit):
        found = _read(owner, "text")
        if isinstance(found, str):
            return found
    return ""


def _read(value: Any, name: str) -> Any:
    """A row's entry or an object's attribute; None when it has none."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
