"""Sentences are found where they stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.documents.frontmatter import FieldMap
from evidencedesk.documents.markdown import parse_document
from evidencedesk.documents.sentences import sentences
from evidencedesk.text.normal import find_all, fold
from evidencedesk.text.spans import Span

CASES = [
    ("One. Two “is it?” Yes!  **Bold.** Then", ["One.", "Two “is it?”", "Yes!", "**Bold.**", "Then"]),
    ("It wraps\nover lines. See e.g. this.", ["It wraps\nover lines.", "See e.g. this."]),
    ("- one. Two\n- [ ] do it\n  1. nested", ["one.", "Two", "do it", "nested"]),
    ("> quoted one.\n> Quoted two.", ["quoted one.", "Quoted two."]),
    ("| a | b |\n|---|---|\n| 1. | 2 |", ["| a | b |", "| 1. | 2 |"]),
    ("```sh\nrun x. Y\n\nrun y\n```", ["run x. Y", "run y"]),
    ("    indented code\n", ["indented code"]),
    ("这是。那是！", ["这是。", "那是！"]),
    ("Версия 3.5 вышла. Да?", ["Версия 3.5 вышла.", "Да?"]),
    ("<!-- note --> Shown. Too.", ["Shown.", "Too."]),
]


def found(text: str) -> list[str]:
    document = parse_document("page.md", text, FieldMap(), ())
    return [span.of(text) for span in sentences(document, Span(0, len(text)))]


@pytest.mark.parametrize(("text", "wanted"), CASES)
def test_sentences_by_kind_of_block(text: str, wanted: list[str]) -> None:
    assert found(f"# Heading\n\n{text}\n") == wanted


@given(st.text(alphabet="ab .!?\n-*>|`#。\t1)[]", max_size=200))
def test_every_sentence_is_found_where_it_is_offered(text: str) -> None:
    document = parse_document("page.md", text, FieldMap(), ())
    last = 0
    for span in sentences(document, Span(0, len(text))):
        assert last <= span.start < span.end
        last = span.end
        sentence = span.of(text)
        assert sentence == sentence.strip()
        if fold(sentence):
            assert any(match.verbatim for match in find_all(text, sentence))
