"""The name or passage nearest to a wrong one. Invariant: equal input gives equal suggestions; ties go to the first."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

from evidencedesk.text.spans import Span

_SAME_NAME = 0.6
_SAME_PASSAGE = 0.7

# Scripts without spaces count a character as a word; combining marks stay inside theirs.
_SINGLE = "\u0e00-\u0e7f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
_MARKS = "\u0300-\u036f\u0900-\u0dff"
_WORD = re.compile(rf"[{_SINGLE}]|(?:(?![{_SINGLE}])[\w{_MARKS}])+")


class Names:
    """Many names, of which the nearest to a wrong one is wanted."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = list(dict.fromkeys(names))
        self._by_piece: dict[str, list[int]] = {}
        for place, name in enumerate(self._names):
            for piece in _pieces(name):
                self._by_piece.setdefault(piece, []).append(place)

    def nearest(self, wanted: str) -> str:
        """The most similar name, "" when none is similar (difflib ratio below 0.6, case ignored)."""
        shared = Counter(place for piece in _pieces(wanted) for place in self._by_piece.get(piece, ()))
        likely = sorted(shared, key=lambda place: (-shared[place], place))[:20]
        scored = [(_ratio(wanted, self._names[place]), -place) for place in likely]
        best, place = max(scored, default=(0.0, 0))
        return self._names[-place] if best >= _SAME_NAME else ""


def _pieces(name: str) -> set[str]:
    padded = f" {name.casefold()} "
    return {padded[start : start + 3] for start in range(len(padded) - 2)}


def _ratio(one: str, other: str) -> float:
    return SequenceMatcher(None, one.casefold(), other.casefold(), autojunk=False).ratio()


@dataclass(frozen=True, slots=True)
class Passage:
    """A place in a text that resembles a wanted passage; `changes` are runs of words `(wanted, found)` that differ."""

    span: Span
    changes: tuple[tuple[str, str], ...]


def nearest_passage(text: str, wanted: str) -> Passage | None:
    """The passage of `text` that shares most words with `wanted` in order: at least 70 % of them, and two."""
    asked = [match.group().casefold() for match in _WORD.finditer(wanted)]
    places = [match.span() for match in _WORD.finditer(text)]
    words = [text[start:end].casefold() for start, end in places]
    centre = _densest(words, asked)
    if centre is None:
        return None
    low, high = max(0, centre - len(asked)), min(len(words), centre + 2 * len(asked))
    matcher = SequenceMatcher(None, asked, words[low:high], autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    if not blocks or sum(block.size for block in blocks) < max(2, _SAME_PASSAGE * len(asked)):
        return None
    first = max(0, low + blocks[0].b - blocks[0].a)
    last = min(len(words), low + blocks[-1].b + len(asked) - blocks[-1].a)
    span = _with_edges(text, Span(places[first][0], places[last - 1][1]), wanted)
    compared = SequenceMatcher(None, asked, words[first:last], autojunk=False)
    return Passage(
        span,
        tuple(
            (" ".join(asked[a:b]), text[places[first + c][0] : places[first + d - 1][1]] if d > c else "")
            for tag, a, b, c, d in compared.get_opcodes()
            if tag != "equal"
        ),
    )


def _densest(words: list[str], asked: list[str]) -> int | None:
    """Where the window of `len(asked)` words starts that shares most words with `asked`; None when none shares any."""
    wanted = Counter(asked)
    window: deque[tuple[int, str]] = deque()
    inside: Counter[str] = Counter()
    best, where, overlap = 0, None, 0
    for place, word in ((place, word) for place, word in enumerate(words) if word in wanted):
        while window and window[0][0] <= place - len(asked):
            _, gone = window.popleft()
            overlap -= inside[gone] <= wanted[gone]
            inside[gone] -= 1
        window.append((place, word))
        inside[word] += 1
        overlap += inside[word] <= wanted[word]
        if overlap > best:
            best, where = overlap, window[0][0]
    return where


def _with_edges(text: str, span: Span, wanted: str) -> Span:
    """`span` widened by the punctuation with which `wanted` begins and ends, where `text` has it too."""
    head = wanted[: len(wanted) - len(wanted.lstrip("\"'“”‘’«»([{*_`-"))]
    tail = wanted[len(wanted.rstrip(".!?…。،।:;,\"'“”‘’«»)]}*_`")) :]
    start, end = span
    if head and text[:start].endswith(head):
        start -= len(head)
    if tail and text.startswith(tail, end):
        end += len(tail)
    return Span(start, end)
