"""What is being typed in a Markdown page: its front matter, a suppressing comment. Invariant: prose is left alone."""

from __future__ import annotations

import re

from evidencedesk.text.spans import Span
from evidencedesk_server.cursors.typed import Typed

_OPENING = re.compile(r"\ufeff?---[ \t]*(?:\r\n|\r|\n)")
_CLOSING = re.compile(r"(?:(?<=\n)|(?<=\r))(?:---|\.\.\.)[ \t]*(?=\r|\n|\Z)")
_BLANK = re.compile(r"(?:\r\n|\r(?!\n)|\n)[ \t]*(?=\r|\n|\Z)")
_KEY = re.compile(r"""(?:\A|(?<=\n)|(?<=\r))["']?([^\W_][\w .-]*?)["']?[ \t]*:(?=\s|\Z)""")
_NEW_KEY = re.compile(r"[^\W_][\w.-]*|")
_ENTRY = re.compile(r"""["']?(?P<key>[^\W_][\w .-]*?)["']?[ \t]*:[ \t]+(?P<value>.*)""", re.DOTALL)
_ITEM = re.compile(r"[ \t]*-[ \t]+(?P<value>.*)", re.DOTALL)
_ITEMS = re.compile(r"^[ \t]*-[ \t]+([^\r\n]*?)[ \t]*$", re.MULTILINE)
_FLOW = re.compile(r"(?P<before>\[(?:[^\[\]]*,)?[ \t]*)(?P<typed>[^,\[\]]*)")
_REST = re.compile(r"[^\r\n]*")
_WORD_REST = re.compile(r"[\w./#-]*")
_COMMENT = re.compile(
    r"<!--[ \t]*(?P<words>(?P<verb>evidencedesk:[ \t]*(?P<codes>ignore(?:-file)?[ \t]+)?)?(?P<typed>[^<>]*))\Z"
)


def page_cursor(path: str, text: str, offset: int) -> Typed | None:
    """A field or a value of the front matter, or what a comment `<!-- evidencedesk: … -->` says."""
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    front = _front(text, offset)
    if front is not None:
        return _in_front(text, front, start, offset)
    comment = _COMMENT.search(text, start, offset)
    return _in_comment(text, comment, offset) if comment is not None else None


def _front(text: str, offset: int) -> Span | None:
    """The lines between the fences that hold the cursor; without a closing fence, those up to the first blank line."""
    opening = _OPENING.match(text)
    if opening is None or offset < opening.end():
        return None
    closing = _CLOSING.search(text, opening.end())
    if closing is not None:
        end = closing.start()
        blank = _BLANK.search(text, opening.end() - 1, end)
        # A rule further down the page closes nothing when the field lines end before.
        if blank is not None and _KEY.search(text, blank.end(), end) is None and text[blank.end() : end].strip():
            end = blank.end()
    else:
        blank = _BLANK.search(text, opening.end())
        end = blank.end() if blank is not None else len(text)
    inside = offset < end or (closing is None and offset <= end)
    return Span(opening.end(), end) if inside else None


def _in_front(text: str, front: Span, start: int, offset: int) -> Typed | None:
    line = text[start:offset]
    end = _end_of_word(text, offset)
    if _NEW_KEY.fullmatch(line):
        here = _rest(text, offset)
        others = text[front.start : start], text[start + len(line) + len(here) : front.end]
        present = [key[1] for part in others for key in _KEY.finditer(part)]
        colon = ":" in here
        return Typed("fields", Span(start, end), line, tuple(present), colon=colon, follow="" if colon else ": ")
    if (entry := _ENTRY.fullmatch(line)) is not None:
        value_start = start + entry.start("value")
        flow = _FLOW.fullmatch(entry["value"])
        if flow is None:
            return _field_value(text, entry["key"], value_start, offset, ())
        already = [item.strip(" \t\"'") for item in flow["before"][1:].split(",")]
        return _field_value(text, entry["key"], value_start + flow.start("typed"), offset, already)
    if (item := _ITEM.fullmatch(line)) is not None:
        keys = list(_KEY.finditer(text[front.start : start]))
        if keys:
            before = text[front.start + keys[-1].end() : start]
            already = [one[1].strip("\"'") for one in _ITEMS.finditer(before)]
            return _field_value(text, keys[-1][1], start + item.start("value"), offset, already)
    return None


def _field_value(text: str, key: str, start: int, offset: int, already: list[str] | tuple[str, ...]) -> Typed:
    mark = text[start : start + 1] if start < offset and text[start] in "\"'" else ""
    start += len(mark)
    end = _end_of_word(text, offset)
    closed = bool(mark) and text.startswith(mark, end)
    return Typed("field-values", Span(start, end), text[start:offset], (key, *already), follow="" if closed else mark)


def _in_comment(text: str, comment: re.Match[str], offset: int) -> Typed | None:
    typed = comment["typed"]
    rest = _rest(text, offset)
    closing = "" if "-->" in rest else " -->"
    # Editors that close brackets by themselves have put one behind the cursor for the `<`.
    end = offset + len(rest) if rest.strip() == ">" else offset
    if comment["verb"] is None:
        # Only what may become our word: other comments are none of our business.
        if not "evidencedesk:".startswith(typed.rstrip()):
            return None
        return Typed("comments", Span(comment.start("words"), end), typed, ("evidencedesk: ",), follow=closing)
    if comment["codes"] is None:
        space = "" if comment["verb"].endswith((" ", "\t")) else " "
        return Typed("comments", Span(comment.start("typed"), end), typed, (space,), follow=closing)
    word = re.search(r"[^\s,]*\Z", typed)
    start = comment.start("typed") + (word.start() if word else 0)
    already = typed[: start - comment.start("typed")].replace(",", " ").split()
    end = max(end, _end_of_word(text, offset))
    return Typed("page-codes", Span(start, end), text[start:offset], tuple(already), follow=closing)


def _end_of_word(text: str, offset: int) -> int:
    word = _WORD_REST.match(text, offset)
    return word.end() if word else offset


def _rest(text: str, offset: int) -> str:
    rest = _REST.match(text, offset)
    return rest[0] if rest else ""
