"""Folded text that maps back to its source. Invariant: a part folds as it does inside the whole text."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from operator import add

from evidencedesk.text.folding import InPlace, Step, after_case, before_case
from evidencedesk.text.spans import Span


@dataclass(frozen=True, slots=True)
class Match:
    """An occurrence of a searched text: where it stands in the source, and whether it stands there letter by letter."""

    span: Span
    verbatim: bool


def fold(text: str) -> str:
    r"""`text` as its readers compare it: letter case, white space, Unicode form, typography and inline Markdown gone.

    Casefold, NFC, entities decoded, white space to single spaces and none at the ends, quotes and dashes to ASCII.
    Dropped are invisible characters, comments, HTML tags, targets of links, the characters ``* _ ` ~ \ > [ ]``, and a
    dash or bullet that stands alone. Compatibility forms stay apart: `½` is not `1/2`. Every step looks at a small
    neighbourhood only, so a part that holds some words folds to a text that holds them folded.
    """
    for step in before_case():
        text = step.apply(text)
    text = text.casefold()
    for later in after_case():
        text = later.apply(text)
    return text


def holds(text: str, wanted: str) -> bool:
    """Whether `find_all` would find `wanted` in `text`, without saying where."""
    return holds_folded(text, fold(text), wanted, fold(wanted))


def holds_folded(text: str, folded_text: str, wanted: str, folded_wanted: str) -> bool:
    """`holds`, for texts that are compared many times and were folded before."""
    return bool(folded_wanted) and (folded_wanted in folded_text or wanted in text)


def find_all(source: str, wanted: str) -> tuple[Match, ...]:
    """`Folded(source).find_all(wanted)`, for a source that is searched once."""
    return Folded(source).find_all(wanted)


class Folded:
    """A source that is folded once and searched many times. `text` is the folded source."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._edits: list[_Edits] = []
        text = self._apply(before_case(), source).casefold()
        self.text = self._apply(after_case(), text)

    def find_all(self, wanted: str) -> tuple[Match, ...]:
        """All places of `wanted`, in order, without overlaps; none when it folds to nothing.

        A place reaches from the first to the last character that counts: `**5** business days` holds "5 business
        days" from the `5` on. Where `wanted` itself stands there letter by letter, markup included, the place is that.
        A text that folding takes apart, such as the target of a link, is found where it stands letter by letter.
        """
        folded = fold(wanted)
        if not folded:
            return ()
        matches = tuple(self._places(wanted, folded))
        return matches or tuple(Match(span, True) for span in _occurrences(self.source, wanted))

    def _places(self, wanted: str, folded: str) -> Iterator[Match]:
        done = 0
        for found in _occurrences(self.text, folded):
            span = self._to_source(found)
            at = self.source.find(wanted, max(done, span.end - len(wanted)), span.start + len(wanted))
            if at >= 0:
                span = Span(at, at + len(wanted))
            # A match may begin or end inside one source character, as "s" does in "ß".
            elif span.start < done or fold(span.of(self.source)) != folded:
                continue
            done = span.end
            yield Match(span, at >= 0)

    def _to_source(self, span: Span) -> Span:
        first, last = span.start, span.end - 1
        for edits in reversed(self._edits):
            first, last = edits.before(first).start, edits.before(last).end - 1
        return Span(first, last + 1)

    def _apply(self, steps: Sequence[Step | InPlace], text: str) -> str:
        for step in steps:
            if isinstance(step, InPlace):
                text = step.apply(text)
            elif step.needed(text) and (matches := list(step.pattern.finditer(text))):
                edits, text = _edit(text, matches, step.put)
                self._edits.append(edits)
        return text


@dataclass(frozen=True, slots=True)
class _Edits:
    """What one step changed: for each edit, in order, its place in the new and in the old text.

    Arrays, since a folded text may be kept for long, and numbers in lists take ten times the room.
    """

    starts: array[int]
    ends: array[int]
    old_starts: array[int]
    old_ends: array[int]

    def before(self, index: int) -> Span:
        """Where the character at `index` of the new text comes from."""
        edit = bisect_right(self.starts, index) - 1
        if edit < 0:
            return Span(index, index + 1)
        if index < self.ends[edit]:
            return Span(self.old_starts[edit], self.old_ends[edit])
        start = self.old_ends[edit] + index - self.ends[edit]
        return Span(start, start + 1)


def _edit(text: str, matches: Sequence[re.Match[str]], put: str | Callable[[re.Match[str]], str]) -> tuple[_Edits, str]:
    """The text with each match replaced, and the edits that this takes."""
    old = [match.span() for match in matches]
    new = [put] * len(matches) if isinstance(put, str) else list(map(put, matches))
    kept = [text[end:start] for (_, end), (start, _) in pairwise([(0, 0), *old, (len(text), 0)])]
    sizes = list(map(len, new))
    grown = accumulate((size + start - end for size, (start, end) in zip(sizes, old, strict=True)), initial=0)
    starts = [start + more for (start, _), more in zip(old, grown, strict=False)]
    edits = _Edits(*(array("i", places) for places in (starts, map(add, starts, sizes), *zip(*old, strict=True))))
    return edits, "".join(chain.from_iterable(zip(kept, [*new, ""], strict=True)))


def _occurrences(text: str, wanted: str) -> Iterator[Span]:
    at = text.find(wanted)
    while at >= 0:
        yield Span(at, at + len(wanted))
        at = text.find(wanted, at + len(wanted))
