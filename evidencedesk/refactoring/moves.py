"""Files and folders that get other paths. Invariant: a link leads to the same file afterwards, from wherever it stands.

Where the path is the document's id, labels, `supersedes`, the baseline and recorded runs follow too.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from evidencedesk.documents.document import Document
from evidencedesk.documents.links import INDEX_NAMES, Link, as_link, find_links, resolve
from evidencedesk.documents.markdown import id_of_path
from evidencedesk.refactoring.edits import Edits, gathered
from evidencedesk.refactoring.follow import NewNames, follow
from evidencedesk.text.spans import TextEdit
from evidencedesk.workspace.snapshot import Snapshot


def move(snapshot: Snapshot, moves: Sequence[tuple[str, str]]) -> Edits:
    """The edits, in the files at their old paths, that go with moving files or folders `(old path, new path)`."""
    moved = _Moved(dict(moves))
    documents: dict[str, str] = {}
    paths: dict[str, str] = {}
    for document in snapshot.documents:
        new = moved(document.path)
        if new == document.path:
            continue
        paths[document.path] = new
        first = snapshot.facts.by_id[document.doc_id].document
        if document.doc_id == id_of_path(document.path) and "id" not in document.fields and first is document:
            documents[document.doc_id] = id_of_path(new)
    edits = [*follow(snapshot, NewNames(documents, paths=paths))]
    edits += _links(snapshot, moved)
    return gathered(edits)


class _Moved:
    """Old path → new path, also of what lies in a moved folder."""

    def __init__(self, moves: Mapping[str, str]) -> None:
        self.moves = {old.rstrip("/"): new.rstrip("/") for old, new in moves.items()}

    def __call__(self, path: str) -> str:
        part = path
        while part:
            if part in self.moves:
                return self.moves[part] + path[len(part) :]
            part = posixpath.dirname(part)
        return path


def _links(snapshot: Snapshot, moved: _Moved) -> Iterator[tuple[str, TextEdit]]:
    names = {posixpath.splitext(posixpath.basename(old))[0] for old in moved.moves}
    for document in snapshot.documents:
        own = moved(document.path)
        # A page that stays can only be concerned where a moved name occurs, or as the index of a folder.
        if own == document.path and not any(_may_name(name, document.text) for name in names):
            continue
        for link in find_links(document):
            if link.path and (new := _new_path(snapshot, document, link, own, moved)) is not None:
                yield document.path, TextEdit(link.path_span, as_link(new, angled=link.angled))


def _may_name(name: str, text: str) -> bool:
    return name in text or as_link(name, angled=False) in text or name in INDEX_NAMES


def _new_path(snapshot: Snapshot, document: Document, link: Link, own: str, moved: _Moved) -> str | None:
    """The path of a link as it has to be afterwards; None where it leads to the same file as it is."""
    base = "" if link.path.startswith("/") else posixpath.dirname(document.path)
    literal = posixpath.normpath(posixpath.join(base, link.path.lstrip("/")))
    target = resolve(link.path, document.path, snapshot.facts.documents.get) or literal
    if target.startswith("../"):
        return None
    new = moved(target)
    if new == target and (link.path.startswith("/") or posixpath.dirname(own) == base):
        return None
    if target != literal:
        as_folder = posixpath.splitext(target)[0] != literal
        new = posixpath.splitext(new)[0]
        if as_folder and posixpath.basename(new) in INDEX_NAMES:
            new = posixpath.dirname(new) or "."
    if link.path.startswith("/"):
        return f"/{new}"
    relative = posixpath.relpath(new, posixpath.dirname(own) or ".")
    if link.path.startswith("./") and not relative.startswith("."):
        relative = f"./{relative}"
    return relative + ("/" if link.path.endswith("/") and not relative.endswith("/") else "")
