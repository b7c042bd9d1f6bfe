"""Changes outside the editor. Invariant: a watched file is read again from disk; an open buffer still wins over it."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from evidencedesk_server.desk import Desk

PATTERNS = (
    "**/*.{md,markdown,mdx}",
    "**/*.{json,jsonl}",
    "**/.gitignore",
    "**/evidencedesk.toml",
    "**/pyproject.toml",
)


def register(desk: Desk) -> None:
    """Have the client watch, where it can; where it cannot, the engine looks for itself."""
    desk.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(_changed)


async def watch(desk: Desk) -> None:
    """Ask the client to watch our files; a client that refuses is left alone."""
    if not desk.session.profile.watches:
        return
    watchers = [types.FileSystemWatcher(glob_pattern=pattern) for pattern in PATTERNS]
    registration = types.Registration(
        id="evidencedesk-files",
        method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
        register_options=types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers),
    )
    with suppress(JsonRpcException, asyncio.CancelledError):
        await desk.client_register_capability_async(types.RegistrationParams([registration]))


def _changed(desk: Desk, params: types.DidChangeWatchedFilesParams) -> None:
    places = (desk.session.place_of(change.uri) for change in params.changes)
    desk.changed_on_disk(place for place in places if place is not None)
