from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.documents.document import Document
from evidencedesk.documents.markdown import parse_document
from evidencedesk.errors import UnknownNameError
from evidencedesk.retrieval.chunking import CHUNKERS, Chunker, make_chunker

PAGE = """\
---
id: kc-demo-v1
title: Demo
status: superseded
audience: staff
lang: en
---

Before any heading.

# Demo

## Values

First line
of a paragraph.

| Part | Nm |
| --- | --- |
| Stem | 5 |
| Seat | 7 |

## Steps

```sh
turn left

turn right
```

- one
- two

---

[link]: https://kestrel.example

<!-- a note for editors -->
"""

TABLE = "| Part | Nm |\n| --- | --- |\n"
FENCE = "```sh\nturn left\n\nturn right\n```"

EXPECTED = {
    "structure": [
        ("Before any heading.", "text", "lines 9-9"),
        ("First line\nof a paragraph.", "text", "Values, lines 15-16"),
        (TABLE + "| Stem | 5 |", "table", "Values, lines 18-20"),
        (TABLE + "| Seat | 7 |", "table", "Values, lines 21-21"),
        (FENCE, "code", "Steps, lines 25-29"),
        ("- one\n- two", "list", "Steps, lines 31-32"),
    ],
    "paragraph": [
        ("Before any heading.", "text", "lines 9-9"),
        ("First line of a paragraph.", "text", "Values, lines 15-16"),
        ("| Part | Nm | | --- | --- | | Stem | 5 | | Seat | 7 |", "table", "Values, lines 18-21"),
        ("```sh turn left", "code", "Steps, lines 25-26"),
        ("turn right ```", "code", "Steps, lines 28-29"),
        ("- one - two", "list", "Steps, lines 31-32"),
    ],
    "section": [
        ("Before any heading.", "text", "lines 9-9"),
        (f"First line\nof a paragraph.\n\n{TABLE}| Stem | 5 |\n| Seat | 7 |", "text", "Values, lines 15-21"),
        (
            f"{FENCE}\n\n- one\n- two\n\n---\n\n[link]: https://kestrel.example\n\n<!-- a note for editors -->",
            "text",
            "Steps, lines 25-38",
        ),
    ],
}


def demo(source: str = PAGE) -> Document:
    return parse_document("demo.md", source)


def shapes(chunker: Chunker, document: Document) -> list[tuple[str, str, str]]:
    return [(chunk.text, chunk.kind, chunk.location.label) for chunk in chunker(document)]


@pytest.mark.parametrize("name", EXPECTED)
def test_cuts_the_demo_page(name: str) -> None:
    assert shapes(make_chunker(name), demo()) == EXPECTED[name]


def test_chunks_carry_their_documents_metadata_and_numbers_from_zero() -> None:
    chunks = make_chunker("structure")(demo())
    assert [chunk.id for chunk in chunks] == [f"kc-demo-v1:c{n}" for n in range(6)]
    assert {(c.doc_id, c.path, c.title, c.status, c.audience, c.lang) for c in chunks} == {
        ("kc-demo-v1", "demo.md", "Demo", "superseded", "staff", "en")
    }
    assert [chunk.section for chunk in chunks] == ["", "Values", "Values", "Values", "Steps", "Steps"]
    headings = [chunk.location.heading.of(PAGE) for chunk in chunks]
    assert [heading.strip("# \n") for heading in headings] == ["", "Values", "Values", "Values", "Steps", "Steps"]


def test_fixed_windows_overlap_and_cross_sections_without_headings() -> None:
    chunks = make_chunker("fixed", size=30, overlap=10)(
        demo("# A\n\nabcdefghij klmnopqrst\n\n## B\n\nuvwxyz 0123456789")
    )
    assert [chunk.text for chunk in chunks] == ["abcdefghij klmnopqrst\n\nuvwxyz", "t\n\nuvwxyz 0123456789"]
    assert [chunk.location.label for chunk in chunks] == ["A, lines 3-7", "A, lines 3-7"]


def test_tokens_are_windows_of_words() -> None:
    chunks = make_chunker("tokens", size=4, overlap=1)(demo("# A\n\none two  three\nfour five\n\n## B\n\nsix"))
    assert [chunk.text.split() for chunk in chunks] == [["one", "two", "three", "four"], ["four", "five", "six"]]


