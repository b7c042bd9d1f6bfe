"""The lean rules find what all of markdown-it-py's rules find."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from evidencedesk.documents.block_parser import block_tokens

_WHOLE = MarkdownIt("commonmark").enable("table")
_WHOLE.core.ruler.enableOnly(["normalize", "block"])

STARTS = ["", "", "", " ", "   ", "    ", "\t", " \t", "> ", ">", ">> ", "- ", "-   ", "+ ", "* ", "1. ", "2) ", "10. "]
RESTS = [
    *("", "word", "two words", "# Heading", "#word", "## Heading ##", "===", "---", "--", "- - -", "***", "___ _"),
    *("```", "````", "~~~ info", "``` a`b", "<div>", "</div>", "<!-- note", "-->", "<b>x", "<?php", "?>", "<pre>"),
    *(
        "| a | b |",
        "a | b",
        "|---|---|",
        "--|--",
        "|:-|-:|",
        ":-:",
        "|-",
        "| -",
        "-|",
        "||",
        "|\\|",
        "a \\| b |",
        "| |",
    ),
    *(
        "[a]: /b",
        "[a]:",
        "[A]: <b> 'c'",
        "'title'",
        "[a",
        "b]: c",
        "[a] b",
        "-",
        "+",
        "1.",
        "123456789. x",
        "\\",
        "\u00a0",
    ),
]
LINE = st.tuples(
    st.lists(st.sampled_from(STARTS), max_size=3).map("".join), st.sampled_from(RESTS), st.sampled_from(["", " ", "\t"])
)
TEXT = st.lists(LINE.map("".join), max_size=14).flatmap(
    lambda lines: st.sampled_from(["\n", "\n", "\r\n", "\r"]).map(lambda end: end.join(lines) + end * (len(lines) % 2))
)

KEPT = {"paragraph_open", "table_open", "heading_open", "bullet_list_open", "ordered_list_open", "blockquote_open"}
CODE = {"fence", "code_block"}


def outline(tokens: list[Token], environment: dict[str, Any]) -> list[Any]:
    """All that a document is made of: the blocks at the top, headings with their text, code anywhere, definitions."""
    found: list[Any] = []
    for token, following in zip_longest(tokens, tokens[1:]):
        if token.type in CODE:
            found.append((token.type, token.level, token.map, token.info, token.markup))
        elif token.level == 0 and token.type in {*KEPT, "html_block", "hr"}:
            heading = following.content if following is not None and token.type == "heading_open" else ""
            found.append((token.type, token.tag, token.map, heading))
    return [*found, {label: one["map"] for label, one in environment.get("references", {}).items()}]


def by_all_rules(text: str) -> list[Any]:
    environment: dict[str, Any] = {}
    return outline(_WHOLE.parse(text, environment), environment)


@settings(max_examples=1500, deadline=None)
@given(TEXT)
def test_blocks_are_those_of_all_rules(text: str) -> None:
    assert outline(*block_tokens(text)) == by_all_rules(text)


@settings(deadline=None)
@given(st.text(alphabet="ab|-:=>#*+_`~<![]()\\ \t\n\r1.\u2028\x0b\x1c", max_size=60))
def test_blocks_of_any_text_are_those_of_all_rules(text: str) -> None:
    assert outline(*block_tokens(text)) == by_all_rules(text)


@pytest.mark.parametrize("rows", [0x8000 + 1, 0x8000 - 1])
def test_a_table_is_padded_up_to_a_limit(rows: int) -> None:
    text = "|a|b|c|\n|-|-|-|\n" + "|a|\n" * rows
    assert outline(*block_tokens(text)) == by_all_rules(text)
