"""Comments that switch rules off. Invariant: what stands in code is text and suppresses nothing."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from evidencedesk.documents.document import Block, Section, Suppression
from evidencedesk.text.spans import Span

_COMMENT = re.compile(r"<!--[ \t]*evidencedesk:(?P<words>[^<>]{0,2000}?)-->")
_WORD = re.compile(r"[^\s,]+")
_ONLY_COMMENTS = re.compile(r"\s*(?:<!--(?:[^-]|-(?!->))*-->\s*)+\Z")
_BACKTICKS = re.compile(r"(?<!\\)`+")


def find_suppressions(
    text: str, start: int, blocks: Sequence[Block], sections: Sequence[Section], code: Sequence[Span]
) -> tuple[Suppression, ...]:
    """The suppressing comments of the body, which begins at `start`; `code` are all code blocks at any depth.

    `ignore` covers the block or heading that holds the comment, or the next one when the comment stands alone.
    `ignore-file` covers the file. Any other word is taken for a code, so that it is reported as an unknown rule.
    """
    if "evidencedesk:" not in text:
        return ()
    places = sorted([*(block.span for block in blocks), *(part.heading_span for part in sections if part.level)])
    return tuple(_suppressions(text, start, places, code))


def _suppressions(text: str, start: int, places: Sequence[Span], code: Sequence[Span]) -> Iterator[Suppression]:
    targets = _targets(text, places)
    inline_code: dict[Span, list[Span]] = {}
    for comment in _COMMENT.finditer(text, start):
        span = Span(*comment.span())
        home = _around(span, places)
        if home is None or _around(span, code):
            continue
        if home not in inline_code:
            inline_code[home] = _code_spans(text, home)
        if _around(span, inline_code[home]):
            continue
        offset = comment.start("words")
        words = [
            (word[0], Span(offset + word.start(), offset + word.end())) for word in _WORD.finditer(comment["words"])
        ]
        verb = words[0][0] if words else ""
        if verb == "ignore-file":
            yield Suppression(tuple(words[1:]), span, Span(0, len(text)))
        elif verb == "ignore":
            yield Suppression(tuple(words[1:]), span, targets[home])
        else:
            yield Suppression(tuple(words[:1]) or (("", span),), span, span)


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


def _code_spans(text: str, home: Span) -> list[Span]:
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
