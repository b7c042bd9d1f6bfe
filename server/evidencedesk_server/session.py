"""The client's side of the state: who it is, its folders, its open documents. Invariant: touched by the loop only."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol import types

from evidencedesk.text.spans import Encoding, LineIndex, Span
from evidencedesk_server.from_lsp import Splice, apply_changes, path_of
from evidencedesk_server.messages import Place, Style

_ENCODINGS: Mapping[str, Encoding] = {"utf-8": "utf-8", "utf-16": "utf-16", "utf-32": "utf-32"}


@dataclass(frozen=True, slots=True)
class ClientProfile:
    """What the client can do, as far as it matters to us.

    Diagnostics are pulled when it can pull, and can be told to pull again: a change in one file makes problems in
    others. Else they are pushed. `relates` is whether a pull may bring those of other documents along; `refreshes`
    are the methods by which it can be told to ask again; `links` whether a definition may say what it belongs to,
    and `tips` whether a document link may say where it leads; `nests` whether symbols may have children;
    `shows_documents` whether it opens a file when asked to, and `creates_files` whether edits may make one;
    `snippets` whether completions may have places to go to, `explains` whether they may be explained in Markdown,
    and `insert_modes` how it can be told to indent their lines.
    """

    encoding: Encoding
    pulls: bool
    relates: bool
    refreshes: frozenset[str]
    watches: bool
    shows_progress: bool
    shows_documents: bool
    creates_files: bool
    links: bool
    tips: bool
    nests: bool
    snippets: bool
    explains: bool
    insert_modes: frozenset[types.InsertTextMode]
    prepares_renames: bool
    resolves_edits: bool
    shows_refusals: bool
    style: Style

    @staticmethod
    def of(capabilities: types.ClientCapabilities) -> ClientProfile:
        """Read the capabilities; what is absent is not there."""
        document = capabilities.text_document or types.TextDocumentClientCapabilities()
        workspace = capabilities.workspace or types.WorkspaceClientCapabilities()
        window, general = capabilities.window, capabilities.general
        offered = (general.position_encodings if general else None) or []
        encoding = next((_ENCODINGS[kind] for kind in offered if kind in _ENCODINGS), _ENCODINGS["utf-16"])
        refreshes = frozenset(method for method, able in _refreshes(workspace) if able and able.refresh_support)
        pull, push = document.diagnostic, document.publish_diagnostics
        watch, edit = workspace.did_change_watched_files, workspace.workspace_edit
        definition, link, symbol = document.definition, document.document_link, document.document_symbol
        show = window.show_document if window else None
        item = document.completion.completion_item if document.completion else None
        action, renaming = document.code_action, document.rename
        resolved = action.resolve_support.properties if action and action.resolve_support else ()
        modes = item.insert_text_mode_support if item else None
        formats = (document.hover.content_format if document.hover else None) or []
        return ClientProfile(
            encoding=encoding,
            pulls=pull is not None and types.WORKSPACE_DIAGNOSTIC_REFRESH in refreshes,
            relates=bool(pull and pull.related_document_support),
            refreshes=refreshes,
            watches=bool(watch and watch.dynamic_registration),
            shows_progress=bool(window and window.work_done_progress),
            shows_documents=bool(show and show.support),
            links=bool(definition and definition.link_support),
            tips=bool(link and link.tooltip_support),
            creates_files=bool(edit and types.ResourceOperationKind.Create in (edit.resource_operations or ())),
            snippets=bool(item and item.snippet_support),
            explains=bool(item and types.MarkupKind.Markdown in (item.documentation_format or ())),
            insert_modes=frozenset(modes.value_set if modes else ()),
            prepares_renames=bool(renaming and renaming.prepare_support),
            resolves_edits="edit" in resolved and bool(action and action.data_support),
            shows_refusals=bool(action and action.disabled_support),
            nests=bool(symbol and symbol.hierarchical_document_symbol_support),
            style=Style(
                encoding=encoding,
                markdown=types.MarkupKind.Markdown in formats,
                # Pulling clients that say nothing about it mostly mean what they said about pushing.
                related=bool((pull and pull.related_information) or (push and push.related_information)),
                document_changes=bool(edit and edit.document_changes),
                tags=bool((pull and pull.tag_support) or (push and push.tag_support)),
                rule_links=bool((pull and pull.code_description_support) or (push and push.code_description_support)),
            ),
        )


def _refreshes(workspace: types.WorkspaceClientCapabilities) -> Iterable[tuple[str, Any]]:
    yield types.WORKSPACE_DIAGNOSTIC_REFRESH, workspace.diagnostics
    yield types.WORKSPACE_CODE_LENS_REFRESH, workspace.code_lens
    yield types.WORKSPACE_INLAY_HINT_REFRESH, workspace.inlay_hint
    yield types.WORKSPACE_SEMANTIC_TOKENS_REFRESH, workspace.semantic_tokens
    yield types.WORKSPACE_FOLDING_RANGE_REFRESH, workspace.folding_range


class Folder:
    """A workspace folder: its URI as the client spells it, and its directory, also with symbolic links resolved."""

    def __init__(self, uri: str, root: str) -> None:
        self.uri = uri
        self.root = root
        self._roots = tuple(dict.fromkeys((_comparable(root), _comparable(os.path.realpath(root)))))

    def below(self, path: str) -> str | None:
        """The path inside this folder, with `/`; None for a path elsewhere."""
        for root in self._roots:
            prefix = root if root.endswith("/") else root + "/"
            comparable = _comparable(path)
            if comparable.startswith(prefix) and len(comparable) > len(prefix):
                return path.replace(os.sep, "/")[len(prefix) :]
        return None


def _comparable(path: str) -> str:
    return os.path.normcase(path).replace(os.sep, "/").rstrip("/") or "/"


LOOSE = Folder("untitled:", "")
"""What holds the documents that were never saved: no folder at all."""


@dataclass(slots=True)
class OpenDocument:
    """A document as the client shows it. `spelling` is its URI, and `language` its kind, in the client's own words.

    `evaluated` is the version whose answers we hold (None: none yet), `evaluated_index` its text; `splices` are the
    edits since then, oldest first.
    """

    spelling: str
    place: Place | None
    version: int
    index: LineIndex
    language: str = ""
    evaluated: int | None = None
    evaluated_index: LineIndex | None = None
    splices: list[Splice] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text of `version`."""
        return self.index.text

    def change(self, changes: Sequence[types.TextDocumentContentChangeEvent], version: int, encoding: Encoding) -> None:
        """Apply the client's changes, which lead to `version`."""
        self.index, splices = apply_changes(self.index, changes, encoding, version)
        self.version = version
        self.splices += splices

    def answered(self, version: int, index: LineIndex | None = None) -> None:
        """Answers for `version`, with the text in `index`, have arrived; never for an older one than we have."""
        if self.evaluated is None or version >= self.evaluated:
            self.evaluated, self.evaluated_index = version, index
            self.splices = [splice for splice in self.splices if splice.version > version]

    def evaluated_offset(self, offset: int) -> int | None:
        """Where a character of the present text stood in the evaluated one; None inside what was typed since."""
        for splice in reversed(self.splices):
            if offset >= splice.span.start + splice.length:
                offset += splice.span.end - splice.span.start - splice.length
            elif offset >= splice.span.start:
                return None
        return offset

    def present_span(self, span: Span) -> Span:
        """A span of the evaluated text in the present one, without what was typed over."""
        start, end = span
        for splice in self.splices:
            grown = splice.length - (splice.span.end - splice.span.start)
            start = start + grown if start >= splice.span.end else min(start, splice.span.start)
            end = end + grown if end > splice.span.end else min(end, splice.span.start)
        return Span(start, max(start, end))


