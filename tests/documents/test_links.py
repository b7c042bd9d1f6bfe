"""Which links a page has, which file each means, and which heading its fragment does."""

from __future__ import annotations

import pytest

from evidencedesk.documents.links import anchors, as_link, find_links, resolve
from evidencedesk.documents.markdown import parse_document


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("See [it](page.md).", [("page.md", "")]),
        ("See [it](<my page.md#A b> 'title').", [("my page.md", "A b")]),
        ("![alt](img/a.png) [b](#top)", [("img/a.png", ""), ("", "top")]),
        ("[a](my%20page.md?x=1#f%C3%BCr)", [("my page.md", "für")]),
        ("[a](page_(old).md#x)", [("page_(old).md", "x")]),
        ("[text]\n\n[text]: ../other.md#anchor\n", [("../other.md", "anchor")]),
        ("<a href=\"page.md#x\">x</a> <img src='a.png'>", [("page.md", "x"), ("a.png", "")]),
        ("[a](https://example.org/page.md) [m](mailto:a@b.c) [p](//host/page.md)", []),
        ("`[a](page.md)`\n\n```\n[b](page.md)\n```\n\n    [c](page.md)\n", []),
        ("---\nid: x\nsee: '[a](page.md)'\n---\ntext", []),
        ("[^1]: a footnote.md", []),
    ],
)
def test_links_into_the_workspace_are_found_outside_code(text: str, links: list[tuple[str, str]]) -> None:
    document = parse_document("p.md", text)
    found = list(find_links(document))
    assert [(link.path, link.fragment) for link in found] == links
    for link in found:
        assert link.fragment_span is None or text[link.fragment_span.start - 1] == "#"


FILES = {"a.md", "docs/b.md", "docs/deep/index.md", "docs/readme.mdx", "docs/c.markdown"}


@pytest.mark.parametrize(
    ("link", "origin", "path"),
    [
        ("", "docs/b.md", "docs/b.md"),
        ("b.md", "docs/c.markdown", "docs/b.md"),
        ("./b", "docs/c.markdown", "docs/b.md"),
        ("../a.md", "docs/b.md", "a.md"),
        ("/docs/c", "docs/deep/index.md", "docs/c.markdown"),
        ("deep/", "docs/b.md", "docs/deep/index.md"),
        (".", "docs/b.md", "docs/readme.mdx"),
        ("../../x.md", "docs/b.md", None),
        ("nothing.md", "a.md", None),
    ],
)
def test_a_link_means_a_file(link: str, origin: str, path: str | None) -> None:
    assert resolve(link, origin, FILES.__contains__) == path


def test_anchors_are_named_as_on_github_and_explicit_ids_win() -> None:
    headings = ["# How to: set-up & go!", "## Ça_va", "## Twice", "## Twice", "## Named {#my-id}", "## Odd {/* odd */}"]
    text = "\n\n".join(["intro", *headings])
    assert anchors(parse_document("p.md", text)) == {
        "how-to-set-up--go": 1,
        "ça_va": 2,
        "twice": 3,
        "twice-1": 4,
        "my-id": 5,
        "odd": 6,
    }


def test_what_would_end_a_link_is_escaped() -> None:
    assert as_link("a b/c(1)#?.md", angled=False) == "a%20b/c%281%29%23%3F.md"
    assert as_link("a b/c(1).md", angled=True) == "a b/c(1).md"
