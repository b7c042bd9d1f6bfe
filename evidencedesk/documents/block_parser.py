"""Markdown → block tokens, by markdown-it-py. Invariant: the top-level blocks are those of its own set of rules.

Its rules are asked one after the other about every line, and make tokens for every cell and paragraph. Here the first
character of a line says which rules can apply, those for the simplest blocks are patterns, a paragraph is read once
(not first as a possible heading), and what no one looks at is not made: no content, no address of a link definition,
and of what stands inside a list or a quote only the code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Any, Literal, NamedTuple, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.parser_block import ParserBlock
from markdown_it.rules_block import StateBlock, blockquote, code, html_block, list_block, reference
from markdown_it.token import Token

_Rule: TypeAlias = Callable[[StateBlock, int, int, bool], bool]

_CODE = ("fence", "code_block")
_CODE_INDENT = 4
_FENCE = re.compile(r"(`{3,})[^`]*\Z|(~{3,})")
_HEADING = re.compile(r"(#{1,6})(?=[ \t]|\Z)")
_RULE = re.compile(r"([*_-])[ \t]*(?:\1[ \t]*){2,}")
# A label that ends on its line without a colon behind it.
_NO_REFERENCE = re.compile(r"\[[^\[\]\\]*\](?!:)")
_UNDERLINE = re.compile(r"(?:-+|=+)[ \t]*")
_DELIMITERS = frozenset("-:|")
_DELIMITER_ROW = re.compile(r"(?:-[-:|]|[:|][-:| \t])[-:| \t]*")
_DELIMITER = re.compile(r":?-+:?")
_PIPE = re.compile(r"(?<!\\)\|")
# As markdown-it-py: a table may not be padded with more empty cells than this.
_MOST_PADDING = 0x10000


class BlockTokens(NamedTuple):
    """The tokens, and the environment of the parse, which holds the link definitions."""

    tokens: list[Token]
    environment: dict[str, Any]


def block_tokens(text: str) -> BlockTokens:
    """The blocks of a text, CommonMark with GFM tables.

    A block at the top level has its opening token; a heading's text is in the token behind it. Of what stands inside
    other blocks only code has tokens.
    """
    environment: dict[str, Any] = {}
    state = _State(text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd"), environment)
    _PARSER.block.tokenize(state, 0, state.lineMax)
    return BlockTokens(state.tokens, environment)


class _Token(Token):
    """A token with no other fields than those that are looked at."""

    def __init__(self, ttype: str, tag: str, level: int) -> None:
        self.type, self.tag, self.level = ttype, tag, level
        self.info = self.markup = self.content = ""
        self.map = None


class _State(StateBlock):
    """The parser's state, which keeps top-level tokens and code only; its lines are not read character by character."""

    def __init__(self, text: str, environment: dict[str, Any]) -> None:
        super().__init__("", _PARSER, environment, [])
        lines = text.split("\n")
        # The parser knows no line behind the last line break, nor one of blanks there.
        if not lines[-1].strip(" \t"):
            del lines[-1]
        # Only what begins with a blank (or is empty) comes before "!".
        shifts = [len(line) - len(line.lstrip(" \t")) if line < "!" else 0 for line in lines]
        starts = list(accumulate(map((1).__add__, map(len, lines)), initial=0))
        self.src = text
        self.bMarks = [*starts[:-1], len(text)]
        self.eMarks = [*(start - 1 for start in starts[1:]), len(text)]
        self.tShift = [*shifts, 0]
        self.sCount = [*map(_width, lines, shifts), 0] if "\t" in text else [*shifts, 0]
        self.bsCount = [0] * len(self.bMarks)
        self.lineMax = len(lines)
        self._scrap = _Token("", "", 0)

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        """Add a token; one that no one looks at is only returned, to be written to. Headings have theirs at level 1."""
        level = self.level
        self.level += nesting
        if nesting < 0 or not (level == 0 or ttype in _CODE or (level == 1 and ttype == "inline")):
            return self._scrap
        token = _Token(ttype, tag, level)
        self.tokens.append(token)
        return token


def _width(line: str, shift: int) -> int:
    """The columns of the first characters of a line, which are blanks and tabs."""
    return len(line[:shift].expandtabs(4))


