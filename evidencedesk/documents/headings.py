"""A heading's Markdown → its plain text. Invariant: the text is NFC, on one line, as a reader of the page sees it."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from evidencedesk.text.folding import HTML_TAG

_INLINE = MarkdownIt("commonmark")
# An underscore inside a word marks nothing.
_MARKUP = re.compile(r"[*`\[<&\\]|(?<!\w)_|_(?!\w)")
_TRAILING_ID = re.compile(r"[ \t]*\{(?:[#.:][^{}]*|/\*[^{}]*\*/)\}[ \t]*\Z")

# Longer "headings" are paragraphs that a stray line of === turned into one; their markup stays.
_MAX_LENGTH = 1000


def plain_heading(source: str, references: dict[str, Any]) -> str:
    """The text of a heading without closing ids (`{#id}`, `{/*id*/}`), markup, links, HTML tags and comments.

    `references` is the environment of the page's parse, which holds its link definitions. Angle brackets that are no
    HTML (`List<T>`) stay.
    """
    source = _TRAILING_ID.sub("", source)
    if _MARKUP.search(source) and len(source) <= _MAX_LENGTH:
        tokens = _INLINE.parseInline(source, references)
        source = "".join(_text(child) for token in tokens for child in token.children or ())
    return unicodedata.normalize("NFC", " ".join(source.split()))


def _text(token: Token) -> str:
    match token.type:
        case "text" | "text_special" | "code_inline":
            return token.content
        case "softbreak" | "hardbreak":
            return " "
        case "image":
            return "".join(_text(child) for child in token.children or ())
        case "html_inline":
            known = token.content.startswith("<!--") or HTML_TAG.fullmatch(token.content)
            return "" if known else token.content
    return ""
