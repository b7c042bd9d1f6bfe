"""The editor's settings. Invariant: they count only where no file configures a folder, so that all see the same."""

from __future__ import annotations

from lsprotocol import types

from evidencedesk_server.desk import Desk


def register(desk: Desk) -> None:
    """Follow changes of the settings."""
    desk.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(_changed)


def _changed(desk: Desk, params: types.DidChangeConfigurationParams) -> None:
    # Clients without settings send null, and those that only announce a change send nothing.
    if isinstance(params.settings, dict):
        desk.configure(params.settings.get("evidencedesk"))
