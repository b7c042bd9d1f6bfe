"""Lists of diagnostics as differences. Invariant: `patched(old, difference(old, new)) == new`, whatever the lists.

A difference is a list of pieces: `[first, count]` stands for so many diagnostics of the old list as they are,
`[index, ranges]` for one of them whose ranges differ (an edit above it moved it), and anything else for itself. What an
edit does not touch costs nothing, and what it only moves a few numbers.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from typing import Any

from evidencedesk_server.ranges import Json


def difference(old: Sequence[Json], new: Sequence[Json]) -> list[Any]:
    """The pieces that make `new` of `old`."""
    waiting: dict[object, deque[int]] = defaultdict(deque)
    for place, diagnostic in enumerate(old):
        waiting[_name(diagnostic)].append(place)
    pieces: list[Any] = []
    for diagnostic in new:
        alike = waiting.get(_name(diagnostic))
        index = alike.popleft() if alike else None
        if index is None:
            pieces.append(diagnostic)
        elif old[index] == diagnostic:
            if pieces and _is_run(pieces[-1]) and sum(pieces[-1]) == index:
                pieces[-1][1] += 1
            else:
                pieces.append([index, 1])
        else:
            ranges = list(_ranges(diagnostic))
            pieces.append([index, ranges] if _at(old[index], ranges) == diagnostic else diagnostic)
    return pieces


def patched(old: Sequence[Json], pieces: Sequence[Any]) -> list[Json]:
    """The list that the pieces make of `old`."""
    new: list[Json] = []
    for piece in pieces:
        if _is_run(piece):
            first, count = piece
            new += old[first : first + count]
        elif isinstance(piece, list):
            new.append(_at(old[piece[0]], piece[1]))
        else:
            new.append(piece)
    return new


def _is_run(piece: Any) -> bool:
    return isinstance(piece, list) and isinstance(piece[1], int)


def _name(diagnostic: Json) -> object:
    """What a diagnostic keeps when it moves."""
    return diagnostic.get("code"), diagnostic.get("message"), diagnostic.get("data", {}).get("fingerprint")


def _ranges(diagnostic: Json) -> Iterator[list[int]]:
    for place in (diagnostic["range"], *(one["location"]["range"] for one in diagnostic.get("relatedInformation", ()))):
        yield [place[edge][unit] for edge in ("start", "end") for unit in ("line", "character")]


def _at(diagnostic: Json, ranges: Sequence[Sequence[int]]) -> Json:
    """The diagnostic with other ranges, as far as it has places for them."""
    own, *others = map(_range, ranges)
    moved = {**diagnostic, "range": own}
    if "relatedInformation" in diagnostic:
        moved["relatedInformation"] = [
            {**one, "location": {**one["location"], "range": place}}
            for one, place in zip(diagnostic["relatedInformation"], others, strict=False)
        ]
    return moved


def _range(numbers: Sequence[int]) -> Json:
    first, start, last, end = numbers
    return {"start": {"line": first, "character": start}, "end": {"line": last, "character": end}}
