"""Comments that switch rules off. Invariant: what stands in code is text and suppresses nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from evidencedesk.documents.document import Block, Section, Suppression
from evidencedesk.text.spans import Span

_COMMENT = re.compile(r"<!--[ \t]*evidencedesk:(?P<words>[^<>]{0,2000}?)-->")
_WORD = re.compile(r"[^\s,]+")
_ONLY_COMMENTS = re.compile(r"\s*(?:<!--(?:[^-]|-(?!->))*-->\s*)+\Z")
_BACKTICKS = re.compile(r"(?<!\\)(`+)")


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
    for comment in _COMMENT.finditer(text, start):
        span = Span(*comment.span())
        if any(block.contains(span) for block in code):
            continue
        home = next((place for place in places if place.contains(span)), None)
        if home is None or _in_code_span(text, home, span):
            continue
        offset = comment.start("words")
        words = [
            (word[0], Span(offset + word.start(), offset + word.end())) for word in _WORD.finditer(comment["words"])
        ]
        verb = words[0][0] if words else ""
        if verb == "ignore-file":
            yield Suppression(tuple(words[1:]), span, Span(0, len(text)))
        elif verb == "ignore":
            yield Suppression(tuple(words[1:]), span, _target(text, places, home))
        else:
            yield Suppression(tuple(words[:1]) or (("", span),), span, span)


def _target(text: str, places: Sequence[Span], home: Span) -> Span:
    if not _ONLY_COMMENTS.match(home.of(text)):
        return home
    following = (place for place in places if place.start >= home.end and not _ONLY_COMMENTS.match(place.of(text)))
    return next(following, home)


def _in_code_span(text: str, home: Span, comment: Span) -> bool:
    """Whether the comment lies between two equal runs of backticks of its block."""
    runs = [(match.start(1), len(match[1])) for match in _BACKTICKS.finditer(text, home.start, home.end)]
    index = 0
    while index < len(runs) and runs[index][0] < comment.start:
        start, length = runs[index]
        closing = next((later for later in range(index + 1, len(runs)) if runs[later][1] == length), None)
        if closing is None:
            index += 1
            continue
        if start < comment.start and comment.end <= runs[closing][0]:
            return True
        index = closing + 1
    return False
