"""A scripted editor: a real client over stdio that keeps everything the server says."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

from evidencedesk.text.spans import LineIndex

COMMAND = (sys.executable, "-P", "-m", "evidencedesk_server")
PATIENCE = 30.0

Found = TypeVar("Found")


def modern_vscode(encodings: Sequence[str] = ("utf-16",)) -> types.ClientCapabilities:
    """What VS Code says about itself, as far as this server listens: it pulls, watches, refreshes."""
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=list(encodings)),
        window=types.WindowClientCapabilities(
            work_done_progress=True, show_document=types.ShowDocumentClientCapabilities(support=True)
        ),
        workspace=types.WorkspaceClientCapabilities(
            workspace_folders=True,
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
            diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True),
            code_lens=types.CodeLensWorkspaceClientCapabilities(refresh_support=True),
            inlay_hint=types.InlayHintWorkspaceClientCapabilities(refresh_support=True),
            semantic_tokens=types.SemanticTokensWorkspaceClientCapabilities(refresh_support=True),
            folding_range=types.FoldingRangeWorkspaceClientCapabilities(refresh_support=True),
            configuration=True,
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
            execute_command=types.ExecuteCommandClientCapabilities(),
        ),
        text_document=types.TextDocumentClientCapabilities(
            synchronization=types.TextDocumentSyncClientCapabilities(did_save=True),
            diagnostic=types.DiagnosticClientCapabilities(
                related_information=True,
                related_document_support=True,
                code_description_support=True,
                tag_support=types.ClientDiagnosticsTagOptions(value_set=list(types.DiagnosticTag)),
            ),
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(
                related_information=True, version_support=True
            ),
            hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown]),
            code_action=types.CodeActionClientCapabilities(),
            definition=types.DefinitionClientCapabilities(link_support=True),
            document_symbol=types.DocumentSymbolClientCapabilities(hierarchical_document_symbol_support=True),
        ),
    )


def plain_pusher(encodings: Sequence[str] | None = None) -> types.ClientCapabilities:
    """A client that can do little: it is pushed to, watches nothing, shows no Markdown."""
    general = types.GeneralClientCapabilities(position_encodings=list(encodings)) if encodings else None
    return types.ClientCapabilities(
        general=general,
        text_document=types.TextDocumentClientCapabilities(
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=True),
        ),
    )


class Editor:
    """One client with its buffers. `published` is every push in order; `shown` the last one per URI."""

    def __init__(self, client: LanguageClient, root: Path) -> None:
        self.client = client
        self.root = root
        self.encoding = "utf-16"
        self.capabilities = types.ServerCapabilities()
        self.published: list[types.PublishDiagnosticsParams] = []
        self.registered: list[types.Registration] = []
        self.refreshes = 0
        self.lens_refreshes = 0
        self.opened_for_us: list[str] = []
        self._buffers: dict[str, tuple[str, int]] = {}
        self._result_ids: dict[str, str] = {}
        self._pulled: dict[str, list[types.Diagnostic]] = {}

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def on_publish(params: types.PublishDiagnosticsParams) -> None:
            self.published.append(params)

        @client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def on_register(params: types.RegistrationParams) -> None:
            self.registered += params.registrations

        @client.feature(types.WORKSPACE_DIAGNOSTIC_REFRESH)
        def on_refresh(params: None) -> None:
            self.refreshes += 1

        @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
        def on_lens_refresh(params: None) -> None:
            self.lens_refreshes += 1

        @client.feature(types.WINDOW_SHOW_DOCUMENT)
        def on_show(params: types.ShowDocumentParams) -> types.ShowDocumentResult:
            self.opened_for_us.append(params.uri)
            return types.ShowDocumentResult(success=True)

        own = client.protocol.fm.features
        register_lsp_features(
            client, {method: handler for method, handler in DEFAULT_CLIENT_FEATURES.items() if method not in own}
        )

    # Files

    def uri(self, path: str) -> str:
        return (self.root / path).as_uri()

    def text(self, path: str) -> str:
        return self._buffers[path][0]

    def version(self, path: str) -> int:
        return self._buffers[path][1]

    def open(self, path: str, text: str | None = None) -> None:
        text = (self.root / path).read_text(encoding="utf-8") if text is None else text
        self._buffers[path] = text, 1
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(self.uri(path), "markdown", 1, text))
        )

    def replace(self, path: str, old: str, new: str) -> None:
        """Type over the first occurrence of `old`, as an incremental change."""
        text, version = self._buffers[path]
        start = text.index(old)
        index = LineIndex(text)
        place = types.Range(
            types.Position(*index.position(start, self.encoding)),  # type: ignore[arg-type]
            types.Position(*index.position(start + len(old), self.encoding)),  # type: ignore[arg-type]
        )
        self._buffers[path] = text[:start] + new + text[start + len(old) :], version + 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version + 1, self.uri(path)),
                [types.TextDocumentContentChangePartial(place, new)],
            )
        )

    def save(self, path: str) -> None:
        (self.root / path).write_text(self.text(path), encoding="utf-8")
        self.client.text_document_did_save(
            types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(self.uri(path)))
        )

    def close(self, path: str) -> None:
        del self._buffers[path]
        self.client.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(self.uri(path)))
        )

    def changed_outside(self, *paths: str) -> None:
        events = [types.FileEvent(self.uri(path), types.FileChangeType.Changed) for path in paths]
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(events))

    # Requests

    async def pull(self, path: str) -> list[types.Diagnostic]:
        """The document's problems, pulled as VS Code does: with the last result id, again when told to.

        Before the folder is indexed a pull would give what the page has by itself.
        """
        await self.indexed()
        uri = self.uri(path)
        while True:
            try:
                report = await self.client.text_document_diagnostic_async(
                    types.DocumentDiagnosticParams(
                        types.TextDocumentIdentifier(uri), previous_result_id=self._result_ids.get(uri)
                    )
                )
            except Exception as error:
                if getattr(error, "code", None) != types.LSPErrorCodes.ServerCancelled.value:
                    raise
                continue
            self._keep(uri, report)
            for other, related in (report.related_documents or {}).items():
                self._keep(other, related)
            return self._pulled[uri]

    def _keep(self, uri: str, report: Any) -> None:
        self._result_ids[uri] = report.result_id or ""
        if report.kind == types.DocumentDiagnosticReportKind.Full:
            self._pulled[uri] = list(report.items)

    async def indexed(self) -> None:
        """Wait until the folder is indexed: only then it can be searched for symbols."""
        await self.client.workspace_symbol_async(types.WorkspaceSymbolParams(query=""))

    async def pull_workspace(self, known: dict[str, str] | None = None) -> types.WorkspaceDiagnosticReport:
        ids = [types.PreviousResultId(uri, value) for uri, value in (known or {}).items()]
        return await self.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(previous_result_ids=ids))

    async def hover(self, path: str, at: str, shift: int = 0) -> str | None:
        """The hover text at the first occurrence of `at`."""
        position = self.position(path, at, shift)
        hover = await self.client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(self.uri(path)), position)
        )
        return hover.contents.value if hover is not None else None  # type: ignore[union-attr]

    async def actions(self, path: str, diagnostic: types.Diagnostic) -> list[types.CodeAction]:
        found = await self.client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(self.uri(path)),
                diagnostic.range,
                types.CodeActionContext(diagnostics=[diagnostic]),
            )
        )
        return list(found or [])  # type: ignore[arg-type]

    def apply(self, edit: types.WorkspaceEdit) -> None:
        """Apply an edit to open buffers, telling the server, as an editor does."""
        for change in edit.document_changes or []:
            assert isinstance(change, types.TextDocumentEdit)
            path = next(path for path in self._buffers if self.uri(path) == change.text_document.uri)
            text, version = self._buffers[path]
            assert change.text_document.version == version
            for one in sorted(change.edits, key=lambda one: one.range.start, reverse=True):
                assert isinstance(one, types.TextEdit)
                span = self.of_range(path, one.range)
                text = text[: span[0]] + one.new_text + text[span[1] :]
            self._buffers[path] = text, version + 1
            self.client.text_document_did_change(
                types.DidChangeTextDocumentParams(
                    types.VersionedTextDocumentIdentifier(version + 1, change.text_document.uri),
                    [types.TextDocumentContentChangeWholeDocument(text)],
                )
            )

    def position(self, path: str, at: str, shift: int = 0) -> types.Position:
        text = self.text(path)
        return types.Position(*LineIndex(text).position(text.index(at) + shift, self.encoding))  # type: ignore[arg-type]

    def of_range(self, path: str, place: types.Range) -> tuple[int, int]:
        index = LineIndex(self.text(path))
        return (
            index.offset(place.start.line, place.start.character, self.encoding),  # type: ignore[arg-type]
            index.offset(place.end.line, place.end.character, self.encoding),  # type: ignore[arg-type]
        )

    def words_at(self, path: str, place: types.Range) -> str:
        """The text of a range in a buffer, or in the file on disk."""
        if path not in self._buffers:
            text = (self.root / path).read_text(encoding="utf-8")
            self._buffers[path] = text, 0
            try:
                return self.words_at(path, place)
            finally:
                del self._buffers[path]
        start, end = self.of_range(path, place)
        return self.text(path)[start:end]

    def shown(self, path: str) -> list[types.Diagnostic] | None:
        """What was last pushed for a file; None before the first push."""
        pushed = [params for params in self.published if params.uri == self.uri(path)]
        return list(pushed[-1].diagnostics) if pushed else None

    async def until(self, look: Callable[[], Found], patience: float = PATIENCE) -> Found:
        """Wait until `look` gives something true."""
        async with asyncio.timeout(patience):
            while not (found := look()):
                await asyncio.sleep(0.02)
        return found


def _converter() -> Any:
    """pygls's converter, but for code actions that carry a command: lsprotocol takes those for bare commands."""
    converter = default_converter()

    def structure(action: dict[str, Any], _: Any) -> Any:
        is_bare = isinstance(action.get("command"), str)
        return converter.structure(action, types.Command if is_bare else types.CodeAction)

    converter.register_structure_hook(types.Command | types.CodeAction, structure)
    return converter


@asynccontextmanager
async def connected(root: Path, capabilities: types.ClientCapabilities, **initialize: Any) -> AsyncIterator[Editor]:
    """An initialized editor on a folder; afterwards the server must end by itself, quickly and without an error."""
    client = LanguageClient(converter_factory=_converter)
    editor = Editor(client, root)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    await client.start_io(*COMMAND, env=environment)
    folder = types.WorkspaceFolder(root.as_uri(), root.name)
    given: dict[str, Any] = {"root_uri": folder.uri, "workspace_folders": [folder], **initialize}
    try:
        result = await client.initialize_session(types.InitializeParams(capabilities=capabilities, **given))
        editor.capabilities = result.capabilities
        chosen = result.capabilities.position_encoding
        editor.encoding = str(getattr(chosen, "value", chosen) or "utf-16")
        yield editor
        await asyncio.wait_for(client.shutdown_session(), 10)
        assert client._server is not None
        assert client._server.returncode == 0
    finally:
        if client._server is not None and client._server.returncode is None:
            client._server.kill()
        await client.stop()


def codes(diagnostics: Sequence[types.Diagnostic] | None) -> list[str]:
    return sorted(str(diagnostic.code) for diagnostic in diagnostics or [])
