"""Files about to be renamed in the editor. Invariant: a move is never held up; what cannot follow is said."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from evidencedesk_server.desk import Desk
from evidencedesk_server.guarding import guarded
from evidencedesk_server.looking import look
from evidencedesk_server.messages import Question
from evidencedesk_server.ranges import Json

_ANY_FILE = types.FileOperationFilter(types.FileOperationPattern("**/*"), scheme="file")


def register(desk: Desk) -> None:
    """Have links, labels and versions follow files and folders."""
    desk.feature(types.WORKSPACE_WILL_RENAME_FILES, types.FileOperationRegistrationOptions([_ANY_FILE]))(_will_rename)


async def _will_rename(desk: Desk, params: types.RenameFilesParams) -> Json | None:
    moves: dict[str, list[str]] = defaultdict(list)
    for file in params.files:
        old, new = desk.session.place_of(file.old_uri), desk.session.place_of(file.new_uri)
        if old is not None and new is not None and old.folder == new.folder:
            moves[old.folder] += [old.path, new.path]
    merged: Json = {}
    try:
        for folder, words in moves.items():
            for found in await look(desk, Question("move-edits", folder, "", words=tuple(words))):
                for key, edits in (await guarded(desk, found)).items():
                    merged[key] = _joined(merged[key], edits) if key in merged else edits
    except JsonRpcException as error:
        # An error here would stop some clients from renaming at all.
        desk.show("warning", f"Links and labels do not follow this move: {error}")
        return None
    return merged or None


def _joined(one: Any, other: Any) -> Any:
    """Changes by URI, or as a list."""
    return {**one, **other} if isinstance(one, dict) else [*one, *other]