@pytest.mark.parametrize(
    ("body", "options", "texts"),
    [
        ("aaa bbb\n\nccc ddd\n\neee", {"size": 8}, ["aaa bbb", "ccc ddd", "eee"]),
        ("aaa bbb\n\nccc ddd\n\neee", {"size": 100}, ["aaa bbb\n\nccc ddd\n\neee"]),
        ("one two three four", {"size": 10, "overlap": 4}, ["one two", "two three", "four"]),
        ("0123456789", {"size": 4, "overlap": 1}, ["0123", "3456", "6789"]),
        ("0123456789 ab", {"size": 4, "separators": [" "]}, ["0123456789", "ab"]),
        ("a. b. c. d", {"size": 5, "separators": (". ",)}, ["a. b", ". c", ". d"]),
        ("0123456789", {"size": 4, "separators": []}, ["0123456789"]),
    ],
)
def test_recursive_cuts_at_the_coarsest_separator_and_merges(
    body: str, options: dict[str, object], texts: list[str]
) -> None:
    assert [chunk.text for chunk in make_chunker("recursive", **options)(demo(body))] == texts


@pytest.mark.parametrize("name", CHUNKERS)
@pytest.mark.parametrize(
    "source", ["", "\n\n", "---\nid: x\n---\n", "# Only a heading\n", "# A\n\n<!-- x -->\n\n---\n"]
)
def test_a_page_without_text_has_no_chunks(name: str, source: str) -> None:
    assert make_chunker(name)(demo(source)) == []


@pytest.mark.parametrize("name", CHUNKERS)
def test_an_unclosed_fence_loses_nothing(name: str) -> None:
    chunks = make_chunker(name)(demo("# T\n\nintro\n\n```python\nx=1\n\n## Important\n\ncritical\n"))
    assert {"intro", "x=1", "Important", "critical"} <= set(" ".join(chunk.text for chunk in chunks).split())


