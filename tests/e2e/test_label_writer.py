"""A label writer in a real editor: a selection becomes a label, completion the rest, a search without a label."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from e2e.conftest import EVIDENCE
from e2e.editor import Editor, codes, connected, modern_vscode
from evidencedesk_server.messages import NEW_LABEL, SEARCH

pytestmark = pytest.mark.asyncio


async def offered(editor: Editor, path: str, at: str, shift: int) -> list[types.CompletionItem]:
    found = await editor.client.text_document_completion_async(
        types.CompletionParams(types.TextDocumentIdentifier(editor.uri(path)), editor.position(path, at, shift))
    )
    return list(found.items) if isinstance(found, types.CompletionList) else []


def take(editor: Editor, path: str, item: types.CompletionItem) -> None:
    assert isinstance(item.text_edit, types.TextEdit)
    editor.apply(
        types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(
                    types.OptionalVersionedTextDocumentIdentifier(editor.uri(path), editor.version(path)),
                    [item.text_edit],
                )
            ]
        )
    )


async def test_a_label_is_written_from_a_page_and_finished_by_completion(root: Path) -> None:
    async with connected(root, modern_vscode()) as editor:
        applied: list[Any] = []
        client = editor.client

        @client.feature(types.WORKSPACE_APPLY_EDIT)
        def on_apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            applied.append(params.edit)
            editor.apply(params.edit)
            return types.ApplyWorkspaceEditResult(applied=True)

        editor.open("warranty.md")
        editor.open("labels.json")
        assert codes(await editor.pull("warranty.md")) == []
        words = "for the first owner"
        selected = types.Range(editor.position("warranty.md", words), editor.position("warranty.md", words, len(words)))
        actions = await client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(editor.uri("warranty.md")), selected, types.CodeActionContext([])
            )
        )
        (action,) = [one for one in actions or [] if one.title == "New label with this evidence"]
        assert isinstance(action, types.CodeAction) and action.command is not None
        assert action.command.command == NEW_LABEL
        await client.workspace_execute_command_async(
            types.ExecuteCommandParams(action.command.command, action.command.arguments)
        )
        assert len(applied) == 1
        await editor.until(lambda: editor.uri("labels.json") in editor.opened_for_us)
        label = json.loads(editor.text("labels.json"))[-1]
        assert label == {
            "id": "q3",
            "question": "",
            "gold": [{"section": "warranty#Frames", "evidence": words}],
        }
        editor.replace("labels.json", '"question": ""', '"question": "Who has the guarantee?"')
        assert codes(await editor.pull("labels.json")) == []

        editor.replace("labels.json", f'"{words}"', '"first own"')
        items = await offered(editor, "labels.json", '"first own"', len('"first own'))
        assert items[0].label == "first owner."
        take(editor, "labels.json", items[0])
        assert codes(await editor.pull("labels.json")) == []
        editor.replace(
            "labels.json", '"warranty#Frames",\n        "evidence": "first', '"returns#",\n        "evidence": "first'
        )
        items = await offered(editor, "labels.json", '"returns#"', len('"returns#'))
        assert [item.label for item in items] == ["returns#Window 😀", "returns#Returns"]
        resolved = await client.completion_item_resolve_async(items[0])
        assert isinstance(resolved.documentation, str) and EVIDENCE in resolved.documentation

        text = await client.workspace_execute_command_async(
            types.ExecuteCommandParams(SEARCH, ["who has the guarantee"])
        )
        assert "| warranty:c" in str(text)
        await editor.until(lambda: any(uri.endswith("search.md") for uri in editor.opened_for_us))
