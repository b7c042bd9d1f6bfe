"""Ways to cut a document into chunks. Invariant: a chunker is one file and one row of CHUNKERS.

What they share, so that figures of different strategies compare: no chunk holds a heading or front matter, every
character that a block of the body shows is in some chunk, chunks come in source order, and CRLF or CR reads as LF.
Pieces without a block (thematic breaks, link definitions, comments) make no chunk. What a comment
`<!-- evidencedesk: keep -->` covers is never cut: it is a chunk by itself, however long; with `section`, which cuts at
headings only, it is part of its section's.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from evidencedesk.errors import UnknownNameError
from evidencedesk.retrieval.chunking.build import Chunker
from evidencedesk.retrieval.chunking.fixed import fixed
from evidencedesk.retrieval.chunking.paragraph import paragraph
from evidencedesk.retrieval.chunking.recursive import recursive
from evidencedesk.retrieval.chunking.section import section
from evidencedesk.retrieval.chunking.structure import structure
from evidencedesk.retrieval.chunking.tokens import tokens

__all__ = ["CHUNKERS", "Chunker", "make_chunker"]

CHUNKERS: Mapping[str, Callable[..., Chunker]] = {
    "fixed": fixed,
    "section": section,
    "paragraph": paragraph,
    "structure": structure,
    "recursive": recursive,
    "tokens": tokens,
}
"""Strategy name → factory that takes the strategy's options and returns a Chunker."""


def make_chunker(name: str, **options: Any) -> Chunker:
    """The chunker of this name with these options.

    Raises UnknownNameError for a name that is no strategy and ValueError for an option that the strategy does not
    have or a value it cannot use.
    """
    if name not in CHUNKERS:
        raise UnknownNameError(f"there is no chunking strategy {name!r}; the strategies are {', '.join(CHUNKERS)}")
    known = inspect.signature(CHUNKERS[name]).parameters
    for option in options:
        if option not in known:
            accepted = f"its options are {', '.join(known)}" if known else "it has no options"
            raise ValueError(f"the chunking strategy {name!r} has no option {option!r}; {accepted}")
    return CHUNKERS[name](**options)
