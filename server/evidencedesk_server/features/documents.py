"""Open, change, save, close. Invariant: the session is up to date before the next message is read."""

from __future__ import annotations

from lsprotocol import types

from evidencedesk_server.desk import Desk


def register(desk: Desk) -> None:
    """Follow the client's documents."""
    desk.feature(types.TEXT_DOCUMENT_DID_OPEN)(_opened)
    desk.feature(types.TEXT_DOCUMENT_DID_CHANGE)(_changed)
    desk.feature(types.TEXT_DOCUMENT_DID_SAVE)(_saved)
    desk.feature(types.TEXT_DOCUMENT_DID_CLOSE)(_closed)


def _opened(desk: Desk, params: types.DidOpenTextDocumentParams) -> None:
    desk.opened_or_closed(desk.session.open(params.text_document).place)


def _changed(desk: Desk, params: types.DidChangeTextDocumentParams) -> None:
    document = desk.session.document(params.text_document.uri)
    # A client that changes what it never opened is ignored: there is no text that the change could apply to.
    if document is not None:
        document.change(params.content_changes, params.text_document.version, desk.session.profile.encoding)
        desk.changed(document)


def _saved(desk: Desk, params: types.DidSaveTextDocumentParams) -> None:
    document = desk.session.document(params.text_document.uri)
    if document is not None and document.place is not None:
        desk.saved()
    elif place := desk.session.place_of(params.text_document.uri):
        desk.changed_on_disk([place])


def _closed(desk: Desk, params: types.DidCloseTextDocumentParams) -> None:
    document = desk.session.close(params.text_document.uri)
    if document is not None:
        desk.opened_or_closed(document.place)