class _Blocks(ParserBlock):
    """The parser's loop over the blocks of a document, a list item or a quote, without a list of rules to try."""

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:
        """See ParserBlock."""
        marks, shifts, ends, indents = state.bMarks, state.tShift, state.eMarks, state.sCount
        deepest = state.md.options.maxNesting
        is_loose = False
        line = startLine
        while line < endLine:
            while line < state.lineMax and marks[line] + shifts[line] >= ends[line]:
                line += 1
            state.line = line
            if line >= endLine or indents[line] < state.blkIndent:
                break
            if state.level >= deepest:
                state.line = endLine
                break
            if indents[line] - state.blkIndent >= _CODE_INDENT:
                code(state, line, endLine, False)
            else:
                _block(state, line, endLine)
            # An empty line counts only when a block follows.
            state.tight = not is_loose
            line = state.line
            if line - 1 < endLine and marks[line - 1] + shifts[line - 1] >= ends[line - 1]:
                is_loose = True
            if line < endLine and marks[line] + shifts[line] >= ends[line]:
                is_loose = True
                line += 1
                state.line = line


def _block(state: StateBlock, start: int, end: int) -> None:
    """Any block but indented code."""
    if _begins_table(state, start) and _table(state, start, end, False):
        return
    first = state.src[state.bMarks[start] + state.tShift[start]]
    for rule in _RULES.get(first, ()):
        if rule(state, start, end, False):
            return
    _paragraph(state, start, end)


