"""The language server as a whole. Invariant: features are registered once the client has said what it can do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path

from evidencedesk_server.desk import Desk
from evidencedesk_server.engine_process import COMMAND
from evidencedesk_server.features import (
    baseline,
    code_actions,
    completion,
    documents,
    files,
    folders,
    hints,
    hover,
    lenses,
    navigation,
    new_label,
    outline,
    progress,
    pulled_diagnostics,
    pushed_diagnostics,
    rename,
    search,
    settings,
    tokens,
    watching,
)
from evidencedesk_server.session import ClientProfile, Session
from evidencedesk_server.transport import read_bodies

FEATURES: tuple[Callable[[Desk], None], ...] = (
    documents.register,
    pulled_diagnostics.register,
    pushed_diagnostics.register,
    hover.register,
    navigation.register,
    outline.register,
    lenses.register,
    hints.register,
    tokens.register,
    code_actions.register,
    rename.register,
    files.register,
    completion.register,
    new_label.register,
    search.register,
    baseline.register,
    folders.register,
    settings.register,
    watching.register,
    progress.register,
)


def create_server(engine_command: Sequence[str] = COMMAND) -> Desk:
    """A server that is not connected yet."""
    desk = Desk(engine_command)
    desk.feature(types.INITIALIZE)(_initialize)
    desk.feature(types.INITIALIZED)(_initialized)
    desk.feature(types.SHUTDOWN)(_shutdown)
    return desk


async def serve(desk: Desk, reader: asyncio.StreamReader) -> int:
    """Serve a connected client until it leaves, its stream ends or its process dies; returns the exit code."""
    ends = [
        asyncio.ensure_future(read_bodies(reader, desk.protocol.receive)),
        asyncio.ensure_future(desk.protocol.left.wait()),
        asyncio.ensure_future(desk.parent_gone()),
    ]
    try:
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for end in ends:
            end.cancel()
        await desk.stop()
    return desk.protocol.exit_code


def _initialize(desk: Desk, params: types.InitializeParams) -> None:
    desk.session = Session(ClientProfile.of(params.capabilities))
    options = params.initialization_options
    desk.session.configure(options.get("settings") if isinstance(options, dict) else None)
    for register in FEATURES:
        register(desk)
    desk.start_engine()
    desk.first_folders = _folders(params)


async def _initialized(desk: Desk, params: types.InitializedParams) -> None:
    desk.add_folders(desk.first_folders)
    await watching.watch(desk)


def _shutdown(desk: Desk, params: None) -> None:
    desk.spawn(desk.engine.process.stop())


def _folders(params: types.InitializeParams) -> list[types.WorkspaceFolder]:
    """The workspace folders; for a client that knows none, or names none, its root."""
    if params.workspace_folders:
        return list(params.workspace_folders)
    root = params.root_uri or (from_fs_path(params.root_path) if params.root_path else None)
    return [types.WorkspaceFolder(uri=root, name=Path(root).name)] if root else []
