"""Code is blanked out and everything else stays, offset by offset."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.documents.markdown import parse_document
from evidencedesk.documents.prose import prose

CASES = {
    "a fence": ("Say x.\n\n```sh\nx\n```\n\nSay x.\n", 2),
    "an indented block": ("Say x.\n\n    x\n\nSay x.\n", 2),
    "a fence in a list": ("- Say x.\n\n  ```\n  x\n  ```\n\n  Say x.\n", 2),
    "a fence in a quote": ("> Say x.\n>\n> ~~~\n> x\n> ~~~\n", 1),
    "a fence in a list that never ends": ("- Say x.\n\n  ```\n  x\n", 1),
    "a code span": ("Say x and `x` and ``x ` x``.\n", 1),
    "a lone backtick": ("Say x ` and x.\n\nAnd ` x.\n", 3),
    "a code span in a table": ("| a | b |\n|---|---|\n| x | `x` |\n", 1),
    "HTML": ("Say x.\n\n<pre>\nx\n</pre>\n\n<code>x</code> x\n", 2),
    "front matter": ("---\ntitle: x\n---\nx\n", 2),
    "CRLF": ("Say x.\r\n\r\n```\r\nx\r\n```\r\n", 1),
}


@pytest.mark.parametrize("name", CASES)
def test_code_is_blanked(name: str) -> None:
    text, left = CASES[name]
    masked = prose(parse_document("a.md", text))
    assert masked.count("x") == left
    assert_only_blanked(text, masked)


@given(st.text(st.sampled_from("x `~\n\r>-<pre/code\t1.|"), max_size=80))
def test_any_text_keeps_its_length_and_lines(text: str) -> None:
    assert_only_blanked(text, prose(parse_document("a.md", text)))


def assert_only_blanked(text: str, masked: str) -> None:
    assert len(masked) == len(text)
    for before, after in zip(text, masked, strict=True):
        assert after == before or (after == " " and before not in "\r\n")