def _heading(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    last = state.eMarks[start]
    match = _HEADING.match(state.src, state.bMarks[start] + state.tShift[start], last)
    if not match or state.is_code_block(start):
        return False
    if silent:
        return True
    state.line = start + 1
    if state.level == 0:
        text = state.src[match.end() : last].rstrip(" \t")
        shorter = text.rstrip("#")
        # Signs at the end count as text unless a blank stands before them.
        text = shorter if shorter[-1:] in (" ", "\t") else text
        state.push("heading_open", f"h{len(match[1])}", 0).map = [start, start + 1]
        content = state.push("inline", "", 0)
        content.content = mdTrim(text)
        content.map = [start, start + 1]
    return True


def _fence(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    last = state.eMarks[start]
    match = _FENCE.match(state.src, state.bMarks[start] + state.tShift[start], last)
    if not match or state.is_code_block(start):
        return False
    if silent:
        return True
    markup = match[1] or match[2]
    source, marks, shifts, indents, ends = state.src, state.bMarks, state.tShift, state.sCount, state.eMarks
    line, closed, least = start + 1, 0, state.blkIndent
    while line < end:
        at = marks[line] + shifts[line]
        if at == len(source) or (at < ends[line] and indents[line] < least):
            # The end of the text, or a line that stands before a list's text and so ends the list.
            break
        if source.startswith(markup, at) and indents[line] - least < _CODE_INDENT:
            rest = source[at + len(markup) : ends[line]].lstrip(markup[0])
            if not rest.strip(" \t"):
                closed = 1
                break
        line += 1
    state.line = line + closed
    token = state.push("fence", "code", 0)
    token.info, token.markup, token.map = source[match.end(match.lastindex or 0) : last], markup, [start, state.line]
    return True


def _thematic_break(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    at = state.bMarks[start] + state.tShift[start]
    if not _RULE.fullmatch(state.src, at, state.eMarks[start]) or state.is_code_block(start):
        return False
    if not silent:
        state.line = start + 1
        state.push("hr", "hr", 0).map = [start, start + 1]
    return True


def _reference(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    at = state.bMarks[start] + state.tShift[start]
    return not _NO_REFERENCE.match(state.src, at, state.eMarks[start]) and reference(state, start, end, silent)


# Which rules can apply to a line that begins with this character, those of markdown-it-py in their order.
_RULES: Mapping[str, tuple[_Rule, ...]] = {
    "`": (_fence,),
    "~": (_fence,),
    ">": (blockquote,),
    "*": (_thematic_break, list_block),
    "-": (_thematic_break, list_block),
    "_": (_thematic_break,),
    "+": (list_block,),
    **dict.fromkeys("0123456789", (list_block,)),
    "[": (_reference,),
    "<": (html_block,),
    "#": (_heading,),
}
_ENDING_LISTS = (_fence, blockquote, _thematic_break)
_LIST_ENDS = {first: tuple(rule for rule in rules if rule in _ENDING_LISTS) for first, rules in _RULES.items()}
_QUOTE_ENDS = {first: tuple(rule for rule in rules if rule is not _reference) for first, rules in _RULES.items()}


def _paragraph(state: StateBlock, start: int, end: int) -> None:
    """A paragraph, or a heading with a line below it."""
    before, state.parentType = state.parentType, "paragraph"
    line = start + 1
    while line < state.lineMax and (at := state.bMarks[line] + state.tShift[line]) < state.eMarks[line]:
        indent = state.sCount[line] - state.blkIndent
        if indent < _CODE_INDENT:
            mark = line < end and indent >= 0 and state.src[at] in "-="
            if mark and _UNDERLINE.fullmatch(state.src, at, state.eMarks[line]):
                _underlined(state, start, line)
                state.parentType = before
                return
            # A line that a quote takes in by laziness has a negative indent, and ends nothing.
            if state.sCount[line] >= 0 and _ends_paragraph(state, line, state.lineMax, True):
                break
        line += 1
    state.line = line
    if state.level == 0:
        state.push("paragraph_open", "p", 0).map = [start, line]
    # `before` does not come back here: in markdown-it-py it is lost as well, and lists are told by it.


def _underlined(state: StateBlock, start: int, line: int) -> None:
    state.line = line + 1
    if state.level == 0:
        tag = "h1" if state.src[state.bMarks[line] + state.tShift[line]] == "=" else "h2"
        state.push("heading_open", tag, 0).map = [start, line + 1]
        content = state.push("inline", "", 0)
        content.content = mdTrim(state.getLines(start, line, state.blkIndent, False))
        content.map = [start, line]


def _begins_table(state: StateBlock, start: int) -> bool:
    """Whether the next line begins as the second line of a table does."""
    at = state.bMarks[start + 1] + state.tShift[start + 1]
    return state.src[at : at + 1] in _DELIMITERS


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if start + 2 > end:
        return False
    at = state.bMarks[start + 1] + state.tShift[start + 1]
    if not _DELIMITER_ROW.fullmatch(state.src, at, state.eMarks[start + 1]):
        return False
    if not 0 <= state.sCount[start + 1] - state.blkIndent < _CODE_INDENT or state.is_code_block(start):
        return False
    header = _line(state, start)
    delimiters = [mdTrim(part) for part in state.src[at : state.eMarks[start + 1]].split("|")]
    inner = [part for place, part in enumerate(delimiters) if part or 0 < place < len(delimiters) - 1]
    if "|" not in header or not all(map(_DELIMITER.fullmatch, inner)) or not 0 < len(inner) == _columns(header):
        return False
    if silent:
        return True
    before, state.parentType = state.parentType, "table"
    padding = 0
    line = start + 2
    while line < end and state.sCount[line] >= state.blkIndent and not _ends_quote(state, line, end, True):
        row = _line(state, line)
        if not row or state.is_code_block(line):
            break
        padding += len(inner) - _columns(row)
        if padding > _MOST_PADDING:
            break
        line += 1
    if state.level == 0:
        state.push("table_open", "table", 0).map = [start, line]
    state.parentType = before
    state.line = line
    return True


def _line(state: StateBlock, line: int) -> str:
    return mdTrim(state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]])


def _columns(row: str) -> int:
    """The number of cells of a row that is not blank; the pipes at its ends are no borders between two."""
    borders = [match.start() for match in _PIPE.finditer(row)]
    count = len(borders) + 1
    if row[0] == "|":
        count -= 1
    return count - 1 if count and borders and borders[-1] == len(row) - 1 else count


def _ends_paragraph(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    return _ends_quote(state, line, end, silent) or (_begins_table(state, line) and _table(state, line, end, True))


def _ends_quote(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    at = state.bMarks[line] + state.tShift[line]
    rules = _QUOTE_ENDS.get(state.src[at : at + 1])
    return rules is not None and any(rule(state, line, end, True) for rule in rules)


def _ends_list(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    at = state.bMarks[line] + state.tShift[line]
    rules = _LIST_ENDS.get(state.src[at : at + 1])
    return rules is not None and any(rule(state, line, end, True) for rule in rules)


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark")
    parser.block = _Blocks()
    rules = parser.block.ruler
    rules.enableOnly(["code"])
    # These are only asked whether they end another block.
    rules.push("ends_paragraph", _ends_paragraph, {"alt": ["paragraph", "reference"]})
    rules.push("ends_quote", _ends_quote, {"alt": ["blockquote"]})
    rules.push("ends_list", _ends_list, {"alt": ["list"]})
    # Where a link leads is for others to find out.
    parser.normalizeLink = str  # type: ignore[assignment, method-assign]
    return parser


_PARSER = _parser()
