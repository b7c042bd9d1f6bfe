"""A page of our own that the client shows. Invariant: the files go when the server ends."""

from __future__ import annotations

import tempfile
from pathlib import Path

from lsprotocol import types

from evidencedesk_server.desk import Desk
from evidencedesk_server.looking import quietly


class OwnPage:
    """Markdown in a file named `name`, shown in place of what was shown before under it.

    Clients that open no file get a message.
    """

    def __init__(self, desk: Desk, name: str) -> None:
        self._desk = desk
        self._name = name
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def show(self, text: str) -> None:
        """Show Markdown; nobody waits for it, since the text is the answer too."""
        if not self._desk.session.profile.shows_documents:
            self._desk.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))
            return
        self._folder = self._folder or tempfile.TemporaryDirectory(prefix="evidencedesk-", ignore_cleanup_errors=True)
        file = Path(self._folder.name) / self._name
        file.write_text(f"{text}\n", encoding="utf-8")
        request = types.ShowDocumentParams(file.as_uri(), take_focus=True)
        self._desk.spawn(quietly(lambda: self._desk.window_show_document_async(request)))
