"""What is being typed in a file, from its text alone. Invariant: cursors know no state."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from evidencedesk_server.cursors.labels import label_cursor
from evidencedesk_server.cursors.pages import page_cursor
from evidencedesk_server.cursors.settings import settings_cursor
from evidencedesk_server.cursors.typed import Typed

__all__ = ["Typed", "cursor_at"]

_CURSORS: Mapping[str, Callable[[str, str, int], Typed | None]] = {
    ".md": page_cursor,
    ".markdown": page_cursor,
    ".mdx": page_cursor,
    ".json": label_cursor,
    ".jsonl": label_cursor,
    ".toml": settings_cursor,
}


def cursor_at(path: str, text: str, offset: int) -> Typed | None:
    """What is being typed at `offset` of a file; None where we have nothing to complete."""
    _, dot, ending = path.rpartition(".")
    cursor = _CURSORS.get(f"{dot}{ending.lower()}")
    return cursor(path, text, offset) if cursor is not None else None
