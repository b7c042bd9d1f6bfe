"""Markdown becomes sections and blocks at exact places, whatever the line ends and however odd the page."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.documents.document import Block, Document, Section
from evidencedesk.documents.frontmatter import FieldMap
from evidencedesk.documents.markdown import parse_document
from evidencedesk.text.decode import decode
from evidencedesk.text.spans import Span


def parse(text: str, path: str = "docs/page.md") -> Document:
    return parse_document(path, text)


def headings(document: Document) -> list[tuple[int, str]]:
    return [(section.level, section.heading) for section in document.sections]


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, block.span.of(document.text)) for block in document.blocks]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\n", []),
        ("text", [(0, "")]),
        ("# A\n## B\n# C", [(1, "A"), (2, "B"), (1, "C")]),
        ("intro\n\n# A", [(0, ""), (1, "A")]),
        ("\n\n# A", [(1, "A")]),
        ("Title\n===\n\nSub\nject\n---\n", [(1, "Title"), (2, "Sub ject")]),
        ("# T\n\n~~~\n# not a header\n~~~\n\nbody", [(1, "T")]),
        ("# T\n\n````\n```\n# inner\n```\n````\n", [(1, "T")]),
        ("# T\n\n```\n~~~\n# inner\n```\n# U", [(1, "T"), (1, "U")]),
        ("# T\n\n    # code\n", [(1, "T")]),
        ("> # quoted\n\n- # listed\n\n#hash\n", [(0, "")]),
        ("# Title ##\n\nIntro.\n\n## Section ###\n\nBody.", [(1, "Title"), (2, "Section")]),
        ("#\n\ntext", [(1, "")]),
        ("<div>\n# in html\n</div>\n\n# A", [(0, ""), (1, "A")]),
        ("| a |\n|---|\n| # b |\n", [(0, "")]),
    ],
)
def test_sections_are_the_headings_of_the_page(text: str, expected: list[tuple[int, str]]) -> None:
    assert headings(parse(text)) == expected


def test_a_section_knows_its_path_anchor_heading_and_body() -> None:
    text = "# A\n\nx\n\n### Deep\n\n## B #\ny\n\n## B\n"
    document = parse(text)
    assert [section.path for section in document.sections] == [("A",), ("A", "Deep"), ("A", "B"), ("A", "B")]
    assert [section.anchor for section in document.sections] == ["A", "Deep", "B", "B-1"]
    third = document.sections[2]
    assert (third.heading_span.of(text), third.body.of(text)) == ("## B #", "y\n\n")
    assert third.span.of(text) == "## B #\ny\n\n"


@pytest.mark.parametrize(
    ("names", "anchors"),
    [
        (["Setup", "Setup", "Setup"], ["Setup", "Setup-1", "Setup-2"]),
        (["Setup", "Setup", "Setup-1"], ["Setup", "Setup-2", "Setup-1"]),
        (["Setup-1", "Setup", "Setup"], ["Setup-1", "Setup", "Setup-2"]),
    ],
)
def test_anchors_are_unique_and_leave_real_headings_their_name(names: list[str], anchors: list[str]) -> None:
    document = parse("".join(f"## {name}\n\n" for name in names))
    assert [section.anchor for section in document.sections] == anchors


BLOCKS = """\
Two
lines.
<!-- comment -->

- a

  - b


1. c
> quote
lazy

| h | i |
|---|:-:|
| 1 | 2 |
| 3 |

```py title
x

y
```
    lazy code?

    indented

    code

<div>
*html*
</div>

