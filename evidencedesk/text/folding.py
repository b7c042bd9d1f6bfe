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
_SIGNS = {
    **dict.fromkeys("‘’‚‛′‹›´", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‐‑‒–—―−﹘﹣－⁃", "-"),
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
    put: str | Callable[[re.Match[str]], str]
    needed: Callable[[str], object] = bool

    def apply(self, text: str) -> str:
        """The text after this step."""
        return self.pattern.sub(self.put, text) if self.needed(text) else text


class InPlace(NamedTuple):
    """A step that gives every character for one character."""

    apply: Callable[[str], str]


def _tag(names: str) -> str:
    # With attributes, at least one has a value: `<table name>` in prose is a placeholder.
    return rf"</?(?i:{names.replace(' ', '|')})(?:\s[^<>=]*+=[^<>]*+)?\s*+/?>"


def _entity(match: re.Match[str]) -> str:
    name = match[1]
    return html.unescape(f"&{name};") if name.startswith("#") else _ENTITIES.get(name, match[0])


def _on_one_line(text: str) -> str:
    text = text.replace("\n", " ")
    return text if text.isprintable() else _OTHER_SPACE.sub(" ", text)


def _has_no_spaces(text: str) -> object:
    return not text.isascii() and _NO_SPACES.search(text)


_OTHER_SPACE = re.compile(r"[^\S ]")
_NO_SPACES = re.compile(f"[{NO_SPACES}]")
_SIGN = re.compile(f"[{''.join(_SIGNS)}]")

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

_AFTER_CASE: tuple[Step | InPlace, ...] = (
    # What a reader of the page does not see: comments, tags, targets of links, footnote marks.
    Step(
        re.compile(rf"{_tag(_BLOCK_TAGS)}|<!--(?:[^<-]++|<(?!!--)|-(?!->))*+-->"),
        " ",
        lambda text: "<" in text,
    ),
    Step(
        re.compile(
            _tag(_INLINE_TAGS) + r"|\]\(\s*+(?:<[^<>\n]*+>|[^\s()\\]*+(?:(?:\\.|\([^\s()]*+\))[^\s()\\]*+){0,20}+)"
            r"""(?:\s++(?:"[^"]*+"|'[^']*+'|\([^()]*+\)))?\s*+\)"""
            r"|\]\[[^\[\]]*+\]|\[\^[^\[\]\s]++\]"
        ),
        "",
        lambda text: "<" in text or "]" in text,
    ),
    # A pattern whose branches all begin with one character is searched for at several times the speed of others.
    Step(re.compile(r"!(?=\[)|<(?=\S)|\[|\]|\*|_|`|~|\\|>"), ""),
    Step(re.compile(f"[{INVISIBLE}]+"), "", lambda text: not text.isascii()),
    InPlace(lambda text: text.replace("|", " ")),
    InPlace(lambda text: text if text.isascii() else _SIGN.sub(lambda match: _SIGNS[match[0]], text)),
    Step(re.compile("…"), "..."),
    # A dash or bullet alone between white space, the rule below a table's header; then runs of dashes.
    Step(
        re.compile(
            r"-(?:(?<!\S-)-*:?(?!\S)|(?P<run>-+))|:(?<!\S:)-+:?(?!\S)"
            + "".join(rf"|{bullet}(?<!\S{bullet})(?!\S)" for bullet in "•‣◦▪·")
        ),
        lambda match: "-" if match["run"] else "",
        lambda text: "-" in text or not text.isascii(),
    ),
    # A line break inside Chinese or Japanese separates nothing.
    Step(re.compile(rf"(?<=[{NO_SPACES}])\s++(?=[{NO_SPACES}])"), "", _has_no_spaces),
    InPlace(_on_one_line),
    Step(re.compile("  +"), " "),
    Step(re.compile(r" (?:(?<=\A )|\Z)"), "", lambda text: text[:1] == " " or text[-1:] == " "),
)


@cache
def before_case() -> tuple[Step, ...]:
    """The steps before the casefold, after which it maps one character to one."""
    return (_BEFORE_CASE[0], _nfc(), _BEFORE_CASE[1])


@cache
def after_case() -> tuple[Step | InPlace, ...]:
    """The steps on the casefolded text."""
    return (*_AFTER_CASE[:7], _nfc(), *_AFTER_CASE[7:])


def _nfc() -> Step:
    return Step(
        composable(),
        lambda match: unicodedata.normalize("NFC", match[0]),
        lambda text: not unicodedata.is_normalized("NFC", text),
    )
