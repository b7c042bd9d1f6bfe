from __future__ import annotations

import pytest

from evidencedesk.documents.markdown import parse_document
from evidencedesk.retrieval.places import counted, field_of, listed, quoted, reference, section_at
from evidencedesk.text.spans import Span

PAGE = "---\nid: returns\naudience: staff\n---\nIntro.\n\n# Returns\n\nOne.\n\n## Notes\n\nTwo.\n\n## Notes\n\nThree.\n"


@pytest.mark.parametrize(
    ("word", "expected"),
    [("Intro", "returns"), ("One", "returns#Returns"), ("Two", "returns#Notes"), ("Three", "returns#Notes-1")],
)
def test_a_section_is_named_as_labels_name_it(word: str, expected: str) -> None:
    document = parse_document("returns.md", PAGE)
    section = section_at(document, PAGE.index(word))
    assert reference(document, section) == expected
    assert document.sections_named(section.anchor) if section and section.heading else True


def test_front_matter_is_in_no_section() -> None:
    assert section_at(parse_document("returns.md", PAGE), PAGE.index("audience")) is None


def test_a_field_stands_where_it_is_written_and_else_at_the_top() -> None:
    document = parse_document("returns.md", PAGE)
    assert field_of(document, "audience").span.of(PAGE) == "staff"
    assert field_of(document, "status").span == document.top() != Span(0, 0)


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("short", 10, "short"),
        ("two\n  lines", 10, "two lines"),
        ("one two three", 10, "one two…"),
        ("a verylongword", 10, "a verylon…"),
        ("", 10, ""),
    ],
)
def test_a_quotation_is_one_short_line(text: str, limit: int, expected: str) -> None:
    assert quoted(text, limit) == expected
    assert len(quoted(text, limit)) <= limit


def test_lists_and_counts_read_as_sentences() -> None:
    assert listed(["a", "b", "c"]) == "a, b, c"
    assert listed(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"
    assert [counted(number, "question") for number in (0, 1, 2)] == ["0 questions", "1 question", "2 questions"]
