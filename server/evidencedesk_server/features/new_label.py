"""A new label from a selection, and the cursor in its question. Invariant: added only to the text it was made for."""

from __future__ import annotations

from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from evidencedesk_server.desk import Desk
from evidencedesk_server.from_lsp import span_of
from evidencedesk_server.looking import look, quietly
from evidencedesk_server.messages import NEW_LABEL, Question, text_hash
from evidencedesk_server.session import OpenDocument

_WAIT_SECONDS = 5.0


def register(desk: Desk) -> None:
    """Offer the command."""

    async def create(*arguments: Any) -> None:
        uri, selected = (*arguments, None, None)[:2]
        document = desk.session.document(uri) if isinstance(uri, str) else None
        if document is None:
            raise JsonRpcInvalidParams(f"{NEW_LABEL} takes the URI of an open page, and a range in it")
        refusal = await _create(desk, document, _range(selected))
        if refusal:
            desk.show("warning", refusal)

    desk.command(NEW_LABEL)(create)


def _range(given: Any) -> types.Range:
    """The range in a command's arguments. Raises JsonRpcInvalidParams for anything else."""
    try:
        ends = [types.Position(given[end]["line"], given[end]["character"]) for end in ("start", "end")]
        return types.Range(*ends)
    except (TypeError, KeyError, ValueError):
        raise JsonRpcInvalidParams(f"{NEW_LABEL} takes the URI of an open page, and a range in it") from None


async def _create(desk: Desk, document: OpenDocument, selected: types.Range) -> str:
    """Add the label and show it; returns why that was not done, "" when it was."""
    if (place := document.place) is None:
        return "This page lies in no open folder, so no label can name it."
    version = document.version
    await desk.answers.until(lambda: desk.is_evaluated(document, version), _WAIT_SECONDS)
    if document.evaluated != version or document.version != version:
        return "The page is still being evaluated. Try again in a moment."
    span = span_of(document.index, selected, desk.session.profile.encoding)
    found = await look(desk, Question("new-labels", place.folder, place.path, span.start, end=span.end))
    if not found:
        return "A label is made from a selection in a page of an open folder."
    (label,) = found
    if "refusal" in label:
        return str(label["refusal"])
    file = desk.session.document(label["uri"])
    if file is not None and text_hash(file.text) != label["needs"]:
        return f"{label['path']} has changed meanwhile. Try again in a moment."
    if label["needs"] is None and not desk.session.profile.creates_files:
        return f"There is no label file yet, and this editor makes none: save an empty list, [], as {label['path']}."
    return await _write(desk, label, file)


async def _write(desk: Desk, label: dict[str, Any], file: OpenDocument | None) -> str:
    text_edit = types.TextEdit(_range(label["range"]), label["newText"])
    version = file.version if file is not None else None
    identifier = types.OptionalVersionedTextDocumentIdentifier(uri=label["uri"], version=version)
    if label["needs"] is None:
        edit = types.WorkspaceEdit(
            document_changes=[types.CreateFile(label["uri"]), types.TextDocumentEdit(identifier, [text_edit])]
        )
    elif desk.session.profile.style["document_changes"]:
        edit = types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(identifier, [text_edit])])
    else:
        edit = types.WorkspaceEdit(changes={label["uri"]: [text_edit]})
    try:
        done = await desk.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, f"New label {label['id']}"))
    except JsonRpcException as error:
        return f"The editor did not add the label to {label['path']}: {error.message}"
    if not done.applied:
        return f"The editor did not add the label to {label['path']}: {done.failure_reason or 'it gave no reason'}"
    question = _range(label["question"])
    if desk.session.profile.shows_documents:
        request = types.ShowDocumentParams(label["uri"], take_focus=True, selection=question)
        desk.spawn(quietly(lambda: desk.window_show_document_async(request)))
    else:
        line = question.start.line + 1
        desk.window_show_message(
            types.ShowMessageParams(
                types.MessageType.Info,
                f"Label {label['id']} was added to {label['path']}, line {line}: write its question there.",
            )
        )
    return ""
