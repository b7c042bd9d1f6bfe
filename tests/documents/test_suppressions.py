"""Which comments switch rules off, for what, and which are mere text."""

import pytest

from evidencedesk.documents.document import Document
from evidencedesk.documents.markdown import parse_document

IGNORE = "<!-- evidencedesk: ignore ED201 -->"


def targets(document: Document) -> list[tuple[list[str], str]]:
    return [([code for code, _ in each.codes], each.target.of(document.text)) for each in document.suppressions]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        (f"{IGNORE}\nnext\nlines\n\nother", "next\nlines"),
        (f"a\n\n{IGNORE}\n\n\n| a |\n|---|\n\nother", "| a |\n|---|"),
        (f"{IGNORE}\n## Heading\n\ntext", "## Heading"),
        (f"{IGNORE}\n<!-- another -->\n\n- list\n", "- list"),
        (f"text {IGNORE}\n\nother", "text " + IGNORE),
        (f"- a\n- b\n  {IGNORE}\n\nother", f"- a\n- b\n  {IGNORE}"),
        (f"## Heading {IGNORE}\n\ntext", f"## Heading {IGNORE}"),
        (f"<div>\n{IGNORE}\nx\n</div>\n\nother", f"<div>\n{IGNORE}\nx\n</div>"),
        (f"text\n\n{IGNORE}\n", IGNORE),
        (f"`a` {IGNORE} `b`\n", f"`a` {IGNORE} `b`"),
        (f"`` ` {IGNORE}\n", f"`` ` {IGNORE}"),
    ],
)
def test_a_comment_covers_its_own_block_or_the_next(text: str, target: str) -> None:
    assert targets(parse_document("a.md", text)) == [(["ED201"], target)]


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{IGNORE}\n```\n\ntext",
        f"    {IGNORE}\n\ntext",
        f"- a\n\n  ```\n  {IGNORE}\n  ```\n",
        f"> ```\n> {IGNORE}\n> ```\n",
        f"Write `{IGNORE}` above it.",
        f"Write `` {IGNORE} ` `` above it.",
        "<!-- evidencedesk -->\n\ntext",
        "<!-- evidencedesk: ignore ED201\n\ntext",
        f"---\nnote: {IGNORE}\n---\ntext",
    ],
)
def test_in_code_and_front_matter_it_is_text(text: str) -> None:
    assert parse_document("a.md", text).suppressions == ()


def test_a_file_wide_comment_covers_the_file() -> None:
    text = "---\nid: x\n---\n# A\n\n<!-- evidencedesk: ignore-file ED201, ED106 -->\n"
    assert targets(parse_document("a.md", text)) == [(["ED201", "ED106"], text)]


def test_codes_have_their_own_places_and_none_means_all() -> None:
    text = "<!--evidencedesk:ignore ED201  ED999-->\na\n\n<!-- evidencedesk: ignore -->\nb\n"
    document = parse_document("a.md", text)
    assert targets(document) == [(["ED201", "ED999"], "a"), ([], "b")]
    first = document.suppressions[0]
    assert [span.of(text) for _, span in first.codes] == ["ED201", "ED999"]
    assert first.span.of(text) == "<!--evidencedesk:ignore ED201  ED999-->"


def test_a_misspelt_verb_is_kept_as_an_unknown_code_that_covers_nothing() -> None:
    text = "<!-- evidencedesk: ignroe ED201 -->\na\n"
    document = parse_document("a.md", text)
    assert targets(document) == [(["ignroe"], "<!-- evidencedesk: ignroe ED201 -->")]


KEEP = "<!-- evidencedesk: keep -->"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"{KEEP}\nnext\nlines\n\nother", ["next\nlines"]),
        (f"{KEEP}\n{IGNORE}\n\n| a |\n|---|\n\nother", ["| a |\n|---|"]),
        (f"text {KEEP}\n\nother", [f"text {KEEP}"]),
        (f"{KEEP}\n## Heading\n\na\n\n- b\n\n## Next\n\nc", ["a\n\n- b"]),
        (f"{KEEP}\n## Heading\n\na\n\n{KEEP}\n- b\n", [f"a\n\n{KEEP}\n- b"]),
        (f"{KEEP}\n{KEEP}\none\n\n{KEEP}\n\ntwo", ["one", "two"]),
        (f"{KEEP}\n## Heading without a text\n\n## Next\n\nc", []),
        (f"nothing follows\n\n{KEEP}\n", []),
        (f"`{KEEP}` in code\n", []),
    ],
)
def test_keep_covers_its_own_block_or_the_next_and_a_headings_text(text: str, kept: list[str]) -> None:
    document = parse_document("a.md", text)
    assert [keep.span.of(text) for keep in document.kept] == kept
    assert [codes for codes, _ in targets(document)] == [["ED201"]] * text.count(IGNORE)
