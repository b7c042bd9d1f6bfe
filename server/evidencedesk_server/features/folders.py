"""Workspace folders that come and go. Invariant: a folder's problems go with it."""

from __future__ import annotations

from lsprotocol import types

from evidencedesk_server.desk import Desk


def register(desk: Desk) -> None:
    """Follow the client's folders."""
    desk.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(_changed)


def _changed(desk: Desk, params: types.DidChangeWorkspaceFoldersParams) -> None:
    for folder in params.event.removed:
        gone = desk.remove_folder(folder.uri)
        for on_answers in desk.on_answers:
            on_answers((), gone)
    desk.add_folders(params.event.added)
    desk.answers.announce()
