from __future__ import annotations

import pytest

from evidencedesk.documents.document import Document
from evidencedesk.documents.versions import Versions, head_of, version_of


def page(doc_id: str, status: str = "current", supersedes: tuple[str, ...] = ()) -> Document:
    return Document(doc_id=doc_id, path=f"{doc_id}.md", text="", status=status, supersedes=supersedes)


@pytest.mark.parametrize(
    ("doc_id", "expected"),
    [
        ("returns-v3", ("returns", 3)),
        ("kc-returns-v12-bn", ("kc-returns-bn", 12)),
        ("guides/migrate-v2", ("guides/migrate", 2)),
        ("returns", None),
        ("v3", None),
        ("returns-v", None),
        ("returns-v3-draft", None),
    ],
)
def test_an_id_tells_page_and_number(doc_id: str, expected: tuple[str, int] | None) -> None:
    assert version_of(doc_id) == expected


@pytest.mark.parametrize(
    ("pages", "stale", "current"),
    [
        ([page("a", "superseded"), page("b", supersedes=("a",))], "a", "b"),
        ([page("a", "superseded"), page("b", "superseded", ("a",)), page("c", supersedes=("b",))], "a", "c"),
        ([page("a-v1", "superseded"), page("a-v2"), page("a-v3")], "a-v1", "a-v3"),
        ([page("a-v1", "superseded"), page("a-v2", "superseded")], "a-v1", None),
        ([page("a-v1", "superseded"), page("a-v2-bn")], "a-v1", None),
        ([page("a-v1", "superseded"), page("a-v2"), page("new", supersedes=("a-v1",))], "a-v1", "new"),
        ([page("a", "superseded", ("b",)), page("b", "superseded", ("a",))], "a", None),
    ],
)
def test_the_current_page_is_found_over_supersedes_or_siblings(
    pages: list[Document], stale: str, current: str | None
) -> None:
    assert Versions(map(head_of, pages)).current(stale) == current


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ([page("a-v1"), page("a-v2")], ("a-v1", "a-v2")),
        ([page("a-v2"), page("a-v1")], ("a-v1", "a-v2")),
        ([page("a-v10"), page("a-v9")], ("a-v9", "a-v10")),
        ([page("old"), page("new", supersedes=("old",))], ("old", "new")),
        ([page("a-v2"), page("a-v1", supersedes=("a-v2",))], ("a-v2", "a-v1")),
        ([page("a-v1"), page("b-v2")], None),
        ([page("a-v1"), page("a-v1-bn")], None),
        ([page("a"), page("b")], None),
    ],
)
def test_versions_are_ordered_older_first(pages: list[Document], expected: tuple[str, str] | None) -> None:
    one, other = pages
    assert Versions(map(head_of, pages)).older_first(one.doc_id, other.doc_id) == expected
