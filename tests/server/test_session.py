"""The client's documents and folders."""

from __future__ import annotations

import ntpath
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from evidencedesk.text.spans import LineIndex, Span
from evidencedesk_server.from_lsp import path_of
from evidencedesk_server.messages import Place
from evidencedesk_server.session import LOOSE, ClientProfile, Folder, OpenDocument, Session, settings_of


def session_with(*roots: Path) -> Session:
    session = Session(ClientProfile.of(types.ClientCapabilities()))
    session.add_folders([types.WorkspaceFolder(root.as_uri(), root.name) for root in roots])
    return session


def item(uri: str, text: str = "text", version: int = 1, language: str = "markdown") -> types.TextDocumentItem:
    return types.TextDocumentItem(uri=uri, language_id=language, version=version, text=text)


def insert(offset: int, text: str, removed: int = 0) -> types.TextDocumentContentChangePartial:
    return types.TextDocumentContentChangePartial(
        types.Range(types.Position(0, offset), types.Position(0, offset + removed)), text
    )


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (None, "utf-16"),
        ([], "utf-16"),
        (["utf-8", "utf-16"], "utf-8"),
        (["utf-32"], "utf-32"),
        (["utf-7", "utf-16"], "utf-16"),
        (["utf-7"], "utf-16"),
    ],
)
def test_first_known_encoding_of_the_client_is_taken(offered: list[str] | None, chosen: str) -> None:
    general = types.GeneralClientCapabilities(position_encodings=offered)
    assert ClientProfile.of(types.ClientCapabilities(general=general)).encoding == chosen


def test_a_client_that_says_nothing_gets_pushes_and_nothing_optional() -> None:
    profile = ClientProfile.of(types.ClientCapabilities())
    assert not (profile.pulls or profile.refreshes or profile.watches or profile.shows_progress)
    assert not (profile.style["markdown"] or profile.style["related"] or profile.style["document_changes"])


def test_documents_are_found_under_every_spelling_of_their_uri(tmp_path: Path) -> None:
    session = session_with(tmp_path)
    uri = tmp_path.as_uri() + "/a b(1).md"
    document = session.open(item(uri))
    for spelling in ("/a%20b(1).md", "/a%20b%281%29.md", "/./a b(1).md"):
        assert session.document(tmp_path.as_uri() + spelling) is document
    assert document.place == Place(tmp_path.as_uri(), "a b(1).md")
    assert document.spelling == uri
    assert session.close(tmp_path.as_uri() + "/a%20b%281%29.md") is document
    assert session.document(uri) is None


def test_symbolic_links_to_the_root_name_the_same_documents(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real, target_is_directory=True)
    for root, other in ((real, link), (link, real)):
        session = session_with(root)
        assert session.place_of((other / "a.md").as_uri()) == Place(root.as_uri(), "a.md")


def test_the_innermost_folder_holds_a_document(tmp_path: Path) -> None:
    inner = tmp_path / "docs"
    inner.mkdir()
    session = session_with(tmp_path, inner)
    document = session.open(item((inner / "a.md").as_uri()))
    assert document.place == Place(inner.as_uri(), "a.md")
    session.remove_folder(inner.as_uri())
    assert document.place == Place(tmp_path.as_uri(), "docs/a.md")
    assert session.at(Place(tmp_path.as_uri(), "docs/a.md")) is document


@pytest.mark.parametrize("uri", ["untitled:Untitled-1.py", "file:///elsewhere/a.md", "git:/x", "nonsense"])
def test_documents_outside_of_every_folder_have_no_place(tmp_path: Path, uri: str) -> None:
    session = session_with(tmp_path)
    document = session.open(item(uri, language="python"))
    assert document.place is None
    assert session.document(uri) is document
    assert list(session.placed()) == []
    assert session.close(uri) is document


def test_markdown_that_was_never_saved_has_a_place_of_its_own(tmp_path: Path) -> None:
    session = session_with()
    document = session.open(item("untitled:Untitled-1"))
    assert document.place == Place(LOOSE.uri, "Untitled-1")
    session.add_folders([types.WorkspaceFolder(tmp_path.as_uri(), "kb")])
    assert session.document("untitled:Untitled-1") is document
    assert session.close("untitled:Untitled-1") is document


