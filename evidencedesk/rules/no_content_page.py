"""ED107 no-content-page. Invariant: a page with one sentence of its own, a table or code has content."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.facts import ChunkedDocument, Facts
from evidencedesk.rule import Severity, Violation, rule
from evidencedesk.text.words import words

# Words such as "See also" or "More:" beside the links make no content.
_WORDS_BESIDE_LINKS = 3

_COMMENT = re.compile(r"<!--[\s\S]*?(?:-->|\Z)")
_LINK = re.compile(
    r"""
    !?\[(?:\\.|[^\[\]\\]|\[[^\[\]]*\])*\]               # the text of a link or image
    (?: \((?:\\.|[^()\\]|\([^()]*\))*\) | \[[^\]]*\] | :[ \t]*\S.* )
    | <[a-z][a-z0-9+.-]*:[^\s<>]*> | \bhttps?://\S+     # addresses
    | <a\b[^>]*>[\s\S]*?</a\s*>
    """,
    re.VERBOSE | re.IGNORECASE,
)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")


@rule(
    code="ED107",
    stage="ingestion",
    failure="irrelevant_match",
    severity=Severity.INFORMATION,
    message="this page holds nothing but links, so it is found but answers nothing",
    messages={
        "empty": "this file is empty",
        "front-matter": "this page holds nothing below its front matter",
        "headings": "this page holds nothing but headings",
    },
)
def no_content_page(subject: ChunkedDocument, facts: Facts) -> Iterator[Violation]:
    """A page has no content of its own: only front matter, headings or links.

    ## Why it matters

    A list of links has all the words of the pages it leads to and none of their answers. It takes a place in the
    results that a page with the answer could have had. An empty page is mostly one that somebody meant to write.

    ## Example

    ```markdown title="brakes.md"
    # Brakes

    See also:

    - [Bleeding hydraulic brakes](bleeding.md)
    - [Replacing the pads](pads.md)
    ```

    ## How to fix

    Write a sentence on what each link is for, or exclude navigation pages with `[documents] exclude`.

    ## Repaired

    ```markdown title="brakes.md"
    # Brakes

    Pads last about 2,000 km; replace them when less than one millimetre is left.

    - [Bleeding hydraulic brakes](bleeding.md)
    - [Replacing the pads](pads.md)
    ```
    """
    document = subject.document
    if any(defect.kind in ("unreadable", "nul", "front-matter-unclosed") for defect in document.defects):
        return
    kind = _kind(document)
    if kind is not None:
        # Site generators need section pages that hold front matter only, and these bring no chunk into the index.
        severity = Severity.HINT if kind == "front-matter" else None
        yield Violation(document.path, document.top(), subject=document.path, severity=severity, message=kind)


def _kind(document: Document) -> str | None:
    """The name of the message that fits; None for a page with content."""
    own, links = 0, 0
    for block in document.blocks:
        if block.kind in ("table", "code"):
            return None
        text, found = _LINK.subn(" ", _COMMENT.sub(" ", block.span.of(document.text)))
        links += found
        own += len(words(_TAG.sub(" ", text)))
        if own > _WORDS_BESIDE_LINKS:
            return None
    if links:
        return ""
    if own:
        return None
    if any(section.level for section in document.sections):
        return "headings"
    return "front-matter" if document.front else "empty"
