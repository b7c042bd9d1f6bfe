"""What is being typed in a configuration file. Invariant: in `pyproject.toml` only our own table is completed."""

from __future__ import annotations

import re

from evidencedesk.text.spans import Span
from evidencedesk_server.cursors.typed import Typed

_BASE = "tool.evidencedesk"
_HEADER = re.compile(r"^[ \t]*\[\[?[ \t]*([^\]\r\n]+?)[ \t]*\]\]?", re.MULTILINE)
_NEW_HEADER = re.compile(r"[ \t]*\[[ \t]*(?P<typed>[\w.-]*)")
_NEW_KEY = re.compile(r"[ \t]*(?P<typed>[\w.-]*)")
_ENTRY = re.compile(r"[ \t]*(?P<key>[\w.-]+)[ \t]*=[ \t]*(?P<value>.*)", re.DOTALL)
_PRESENT = re.compile(r"^[ \t]*([\w-]+)[ \t]*[=.]", re.MULTILINE)
_STRINGS = re.compile(r'"(?:[^"\\\r\n]|\\[^\r\n])*+("?)' + r"|'[^'\r\n]*+('?)|#[^\r\n]*|([\[{])|([\]}])")
_BARE = re.compile(r"[\w.+-]*\Z")
_WORD = re.compile(r"[\w.-]*")
_MAX_LINES = 200


def settings_cursor(path: str, text: str, offset: int) -> Typed | None:
    """The name of a table, a key, or a value."""
    name = path.rpartition("/")[2]
    if name not in ("evidencedesk.toml", "pyproject.toml"):
        return None
    base = _BASE if name == "pyproject.toml" else ""
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    line = text[start:offset]
    headers = list(_HEADER.finditer(text, 0, start))
    table = headers[-1][1].replace('"', "").replace(" ", "") if headers else ""
    if (entry := _open_entry(text, headers[-1].end() if headers else 0, start, offset)) is not None:
        key, value_start = entry
        return _value(text, _below(f"{table}.{key}".lstrip("."), base), value_start, offset)
    end = _end_of_word(text, offset)
    if (header := _NEW_HEADER.fullmatch(line)) is not None:
        closed = text.startswith("]", end)
        present = [one[1] for one in _HEADER.finditer(text) if not one.start() <= offset <= one.end()]
        span = Span(start + header.start("typed"), end)
        return Typed("tables", span, header["typed"], (base, *present), follow="" if closed else "]\n")
    if (key_line := _NEW_KEY.fullmatch(line)) is not None and (inside := _below(table, base)) is not None:
        following = _HEADER.search(text, end)
        body = text[headers[-1].end() if headers else 0 : start] + text[end : following.start() if following else None]
        present = [one[1] for one in _PRESENT.finditer(body)]
        colon = text[end : end + 20].lstrip(" \t").startswith("=")
        return Typed(
            "settings",
            Span(start + key_line.start("typed"), end),
            key_line["typed"],
            (inside, *present),
            follow="" if colon else " = ",
            colon=colon,
        )
    return None


def _open_entry(text: str, after: int, start: int, offset: int) -> tuple[str, int] | None:
    """Key and value's start of the entry that the cursor is in the value of: on its line, or in a list begun above."""
    line_start = start
    for _ in range(_MAX_LINES):
        entry = _ENTRY.fullmatch(text, line_start, offset)
        if entry is not None:
            value_start = entry.start("value")
            if line_start == start or _depth(text, value_start, start) > 0:
                return entry["key"], value_start
            return None
        if line_start <= after:
            return None
        line_start = max(text.rfind("\n", 0, line_start - 1), text.rfind("\r", 0, line_start - 1)) + 1
    return None


def _depth(text: str, start: int, end: int) -> int:
    pieces = list(_STRINGS.finditer(text, start, end))
    return sum(bool(piece[3]) - bool(piece[4]) for piece in pieces)


def _below(table: str, base: str) -> str | None:
    """The part of a table's name below ours; None for a table of others."""
    if not base or table == base:
        return table if not base else ""
    return table[len(base) + 1 :] if table.startswith(f"{base}.") else None


def _value(text: str, name: str | None, start: int, offset: int) -> Typed | None:
    if name is None:
        return None
    pieces = list(_STRINGS.finditer(text, start, offset))
    already = tuple(
        piece[0][1:-1] for piece in pieces if piece[0][0] in "\"'" and len(piece[0]) > 1 and (piece[1] or piece[2])
    )
    in_list = "list" if _depth(text, start, offset) > 0 else ""
    last = pieces[-1] if pieces else None
    if last is not None and last[0][0] == "#":
        return None
    if last is not None and last[0][0] in "\"'" and not (last[1] or last[2]):
        mark = last[0][0]
        end = _end_of_word(text, offset)
        closed = text.startswith(mark, end)
        span = Span(last.start() + 1, end)
        more = (name, in_list, *already)
        # Written as it is: single quotation marks take no escapes, and no value of ours needs any.
        follow = "" if closed else mark
        return Typed("setting-values", span, text[span.start : offset], more, quoted=True, follow=follow)
    bare = _BARE.search(text, start, offset)
    span = Span(bare.start() if bare else offset, _end_of_word(text, offset))
    return Typed("setting-values", span, text[span.start : offset], (name, in_list, *already), "string")


def _end_of_word(text: str, offset: int) -> int:
    word = _WORD.match(text, offset)
    return word.end() if word else offset