def test_only_directories_of_this_machine_become_folders(tmp_path: Path) -> None:
    session = session_with()
    given = [tmp_path.as_uri() + "/", tmp_path.as_uri(), "vscode-vfs://github/x", (tmp_path / "none").as_uri()]
    added = session.add_folders(types.WorkspaceFolder(uri, "x") for uri in given)
    assert [folder.uri for folder in added] == [tmp_path.as_uri()]


def test_a_sibling_folder_with_the_same_beginning_is_outside(tmp_path: Path) -> None:
    root = tmp_path / "kb"
    root.mkdir()
    session = session_with(root)
    assert session.place_of((tmp_path / "kb-old" / "a.md").as_uri()) is None
    assert session.place_of((root / ".." / "a.md").as_uri()) is None


def test_edits_since_the_evaluation_are_mapped_both_ways() -> None:
    document = OpenDocument("file:///a", None, 1, LineIndex("one two three"))
    document.answered(1)
    document.change([insert(4, "NEW ")], 2, "utf-16")
    assert document.text == "one NEW two three"
    assert document.evaluated_offset(2) == 2
    assert document.evaluated_offset(5) is None
    assert document.evaluated_offset(8) == 4
    assert document.present_span(Span(4, 7)).of(document.text) == "two"
    document.answered(2)
    assert document.splices == []
    assert document.evaluated_offset(8) == 8


@given(
    st.text("abc", min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 3), st.text("XY", max_size=3)), max_size=6),
)
def test_characters_that_were_not_touched_keep_their_place_through_any_edits(
    text: str, edits: list[tuple[int, int, str]]
) -> None:
    document = OpenDocument("file:///a", None, 1, LineIndex(text))
    document.answered(1)
    identities: list[int | None] = list(range(len(text)))
    for version, (at, removed, new) in enumerate(edits, start=2):
        at = min(at, len(document.text))
        removed = min(removed, len(document.text) - at)
        document.change([insert(at, new, removed)], version, "utf-16")
        identities[at : at + removed] = [None] * len(new)
    for present, original in enumerate(identities):
        if original is not None:
            assert document.evaluated_offset(present) == original
            assert document.present_span(Span(original, original + 1)) == Span(present, present + 1)
        else:
            assert document.evaluated_offset(present) is None


@pytest.mark.parametrize("given", [None, [], "x", 3, {}, {"interpreter": "python"}, {"retrieval": None}])
def test_settings_that_set_nothing_are_empty(given: object) -> None:
    assert settings_of(given) == {}


def test_null_settings_count_as_unset() -> None:
    given = {
        "retrieval": {"k": 3, "floor": None},
        "documents": {"fields": {"id_field": None}},
        "rules": {"severity": {"ED201": "error"}},
        "trace": {"server": "off"},
    }
    assert settings_of(given) == {
        "retrieval": {"k": 3},
        "documents": {"fields": {}},
        "rules": {"severity": {"ED201": "error"}},
    }


@pytest.mark.parametrize("root", ["file:///c%3A/kb", "file:///C:/kb", "file:///c:/kb/"])
@pytest.mark.parametrize(
    "uri", ["file:///c%3A/kb/Sub/a%20b.md", "file:///C:/KB/Sub/a b.md", "file:///c:/kb/Sub/a b.md"]
)
def test_windows_drives_and_cases_name_the_same_documents(root: str, uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Played with Windows' rules for paths; the folder need not exist for that."""
    with monkeypatch.context() as patch:
        patch.setattr(os.path, "normcase", ntpath.normcase)
        patch.setattr(os.path, "realpath", lambda path: path)
        patch.setattr(os, "sep", "\\")
        path = path_of(root.rstrip("/"), windows=True)
        assert path == "C:\\kb"
        folder = Folder(root.rstrip("/"), path)
        below = folder.below(path_of(uri, windows=True) or "")
    assert below == "Sub/a b.md"