def test_an_unclosed_comment_counts_as_text() -> None:
    assert [chunk.text for chunk in make_chunker("structure")(demo("<!-- lost\nfor ever"))] == ["<!-- lost\nfor ever"]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("sentence", {}, "the strategies are fixed, section"),
        ("section", {"size": 3}, "it has no options"),
        ("fixed", {"length": 3}, "its options are size, overlap"),
        ("fixed", {"size": 0}, "size must be a whole number of characters, 1 or more, not 0"),
        ("fixed", {"size": True}, "not True"),
        ("tokens", {"size": "9"}, "whole number of words"),
        ("tokens", {"overlap": -1}, "overlap must be a whole number of words, 0 or more"),
        ("recursive", {"size": 10, "overlap": 10}, "overlap must be smaller than size"),
        ("recursive", {"separators": "\n"}, "separators must be a list of texts"),
        ("recursive", {"separators": 5}, "separators must be a list of texts"),
        ("recursive", {"separators": [1]}, "separators must be a list of texts"),
    ],
)
def test_bad_options_are_refused_in_plain_words(name: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        make_chunker(name, **options)


def test_an_unknown_strategy_is_an_unknown_name() -> None:
    with pytest.raises(UnknownNameError):
        make_chunker("sentence")


@pytest.mark.parametrize("name", CHUNKERS)
def test_a_very_long_line_is_cut_whole(name: str) -> None:
    line = "kestrel " * 40_000
    chunks = make_chunker(name)(demo(f"# T\n\n{line}"))
    assert chunks[0].location.span.start == 5
    assert chunks[-1].location.span.end == 5 + len(line.rstrip())


SNIPPETS = st.sampled_from(
    [
        "# Head",
        "## Head",
        "Setext\n======",
        "plain words here",
        "two\nlines of *text*",
        "- a\n- b\n\n  c",
        "| a | b |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |",
        "| a |\n| - |",
        "```\ncode\n\n\n  more\n```",
        "    indented",
        "> quote\n> more",
        "<div>\nhtml\n</div>",
        "<!-- note -->",
        "***",
        "[ref]: https://kestrel.example",
        "ফেরত দেওয়ার নিয়ম",
        "\u2028odd\x0cspace\x85",
        "long" * 60,
        "word " * 60,
        "~~~\nnever closed",
        "",
    ]
)
PAGES = st.lists(SNIPPETS, max_size=8).map("\n\n".join)
ANY_CHUNKER = st.one_of(
    st.sampled_from(sorted(CHUNKERS)).map(make_chunker),
    st.tuples(st.sampled_from(["fixed", "recursive", "tokens"]), st.integers(1, 60), st.integers(0, 59)).map(
        lambda args: make_chunker(args[0], size=args[1], overlap=args[2] % args[1])
    ),
)


def visible(text: str) -> str:
    return "".join(text.split())


def without_headings(document: Document, start: int, end: int) -> str:
    inside = range(start, end)
    headings = {offset for section in document.sections for offset in range(*section.heading_span)}
    return "".join(document.text[offset] for offset in inside if offset not in headings)


@given(PAGES, ANY_CHUNKER)
def test_every_visible_character_of_a_block_is_in_a_chunk(source: str, chunker: Chunker) -> None:
    document = demo(source)
    covered = {offset for chunk in chunker(document) for offset in range(*chunk.location.span)}
    for block in document.blocks:
        if block.kind == "html" and block.span.of(source).startswith("<!--"):
            continue
        missing = [offset for offset in range(*block.span) if offset not in covered and not source[offset].isspace()]
        assert not missing


@given(PAGES, ANY_CHUNKER)
def test_a_chunk_is_its_source_up_to_the_documented_folding(source: str, chunker: Chunker) -> None:
    document = demo(source)
    for chunk in chunker(document):
        own = visible(without_headings(document, *chunk.location.span))
        text = visible(chunk.text)
        assert text == own or (chunk.kind == "table" and text.endswith(own))


@given(PAGES, ANY_CHUNKER)
def test_spans_run_in_source_order_and_stay_out_of_the_front_matter(source: str, chunker: Chunker) -> None:
    front = "---\ntitle: T\n---\n"
    chunks = chunker(demo(front + source))
    spans = [chunk.location.span for chunk in chunks]
    ends = [span.end for span in spans]
    assert spans == sorted(spans)
    assert ends == sorted(set(ends))
    assert all(span.start >= len(front) for span in spans)
    assert len({chunk.id for chunk in chunks}) == len(chunks)


@given(PAGES, ANY_CHUNKER, st.sampled_from(["\r\n", "\r"]))
def test_line_ends_change_no_chunk(source: str, chunker: Chunker, line_end: str) -> None:
    assert shapes(chunker, demo(source.replace("\n", line_end))) == shapes(chunker, demo(source))


@given(PAGES, st.integers(1, 60), st.integers(0, 59))
def test_windows_keep_to_their_size(source: str, size: int, overlap: int) -> None:
    document = demo(source)
    for name in ("fixed", "recursive"):
        chunks = make_chunker(name, size=size, overlap=overlap % size)(document)
        assert all(len(chunk.text) <= size for chunk in chunks)
    words = make_chunker("tokens", size=size, overlap=overlap % size)(document)
    assert all(len(chunk.text.split()) <= size for chunk in words)


KEEP = "<!-- evidencedesk: keep -->\n"
SMALL: list[Chunker] = [
    make_chunker("fixed", size=12, overlap=4),
    make_chunker("recursive", size=12, overlap=5),
    make_chunker("tokens", size=3, overlap=1),
    make_chunker("paragraph"),
    make_chunker("structure"),
    make_chunker("section"),
]
BLOCKS = [
    "one two three four five six",
    "- a\n\n- b c d e f g",
    f"{TABLE}| 1 | 2 |\n| 3 | 4 |",
    FENCE,
    "## Head",
    "---",
]


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(BLOCKS)), max_size=8), st.sampled_from(["\n", "\r\n"]))
def test_what_is_kept_is_whole_in_exactly_one_chunk(parts: list[tuple[bool, str]], newline: str) -> None:
    text = "\n\n".join((KEEP if keep else "") + block for keep, block in parts).replace("\n", newline)
    document = parse_document("p.md", text)
    for cut in SMALL:
        chunks = cut(document)
        for keep in document.kept:
            if any(keep.span.overlaps(block.span) for block in document.blocks if block.kind != "html"):
                (holder,) = [chunk for chunk in chunks if chunk.location.span.overlaps(keep.span)]
                assert holder.location.span.contains(keep.span)
        for block in document.blocks:
            if block.kind != "html":
                assert any(chunk.location.span.overlaps(block.span) for chunk in chunks)


@pytest.mark.parametrize("cut", SMALL[:3], ids=["fixed", "recursive", "tokens"])
def test_windows_begin_anew_after_what_is_kept(cut: Chunker) -> None:
    before, kept, after = "one two three four five", "six seven eight nine ten", "eleven twelve thirteen fourteen"
    texts = [chunk.text for chunk in cut(parse_document("p.md", f"{before}\n\n{KEEP}{kept}\n\n{after}\n"))]
    alone = [[chunk.text for chunk in cut(parse_document("p.md", text))] for text in (before, after)]
    assert texts == [*alone[0], kept, *alone[1]]