[ref]: http://x.y "t"
***
[ref]
"""


def test_blocks_are_the_whole_lines_of_top_level_constructs() -> None:
    document = parse(BLOCKS)
    assert blocks(document) == [
        ("paragraph", "Two\nlines."),
        ("html", "<!-- comment -->"),
        ("list", "- a\n\n  - b"),
        ("list", "1. c"),
        ("quote", "> quote\nlazy"),
        ("table", "| h | i |\n|---|:-:|\n| 1 | 2 |\n| 3 |"),
        ("code", "```py title\nx\n\ny\n```"),
        ("code", "    lazy code?\n\n    indented\n\n    code"),
        ("html", "<div>\n*html*\n</div>"),
        ("paragraph", "[ref]"),
    ]
    table, fence = document.blocks[5], document.blocks[6]
    assert [row.of(BLOCKS) for row in table.rows] == ["| h | i |", "|---|:-:|", "| 1 | 2 |", "| 3 |"]
    assert (fence.info, fence.closed) == ("py title", True)


@pytest.mark.parametrize(
    ("fence", "closed"),
    [
        ("```\nx\n```", True),
        ("```\nx\n````  ", True),
        ("~~~\nx\n~~~", True),
        ("```\n```", True),
        ("```", False),
        ("```\n", False),
        ("```\nx", False),
        ("```\nx\n\n\n", False),
        ("````\nx\n```", False),
        ("```\nx\n~~~", False),
        ("```\nx\n``` y", False),
        ("```\nx\n    ```", False),
    ],
)
def test_a_fence_without_an_end_is_told(fence: str, closed: bool) -> None:
    block = parse(f"# T\n\n{fence}").blocks[0]
    assert (block.kind, block.closed) == ("code", closed)


def test_the_text_of_an_open_fence_stays() -> None:
    text = "# T\n\nintro\n\n```python\nx=1\n\n## Important\n\ncritical\n"
    assert blocks(parse(text)) == [("paragraph", "intro"), ("code", "```python\nx=1\n\n## Important\n\ncritical")]


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        ("---\ntitle: Front\n---\n# One", "a/b.md", "Front"),
        ("## Two\n\n# One", "a/b.md", "One"),
        ("## Two\n\n## Three", "a/b.md", "Two"),
        ("text", "a/b.md", "b"),
        ("---\nid: x/y\n---\n", "a/b.md", "y"),
    ],
)
def test_the_title_is_the_front_matter_or_the_first_heading_or_the_id(text: str, path: str, title: str) -> None:
    assert parse(text, path).title == title


@pytest.mark.parametrize(
    ("path", "doc_id"),
    [
        ("docs/a.md", "docs/a"),
        ("docs/v1.2/a.b.markdown", "docs/v1.2/a.b"),
        ("README", "README"),
        ("docs/.md", "docs/.md"),
        ("v1.2/README", "v1.2/README"),
    ],
)
def test_the_id_falls_back_to_the_path_without_its_ending(path: str, doc_id: str) -> None:
    assert parse("x", path).doc_id == doc_id


def test_without_front_matter_the_fields_have_their_defaults() -> None:
    document = parse("Just text.")
    assert (document.status, document.audience, document.lang, document.version) == ("current", "public", "", "")
    assert (document.supersedes, document.front, dict(document.fields)) == ((), None, {})


def test_byte_order_marks_shift_nothing() -> None:
    document = parse(decode(b"\xef\xbb\xbf# Foo\r\n\r\nHi").text)
    assert headings(document) == [(1, "Foo")]
    assert document.sections[0].heading_span == Span(0, 5)
    kept = parse("\ufeff---\nid: x\n---\n# Foo\n")
    assert (kept.doc_id, headings(kept)) == ("x", [(1, "Foo")])


def test_undecodable_bytes_and_nul_characters_are_defects_at_their_place() -> None:
    decoded = decode(b"# A\n\ncaf\xe9 \0 b \0")
    document = parse_document("a.md", decoded.text, FieldMap(), decoded.bad)
    assert [(defect.kind, defect.span) for defect in document.defects] == [
        ("invalid-utf8", Span(8, 9)),
        ("nul", Span(10, 11)),
    ]
    assert blocks(document) == [("paragraph", "caf\ufffd \0 b \0")]


LINES = [
    "# A",
    "## B ##",
    "text *x*",
    "",
    " ",
    "- item",
    "  - sub",
    "1. one",
    "> quote",
    "| a | b |",
    "|---|---|",
    "```",
]
LINES += [
    "~~~",
    "    code",
    "===",
    "---",
    "***",
    "<div>",
    "</div>",
    "<!-- c -->",
    "<!--",
    "[r]: http://x",
    "\t- tab",
    "+++",
]
LINES += [
    "id: x",
    "{",
    "}",
    "\u2028x\x0cy\x85z",
    "\0",
    "\ufeff",
    "中文",
    "<!-- evidencedesk: ignore ED201 -->",
    "`c`",
    "> - ```",
]
PAGES = st.lists(st.sampled_from(LINES), max_size=14)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@given(PAGES, ENDS)
def test_sections_tile_the_body_and_blocks_lie_in_them_in_order(lines: list[str], end: str) -> None:
    text = end.join(lines)
    document = parse(text)
    starts = [section.span.start for section in document.sections]
    assert starts == sorted(starts)
    for first, second in pairwise(document.sections):
        assert first.span.end == second.span.start
    for section in document.sections:
        assert section.span.contains(section.body) and section.span.contains(section.heading_span)
        assert section.heading_span.end <= section.body.start or section.level == 0
    if document.sections:
        assert document.sections[-1].span.end == len(text)
    for first_block, second_block in pairwise(document.blocks):
        assert first_block.span.end < second_block.span.start
    for block in document.blocks:
        assert document.sections[block.section].body.contains(block.span)
        assert all(block.span.contains(row) for row in block.rows)
    assert len({section.anchor for section in document.sections}) == len(document.sections)


@given(PAGES, ENDS)
def test_no_text_is_lost_between_headings_and_blocks(lines: list[str], end: str) -> None:
    text = end.join(lines)
    document = parse(text)
    covered = [section.heading_span for section in document.sections] + [block.span for block in document.blocks]
    if document.front:
        covered.append(document.front.span)
    rest = list(text)
    for span in covered:
        rest[span.start : span.end] = [""] * (span.end - span.start)
    left = [line.strip() for line in "".join(rest).replace("\r", "\n").split("\n")]
    assert {line for line in left if line} <= {"---", "***", "[r]: http://x", "\ufeff"}


@given(PAGES)
def test_line_ends_do_not_change_the_structure(lines: list[str]) -> None:
    pages = [parse(end.join(lines)) for end in ("\n", "\r\n", "\r")]

    def shape(page: Document) -> object:
        return (headings(page), [(block.kind, block.section, block.closed, len(block.rows)) for block in page.blocks])

    assert shape(pages[0]) == shape(pages[1]) == shape(pages[2])
    assert [defect.kind for defect in pages[0].defects] == [defect.kind for defect in pages[1].defects]


@given(st.binary() | PAGES.map(lambda lines: "\n".join(lines).encode()))
def test_parsing_never_fails(data: bytes) -> None:
    decoded = decode(data)
    document = parse_document("a.md", decoded.text, bad=decoded.bad)
    assert document.text == decoded.text
    everything: list[Section | Block] = [*document.sections, *document.blocks]
    assert all(0 <= part.span.start <= part.span.end <= len(decoded.text) for part in everything)


@given(st.text(st.characters() | st.sampled_from("\ud800\udfff\n#-:[]{}&*!|>'\"%@`"), max_size=60))
def test_parsing_takes_any_text_an_editor_sends(text: str) -> None:
    assert parse(f"---\n{text}\n---\n{text}").text == f"---\n{text}\n---\n{text}"


def test_a_section_is_found_by_its_name_in_any_unicode_form_and_spacing() -> None:
    document = parse_document("page.md", "# Reise\n\n## Zurück  zur\tWerkstatt\n\nText.\n")
    for name in ("Zurück zur Werkstatt", "Zuru\u0308ck zur  Werkstatt"):
        assert [section.level for section in document.sections_named(name)] == [2]