_SECTIONS = ("documents", "labels", "chunking", "retrieval", "scope", "rules")


def settings_of(given: Any) -> dict[str, Any]:
    """The part of an editor's settings that configures workspaces; what is null, or not ours, is unset."""
    if not isinstance(given, dict):
        return {}
    return {name: _set_values(given[name]) for name in _SECTIONS if isinstance(given.get(name), dict)}


def shows_boundaries_of(given: Any) -> bool:
    """Whether an editor's settings ask for hints where chunks begin."""
    hints = given.get("inlayHints") if isinstance(given, dict) else None
    return isinstance(hints, dict) and hints.get("chunkBoundaries") is True


def _set_values(given: dict[str, Any]) -> dict[str, Any]:
    return {
        name: _set_values(value) if isinstance(value, dict) else value
        for name, value in given.items()
        if value is not None
    }


class Session:
    """Folders and open documents. Documents are found by URI however it is escaped."""

    def __init__(self, profile: ClientProfile) -> None:
        self.profile = profile
        self.settings: dict[str, Any] = {}
        self.shows_boundaries = False
        self.folders: dict[str, Folder] = {}
        self.documents: dict[Place | str, OpenDocument] = {}
        self._keys: dict[str, Place | str] = {}

    def configure(self, given: Any) -> bool:
        """Take over the editor's settings; returns whether the folders have to be indexed anew."""
        settings, last = settings_of(given), self.settings
        self.settings, self.shows_boundaries = settings, shows_boundaries_of(given)
        return settings != last

    def add_folders(self, folders: Iterable[types.WorkspaceFolder]) -> list[Folder]:
        """Add the folders that are directories on this machine and not yet there; returns those."""
        added = []
        for given in folders:
            uri = given.uri.rstrip("/")
            root = path_of(uri)
            if root is None or uri in self.folders or not Path(root).is_dir():
                continue
            self.folders[uri] = Folder(uri, root)
            added.append(self.folders[uri])
        self._relocate()
        return added

    def remove_folder(self, uri: str) -> Folder | None:
        """Forget a folder; its documents then belong to the next folder around them, or to none."""
        folder = self.folders.pop(uri.rstrip("/"), None)
        self._relocate()
        return folder

    def place_of(self, uri: str) -> Place | None:
        """Folder and path of a file URI; the innermost folder that holds it; None outside of all."""
        path = path_of(uri)
        if path is None:
            return None
        spellings = dict.fromkeys((os.path.normpath(path), str(Path(path).parent.resolve() / Path(path).name)))
        for folder in sorted(self.folders.values(), key=lambda folder: -len(folder.root)):
            for spelling in spellings:
                if (below := folder.below(spelling)) is not None:
                    return Place(folder.uri, below)
        return None

    def open(self, item: types.TextDocumentItem) -> OpenDocument:
        """Take over a document; opening it again replaces it."""
        document = OpenDocument(item.uri, None, item.version, LineIndex(item.text), item.language_id)
        document.place = self._place_for(document)
        self._keep(document)
        return document

    def close(self, uri: str) -> OpenDocument | None:
        """Hand back a document; None when it was not open."""
        document = self.documents.pop(self._key(uri), None)
        if document is not None:
            self._keys.pop(document.spelling, None)
        return document

    def document(self, uri: str) -> OpenDocument | None:
        """The open document with this URI, however escaped."""
        return self.documents.get(self._key(uri))

    def at(self, place: Place) -> OpenDocument | None:
        """The open document at a place."""
        return self.documents.get(place)

    def placed(self) -> Iterable[tuple[Place, OpenDocument]]:
        """The open documents inside a folder."""
        return [(document.place, document) for document in self.documents.values() if document.place is not None]

    def _place_for(self, document: OpenDocument) -> Place | None:
        """Where a document belongs: Markdown that was never saved can be looked at by itself."""
        scheme, _, rest = document.spelling.partition(":")
        if f"{scheme}:" == LOOSE.uri and document.language == "markdown":
            return Place(LOOSE.uri, rest)
        return self.place_of(document.spelling)

    def _key(self, uri: str) -> Place | str:
        return self._keys.get(uri) or self.place_of(uri) or uri

    def _keep(self, document: OpenDocument) -> None:
        key = document.place or document.spelling
        self.documents[key] = document
        self._keys[document.spelling] = key

    def _relocate(self) -> None:
        documents = list(self.documents.values())
        self.documents.clear()
        self._keys.clear()
        for document in documents:
            place = self._place_for(document)
            if place != document.place:
                document.place, document.evaluated = place, None
            self._keep(document)
