"""A label writer looks around: outline, lenses, from a label to its evidence and back, the ranking behind it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from lsprotocol import types

from e2e.conftest import EVIDENCE
from e2e.editor import connected, modern_vscode

pytestmark = pytest.mark.asyncio


async def test_reading_a_knowledge_base_in_vscode(root: Path) -> None:
    async with connected(root, modern_vscode()) as editor:
        client = editor.client
        labels, page = (types.TextDocumentIdentifier(editor.uri(path)) for path in ("labels.json", "returns.md"))
        editor.open("labels.json")

        (link,) = await client.text_document_definition_async(
            types.DefinitionParams(labels, editor.position("labels.json", EVIDENCE))
        )
        assert link.target_uri == page.uri
        assert editor.words_at("returns.md", link.target_selection_range) == EVIDENCE
        assert editor.words_at("labels.json", link.origin_selection_range) == EVIDENCE

        # Typed but not yet evaluated: the way back still starts and ends at the right characters.
        editor.open("returns.md")
        editor.replace("returns.md", "# Returns", "# Our 😀 returns\n\nText above.")
        (reference,) = await client.text_document_references_async(
            types.ReferenceParams(
                types.ReferenceContext(include_declaration=False), page, editor.position("returns.md", "refund")
            )
        )
        assert reference.uri == labels.uri
        assert editor.words_at("labels.json", reference.range) == EVIDENCE
        (occurrence,) = await client.text_document_document_highlight_async(
            types.DocumentHighlightParams(page, editor.position("returns.md", "refund"))
        )
        assert editor.words_at("returns.md", occurrence.range) == EVIDENCE
        links = await client.text_document_document_link_async(types.DocumentLinkParams(labels))
        assert [editor.words_at("labels.json", one.range) for one in links] == ["returns#Window 😀", "warranty#Frames"]

        (top,) = await client.text_document_document_symbol_async(types.DocumentSymbolParams(page))
        assert [(child.name, child.detail) for child in top.children] == [("Window 😀", "1 chunk")]
        assert len(await client.text_document_folding_range_async(types.FoldingRangeParams(page))) == 3
        found = await client.workspace_symbol_async(types.WorkspaceSymbolParams("frames"))
        assert {one.name for one in found} >= {"Frames", "q2: How long is the guarantee on frames?"}

        lenses = await client.text_document_code_lens_async(types.CodeLensParams(page))
        assert [lens.command.title for lens in lenses] == ["1 chunk", "1 chunk · gold for 1 question"]
        tokens = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(page))
        assert len(tokens.data) == 5
        everywhere = types.Range(types.Position(0, 0), types.Position(99, 0))
        assert not await client.text_document_inlay_hint_async(types.InlayHintParams(page, everywhere))

        refreshes = editor.lens_refreshes
        editor.replace("returns.md", "of delivery, and we", "of delivery, \n\nand we")
        await editor.until(lambda: editor.lens_refreshes > refreshes)
        lens = (await client.text_document_code_lens_async(types.CodeLensParams(labels)))[0]
        assert "▼ the answer is split" in lens.command.title
        ranking = await client.workspace_execute_command_async(
            types.ExecuteCommandParams(lens.command.command, arguments=lens.command.arguments)
        )
        await editor.until(lambda: editor.opened_for_us)
        shown = Path(urlsplit(editor.opened_for_us[0]).path)
        assert shown.read_text(encoding="utf-8") == f"{ranking}\n"
        hover = await editor.hover("labels.json", "warranty#Frames", 3)
        assert hover is not None
        assert hover.startswith("**warranty** › Warranty › Frames")
    assert not shown.exists()
