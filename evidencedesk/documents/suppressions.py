"""Comments that are meant for us: `ignore` and `keep`. Invariant: what stands in code is text and means nothing."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evidencedesk.documents.document import Block, Keep, Section, Suppression
from evidencedesk.text.spans import Span

COMMENT_MARK = "evidencedesk:"
"""Each of our comments holds this."""

_COMMENT = re.compile(rf"<!--[ \t]*{COMMENT_MARK}(?P<words>[^<>]{{0,2000}}?)-->")
_WORD = re.compile(r"[^\s,]+")
_ONLY_COMMENTS = re.compile(r"\s*(?:<!--(?:[^-]|-(?!->))*-->\s*)+\Z")
_BACKTICKS = re.compile(r"(?<!\\)`+")


class Comments(NamedTuple):
    """What the comments of a document say."""

    suppressions: tuple[Suppression, ...] = ()
    kept: tuple[Keep, ...] = ()


class _Comment(NamedTuple):
    """A comment: its words, each with its place, and the block or heading that it covers."""

    span: Span
    words: list[tuple[str, Span]]
    target: Span


def read_comments(
    text: str, start: int, blocks: Sequence[Block], sections: Sequence[Section], code: Sequence[Span]
) -> Comments:
    """The comments of the body, which begins at `start`; `code` are all code blocks at any depth.

    `ignore` and `keep` cover the block or heading that holds the comment, or the next one when the comment stands
    alone; a heading is kept with the text below it, up to the next heading. `ignore-file` covers the file. Any other
    word is taken for a code, so that it is reported as an unknown rule.
    """
    if COMMENT_MARK not in text:
        return Comments()
    headings = {part.heading_span: part for part in sections if part.level}
    places = sorted([*(block.span for block in blocks), *headings])
    comments = list(_comments(text, start, places, code))
    kept = [
        Keep(_visible(text, headings[target].body) if target in headings else target, span)
        for span, words, target in comments
        if words and words[0][0] == "keep" and not _ONLY_COMMENTS.match(target.of(text))
    ]
    return Comments(tuple(_suppressions(comments, len(text))), tuple(_outermost(kept)))


def _comments(text: str, start: int, places: Sequence[Span], code: Sequence[Span]) -> Iterator[_Comment]:
    targets = _targets(text, places)
    inline_code: dict[Span, list[Span]] = {}
    for comment in _COMMENT.finditer(text, start):
        span = Span(*comment.span())
        home = _around(span, places)
        if home is None or _around(span, code):
            continue
        if home not in inline_code:
            inline_code[home] = code_spans(text, home)
        if _around(span, inline_code[home]):
            continue
        offset = comment.start("words")
        words = [
            (word[0], Span(offset + word.start(), offset + word.end())) for word in _WORD.finditer(comment["words"])
        ]
        yield _Comment(span, words, targets[home])


def _suppressions(comments: Sequence[_Comment], length: int) -> Iterator[Suppression]:
    for span, words, target in comments:
        verb = words[0][0] if words else ""
        if verb == "ignore-file":
            yield Suppression(tuple(words[1:]), span, Span(0, length))
        elif verb == "ignore":
            yield Suppression(tuple(words[1:]), span, target)
        elif verb != "keep":
            yield Suppression(tuple(words[:1]) or (("", span),), span, span)


def _outermost(kept: Sequence[Keep]) -> Iterator[Keep]:
    """Those that are not part of another one, in source order; empty ones say nothing."""
    done = -1
    for keep in sorted(kept, key=lambda keep: (keep.span.start, -keep.span.end)):
        if keep.span.start >= done and keep.span.start < keep.span.end:
            yield keep
            done = keep.span.end


def _visible(text: str, span: Span) -> Span:
    """`span` without white space at its ends."""
    inner = span.of(text)
    start = span.start + len(inner) - len(inner.lstrip())
    return Span(start, start + len(inner.strip()))


def _around(span: Span, ordered: Sequence[Span]) -> Span | None:
    """The one of the ordered, disjoint spans that contains `span`."""
    index = bisect_right(ordered, (span.start, math.inf)) - 1
    return ordered[index] if index >= 0 and ordered[index].contains(span) else None


def _targets(text: str, places: Sequence[Span]) -> dict[Span, Span]:
    """What a comment in each place covers: the place, or for a mere comment the next that is more (itself, if none)."""
    targets: dict[Span, Span] = {}
    following = None
    for place in reversed(places):
        if not _ONLY_COMMENTS.match(place.of(text)):
            following = targets[place] = place
        else:
            targets[place] = following or place
    return targets


def code_spans(text: str, home: Span) -> list[Span]:
    """The inline code of a block: from a run of backticks to the next run of equal length."""
    runs = [Span(*match.span()) for match in _BACKTICKS.finditer(text, home.start, home.end)]
    closing: dict[Span, Span] = {}
    later: dict[int, Span] = {}
    for run in reversed(runs):
        length = run.end - run.start
        if length in later:
            closing[run] = later[length]
        later[length] = run
    spans: list[Span] = []
    for run in runs:
        if run in closing and (not spans or run.start >= spans[-1].end):
            spans.append(Span(run.start, closing[run].end))
    return spans
