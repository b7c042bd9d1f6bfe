"""Cursors read any text, finished or not, at any place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answer_making import FOLDER, STYLE, label, workspace
from evidencedesk_server.cursors import cursor_at
from evidencedesk_server.messages import Question
from evidencedesk_server.rendering import FolderView

PATHS = ["page.md", "labels.json", "labels.jsonl", "evidencedesk.toml", "pyproject.toml"]
PIECES = [
    "---\n",
    "id: returns\n",
    "status: ",
    "supersedes: [",
    "- ",
    "<!-- evidencedesk: ignore ",
    "ED301",
    " -->",
    "# H\n",
    '{"id": "q1", ',
    '"gold": [{"section": "returns#',
    '"evidence": "',
    '"tags": [',
    '"',
    "}",
    "]",
    ",",
    ":",
    "😀",
    "\\",
    "[retrieval]\n",
    "[tool.evidencedesk.",
    'searcher = "',
    "ignore = [",
    "= ",
    "\n",
    "\r\n",
    " ",
    "x",
    "'",
    "[[",
    "#",
]
texts = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> FolderView:
    view = FolderView(FOLDER, STYLE)
    view.show(workspace(tmp_path_factory.mktemp("kb"), [label("q1", "Free?", "The parcel label is free.", tags=["a"])]))
    return view


@given(st.sampled_from(PATHS), texts, st.integers(0, 400))
def test_any_place_in_any_text_is_read_and_what_is_replaced_touches_the_cursor(path: str, text: str, at: int) -> None:
    offset = min(at, len(text))
    typed = cursor_at(path, text, offset)
    if typed is not None:
        assert 0 <= typed.span.start <= offset <= typed.span.end <= len(text)
        assert not set("\r\n") & set(typed.span.of(text))
        assert typed.comma_at is None or typed.comma_at <= typed.span.start


@given(st.sampled_from(PATHS), texts, st.integers(0, 400))
def test_whatever_is_typed_has_an_answer(view: FolderView, path: str, text: str, at: int) -> None:
    typed = cursor_at(path, text, min(at, len(text)))
    if typed is not None:
        asked = "returns.md" if path == "page.md" else path
        words = (typed.kind, typed.text, *typed.more)
        found = view.look(Question("completions", FOLDER, asked, words=words))
        assert len(found) <= 100
        for item in found:
            typed.written(item["value"], bool(item.get("bare")), item.get("snippet", ""))


def test_a_file_of_another_kind_has_no_cursor() -> None:
    assert cursor_at("notes.txt", "---\nstatus: ", 12) is None
    assert cursor_at("other.toml", "[", 1) is None
