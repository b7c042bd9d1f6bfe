"""Headings as a reader of the page sees them."""

import pytest

from evidencedesk.documents.markdown import parse_document


@pytest.mark.parametrize(
    ("source", "heading"),
    [
        ("# Section ###", "Section"),
        ("# C# guide", "C# guide"),
        ("# 24/7 Support", "24/7 Support"),
        ("#   Two \t spaces ", "Two spaces"),
        ("# **Bold** `code_x` *it* __b__", "Bold code_x it b"),
        ("# snake_case and 2 * 3", "snake_case and 2 * 3"),
        ("# [Link *x*](http://u) and [ref][r] and [r]", "Link x and ref and r"),
        ("# ![Alt](a.png) text", "Alt text"),
        ("# Name {#the-id}", "Name"),
        ("# Name {/*the-id*/}", "Name"),
        ("# Name {: .class}", "Name"),
        ("# Name ## {#id}", "Name ##"),
        ("# Keep {this}", "Keep {this}"),
        ('# <a id="x"></a>Anchor <b>b</b>', "Anchor b"),
        ("# List<int> and <table name>", "List<int> and <table name>"),
        ("# a <!-- evidencedesk: ignore ED106 -->", "a"),
        ("# Q&amp;A \\# &copy;", "Q&A # ©"),
        ("# cafe\u0301", "café"),
        ("Two\nlines\n===", "Two lines"),
        ("# " + "*x* " * 400, ("*x* " * 400).strip()),
    ],
)
def test_a_heading_is_its_plain_text(source: str, heading: str) -> None:
    document = parse_document("a.md", f"{source}\n\n[r]: http://x\n")
    assert document.sections[0].heading == heading
