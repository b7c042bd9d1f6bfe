"""What authors do to a page, one function a kind. Invariant: the same page and number give the same text."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from evidencedesk.documents.document import Document

Edit = Callable[[Document, int], str | None]
"""A page's text after the edit; None for a page on which the edit is impossible."""


def change_word(document: Document, number: int) -> str | None:
    """Another word in the middle of the last section that holds some prose."""
    for section in reversed(document.sections):
        body = section.body.of(document.text)
        words = [word for word in body.split() if word.isalpha() and len(word) > 3]
        if len(words) > 10:
            word = words[len(words) // 2]
            at = section.body.start + body.index(word)
            return f"{document.text[:at]}edited{number}{document.text[at + len(word) :]}"
    return None


def add_paragraph(document: Document, number: int) -> str:
    """Two sentences at the end."""
    added = f"One more paragraph, number {number}, about {document.title}. It says that nothing else has changed."
    return f"{document.text.rstrip()}\n\n{added}\n"


def remove_section(document: Document, number: int) -> str | None:
    """The last of several sections is gone."""
    if len(document.sections) < 3:
        return None
    span = document.sections[-1].span
    return document.text[: span.start] + document.text[span.end :]


def comment_front_matter(document: Document, number: int) -> str | None:
    """A comment in the front matter; every line below moves, no chunk changes."""
    head, newline, rest = document.text.partition("\n")
    return f"{head}\n# edit {number}\n{rest}" if head.strip() == "---" and newline else None


def change_nothing(document: Document, number: int) -> str:
    """The same text is saved again."""
    return document.text


EDITS: Mapping[str, Edit] = {
    "word": change_word,
    "paragraph": add_paragraph,
    "section removed": remove_section,
    "front matter": comment_front_matter,
    "same text": change_nothing,
}
