"""What an author wants in one piece. Invariant: a kept stretch makes one chunk by itself, or is part of a section's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from evidencedesk.documents.document import Document
from evidencedesk.text.spans import Span


class Stretch(NamedTuple):
    """A part of the source that may be cut, or that is `kept` whole."""

    span: Span
    kept: bool


def stretches(document: Document, part: Span) -> Iterator[Stretch]:
    """What `part` of the body consists of, in order; the comments that keep something are left out."""
    done = part.start
    if document.kept:
        kept = [Stretch(keep.span, True) for keep in document.kept]
        comments = (keep.comment for keep in document.kept)
        left_out = [Stretch(span, False) for span in comments if not any(one.span.overlaps(span) for one in kept)]
        for one in sorted(kept + left_out):
            if part.contains(one.span):
                yield Stretch(Span(done, one.span.start), False)
                if one.kept:
                    yield one
                done = one.span.end
    yield Stretch(Span(done, part.end), False)
