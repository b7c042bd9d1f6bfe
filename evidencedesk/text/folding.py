"""What folding changes, step by step. Invariant: no step scans a character more than a fixed number of times."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable
from functools import cache
from html.entities import name2codepoint
from typing import NamedTuple

from evidencedesk.text.unicode import INVISIBLE, NO_SPACES, composable

_INLINE_TAGS = (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q s samp small span "
    "strike strong sub sup svg time tt u var wbr"
)
_BLOCK_TAGS = (
    "address article aside audio blockquote body br button canvas caption center col colgroup dd details dialog div dl "
    "dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html iframe input legend li link main "
    "menu meta nav ol optgroup option p param picture pre script section select source style summary table tbody td "
    "textarea tfoot th thead title tr track ul video"
)
_CHARACTERS = {
    **dict.fromkeys("‘’‚‛′‹›´", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‐‑‒–—―−﹘﹣－⁃", "-"),
    "…": "...",
    "|": " ",
}
# Letters, punctuation, € ™ ← → −; the other names are Greek and mathematics, and `&sum;` in C is no entity.
_ENTITIES = {"apos": "'"} | {
    name: chr(code)
    for name, code in name2codepoint.items()
    if code < 0x250 or 0x2000 <= code <= 0x206F or code in (0x20AC, 0x2122, 0x2190, 0x2192, 0x2212)
}


class Step(NamedTuple):
    """One step: what it matches, what it puts there, and whether a text needs it at all."""

    pattern: re.Pattern[str]
    replace: Callable[[re.Match[str]], str]
    needed: Callable[[str], bool] = bool


def _tag(names: str) -> str:
    # With attributes, at least one has a value: `<table name>` in prose is a placeholder.
    return rf"</?(?i:{names.replace(' ', '|')})(?:\s[^<>=]*+=[^<>]*+)?\s*+/?>"


def _entity(match: re.Match[str]) -> str:
    name = match[1]
    return html.unescape(f"&{name};") if name.startswith("#") else _ENTITIES.get(name, match[0])


def _line_up(match: re.Match[str]) -> str:
    return "" if match["inside"] else " "


HTML_TAG = re.compile(_tag(f"{_INLINE_TAGS} {_BLOCK_TAGS}"))
"""A tag with a name that HTML knows, as against `<int>` or `<table name>`."""

_BEFORE_CASE = (
    # `&amp;lt;` is read to its end, else folding twice would fold more than folding once.
    Step(
        re.compile(r"&(?:(?:amp|#38|#x26);)*(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"),
        _entity,
        lambda text: "&" in text,
    ),
    # Characters that casefold to more than one.
    Step(
        re.compile("[" + "".join(c for c in map(chr, range(0xDF, 0xFB18)) if len(c.casefold()) > 1) + "]"),
        lambda match: match[0].casefold(),
        lambda text: not text.isascii(),
    ),
)

_AFTER_CASE = (
    # What a reader of the page does not see: comments, tags, targets of links, footnote marks.
    Step(
        re.compile(rf"{_tag(_BLOCK_TAGS)}|<!--(?:[^<-]++|<(?!!--)|-(?!->))*+-->"),
        lambda match: " ",
        lambda text: "<" in text,
    ),
    Step(
        re.compile(
            _tag(_INLINE_TAGS) + r"|\]\(\s*+(?:<[^<>\n]*+>|[^\s()\\]*+(?:(?:\\.|\([^\s()]*+\))[^\s()\\]*+){0,20}+)"
            r"""(?:\s++(?:"[^"]*+"|'[^']*+'|\([^()]*+\)))?\s*+\)"""
            r"|\]\[[^\[\]]*+\]|\[\^[^\[\]\s]++\]"
        ),
        lambda match: "",
        lambda text: "<" in text or "]" in text,
    ),
    Step(re.compile(rf"!\[|<(?=\S)|[\[\]*_`~\\>{INVISIBLE}]+"), lambda match: ""),
    Step(
        re.compile(f"[{''.join(_CHARACTERS)}]"),
        lambda match: _CHARACTERS[match[0]],
        lambda text: "|" in text or not text.isascii(),
    ),
    # A dash or bullet alone between white space, the rule below a table's header; then runs of dashes.
    Step(
        re.compile(r"(?<!\S)(?P<alone>:?-+:?|[•‣◦▪·])(?!\S)|-{2,}"),
        lambda match: "" if match["alone"] else "-",
        lambda text: "-" in text or not text.isascii(),
    ),
    # A line break inside Chinese or Japanese separates nothing.
    Step(
        re.compile(rf"(?<=[{NO_SPACES}])(?P<inside>\s++)(?=[{NO_SPACES}])|[^\S ]\s*+| \s++"),
        _line_up,
        lambda text: "  " in text or not (text.isascii() and text.isprintable()),
    ),
    Step(re.compile(r"\A | \Z"), lambda match: "", lambda text: text[:1] == " " or text[-1:] == " "),
)


@cache
def before_case() -> tuple[Step, ...]:
    """The steps before the casefold, after which it maps one character to one."""
    return (_BEFORE_CASE[0], _nfc(), _BEFORE_CASE[1])


@cache
def after_case() -> tuple[Step, ...]:
    """The steps on the casefolded text."""
    return (*_AFTER_CASE[:4], _nfc(), *_AFTER_CASE[4:])


def _nfc() -> Step:
    return Step(
        composable(),
        lambda match: unicodedata.normalize("NFC", match[0]),
        lambda text: not unicodedata.is_normalized("NFC", text),
    )
