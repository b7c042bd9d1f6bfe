"""What the client says, in our terms: URIs → paths, changes → new text. Invariant: no client input makes it raise."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes, urlsplit

from lsprotocol import types

from evidencedesk.text.difference import difference
from evidencedesk.text.spans import Encoding, LineIndex, Span

_DRIVE = re.compile(r"/([A-Za-z]):(.*)", re.DOTALL)


def path_of(uri: str, windows: bool = os.name == "nt") -> str | None:
    """The absolute path that a URI names, in this system's spelling; None when it names no file (`untitled:` …).

    Percent escapes may be spelled any way (`c%3A`, `C:`); a Windows drive letter comes out in upper case.
    """
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    path = os.fsdecode(unquote_to_bytes(parts.path))
    if parts.scheme.lower() != "file" or not path.startswith("/") or "\0" in path:
        return None
    if not windows:
        return path
    if drive := _DRIVE.fullmatch(path):
        path = f"{drive[1].upper()}:{drive[2]}"
    elif parts.netloc:
        path = f"//{parts.netloc}{path}"
    return path.replace("/", "\\")


@dataclass(frozen=True, slots=True)
class Splice:
    """One edit of a buffer: `span` of the text before it became `length` characters, giving version `version`."""

    span: Span
    length: int
    version: int


def apply_changes(
    index: LineIndex, changes: Sequence[types.TextDocumentContentChangeEvent], encoding: Encoding, version: int
) -> tuple[LineIndex, list[Splice]]:
    """The text after `changes`, each applied to the result of the one before, as LSP asks; and what they replaced."""
    splices: list[Splice] = []
    for change in changes:
        text = index.text
        span = Span(0, len(text))
        if isinstance(change, types.TextDocumentContentChangePartial):
            span = span_of(index, change.range, encoding)
        index = LineIndex(text[: span.start] + change.text + text[span.end :])
        # Some clients send whole lines, or the whole text.
        changed, new = difference_of(span.of(text), change.text)
        splices.append(Splice(Span(span.start + changed.start, span.start + changed.end), len(new), version))
    return index, splices


def difference_of(old: str, new: str) -> tuple[Span, str]:
    """The part of `old` that is another in `new`, without what stays the same at both ends, and what it is there."""
    edit = difference(old, new)
    return Span(edit.start, edit.end), new[edit.start : edit.end + edit.by]


def span_of(index: LineIndex, place: types.Range, encoding: Encoding) -> Span:
    """The characters of a range; one given backwards is turned around."""
    ends = (
        index.offset(place.start.line, place.start.character, encoding),
        index.offset(place.end.line, place.end.character, encoding),
    )
    return Span(min(ends), max(ends))
