"""Links of a page and the anchors that they lead to. Invariant: what stands in code is no link.

Links are inline ones and images, link definitions, and `href` or `src` in HTML. Anchors are named as GitHub does it.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from evidencedesk.documents.document import Document
from evidencedesk.documents.suppressions import code_spans
from evidencedesk.text.spans import Span

_TARGET = re.compile(
    r"""
    \]\([ \t]*(?:<(?P<angle>[^<>\r\n]+)>|(?P<bare>[^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)*))(?=[\s)])
    |^[ ]{0,3}\[(?!\^)[^\]\r\n]+\]:[ \t]*(?:<(?P<defined_angle>[^<>\r\n]+)>|(?P<defined>[^\s<>]+))
    |\b(?:href|src)[ ]*=[ ]*(?:"(?P<double>[^"<>\r\n]+)"|'(?P<single>[^'<>\r\n]+)')
    """,
    re.VERBOSE | re.MULTILINE,
)
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_EXPLICIT_ID = re.compile(r"\{(?:/\*|[^{}]*?#)(?P<id>[\w:.-]+)(?:\*/|[^{}]*)\}[ \t]*\Z")
_NO_SLUG = re.compile(r"[^\w\- ]")
_ENDINGS = (".md", ".markdown", ".mdx")
INDEX_NAMES = ("index", "README", "readme", "_index")
"""Pages that a link to their folder leads to, without their ending."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link into the workspace: the decoded `path` ("" for the page itself) and `fragment`, and where they stand.

    `fragment_span` is None where there is no `#`. `angled` is whether the target stands in angle brackets.
    """

    path: str
    path_span: Span
    fragment: str = ""
    fragment_span: Span | None = None
    angled: bool = False


def find_links(document: Document) -> Iterator[Link]:
    """The links of a page that lead to files of the workspace, or to places in the page itself, in order."""
    text = document.text
    body = document.sections[0].span.start if document.sections else len(text)
    blocks = [block.span for block in document.blocks]
    inline_code: dict[Span, list[Span]] = {}
    for match in _TARGET.finditer(text, body):
        kind = match.lastgroup or "bare"
        start, end = match.span(kind)
        target = match[kind]
        if _ELSEWHERE.match(target):
            continue
        at = bisect_right(blocks, (match.start(), len(text))) - 1
        if at >= 0 and blocks[at].end > match.start():
            home = blocks[at]
            if document.blocks[at].kind == "code":
                continue
            if home not in inline_code:
                inline_code[home] = code_spans(text, home)
            if any(span.start <= match.start() < span.end for span in inline_code[home]):
                continue
        path, mark, fragment = target.partition("#")
        plain = path.partition("?")[0]
        yield Link(
            path=unquote(plain),
            path_span=Span(start, start + len(plain)),
            fragment=unquote(fragment),
            fragment_span=Span(start + len(path) + 1, end) if mark else None,
            angled=kind.endswith("angle"),
        )


def resolve(link: str, origin: str, exists: Callable[[str], object]) -> str | None:
    """The path of the file that the path of a link in the file `origin` names; None when there is none.

    A path from the root begins with `/`. The ending may be missing, and a folder stands for its index page.
    """
    if not link:
        return origin
    base = "" if link.startswith("/") else posixpath.dirname(origin)
    path = posixpath.normpath(posixpath.join(base, link.lstrip("/") if not base else link))
    path = "" if path == "." else path
    candidates = [path, *(path + ending for ending in _ENDINGS)]
    candidates += [posixpath.join(path, name + ending) for name in INDEX_NAMES for ending in _ENDINGS]
    return next((candidate for candidate in candidates if candidate and exists(candidate)), None)


def as_link(path: str, *, angled: bool) -> str:
    """A path as it is written in a link: only what would end or change it is escaped."""
    special = "%#?<>" if angled else "%#?<>() "
    return "".join(f"%{ord(letter):02X}" if letter in special else letter for letter in path)


def slug(heading: str) -> str:
    """GitHub's anchor for a heading: lower case, punctuation dropped, spaces as hyphens."""
    return _NO_SLUG.sub("", heading.strip().lower()).replace(" ", "-")


def anchors(document: Document) -> Mapping[str, int]:
    """Anchor → number of its section, the first of equal ones: explicit ids (`{#id}`), else slugs as GitHub counts."""
    found: dict[str, int] = {}
    counts: Counter[str] = Counter()
    for number, section in enumerate(document.sections):
        if not section.level:
            continue
        explicit = _EXPLICIT_ID.search(section.heading_span.of(document.text))
        base = name = explicit["id"] if explicit else slug(section.heading)
        while not explicit and name in found:
            counts[base] += 1
            name = f"{base}-{counts[base]}"
        found.setdefault(name, number)
    return found
