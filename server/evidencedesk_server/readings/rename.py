"""Renaming in the client's terms. Invariant: a refusal comes as a sentence, an edit with the texts it was made for."""

from __future__ import annotations

from typing import Any

from evidencedesk.refactoring.edits import Edits, Refused
from evidencedesk.refactoring.moves import move
from evidencedesk.refactoring.rename import name_at, rename
from evidencedesk_server.messages import Question, text_hash
from evidencedesk_server.readings.state import State, chars
from evidencedesk_server.to_lsp import workspace_edit


def rename_place(state: State, question: Question) -> list[Any]:
    """`range` and `placeholder` of what can be renamed at a place, or the `refused` sentence."""
    name = name_at(state.snapshot, question.path, question.offset)
    if isinstance(name, Refused):
        return [{"refused": name.reason}]
    return [{"range": chars(name.span), "placeholder": name.text}]


def rename_edits(state: State, question: Question) -> list[Any]:
    """The `edit` that renames what stands at a place to the first word, and the texts it `needs`; or `refused`."""
    name = name_at(state.snapshot, question.path, question.offset)
    edits = name if isinstance(name, Refused) else rename(state.snapshot, name, question.words[0])
    if isinstance(edits, Refused):
        return [{"refused": edits.reason}]
    if foreign := [path for path in edits if not state.takes(path)]:
        return [{"refused": f"{foreign[0]} belongs to another workspace folder, so nothing was renamed."}]
    return [_guarded(state, edits)]


def move_edits(state: State, question: Question) -> list[Any]:
    """The `edit` that goes with moving files: `words` are old and new paths by turns."""
    moves = list(zip(question.words[::2], question.words[1::2], strict=True))
    edits = {path: found for path, found in move(state.snapshot, moves).items() if state.takes(path)}
    return [_guarded(state, edits)] if edits else []


def _guarded(state: State, edits: Edits) -> dict[str, Any]:
    needs = {state.texts.uri_of(path): text_hash(state.snapshot.texts[path]) for path in edits}
    return {"edit": workspace_edit(edits, state.texts, state.style["document_changes"]), "needs": needs}
