"""An author's hour: open, break an answer, save, read why, mend it, be interrupted from outside, close."""

from __future__ import annotations

from pathlib import Path

import pytest

from e2e.conftest import EVIDENCE
from e2e.editor import codes, connected, modern_vscode, plain_pusher

pytestmark = pytest.mark.asyncio

BREAK = "of delivery, and we"
SPLIT = "of delivery, \n\nand we"


async def test_breaking_and_mending_an_answer_in_vscode(root: Path) -> None:
    async with connected(root, modern_vscode()) as editor:
        assert editor.capabilities.diagnostic_provider is not None
        editor.open("returns.md")
        editor.open("labels.json")
        assert await editor.pull("returns.md") == []
        assert await editor.pull("labels.json") == []

        editor.replace("returns.md", BREAK, SPLIT)
        split = next(problem for problem in await editor.pull("returns.md") if problem.code == "ED201")
        assert editor.words_at("returns.md", split.range) == EVIDENCE.replace(BREAK, SPLIT)
        assert split.related_information
        assert split.related_information[0].location.uri == editor.uri("labels.json")

        editor.save("returns.md")
        lost = await editor.pull("labels.json")
        assert {"ED602", "ED603"} & set(codes(lost))
        assert editor.words_at("labels.json", lost[0].range).startswith('"How many days')

        hover = await editor.hover("labels.json", "How many days")
        assert hover is not None
        assert "| chunk | sparse | dense | hybrid |" in " ".join(hover.split())
        assert "no chunk holds it whole" in hover
        hover = await editor.hover("returns.md", "refund")
        assert hover is not None
        assert "returns:c" in hover
        assert "part of the answer to" in hover

        editor.replace("returns.md", SPLIT, BREAK)
        assert await editor.pull("returns.md") == []
        editor.save("returns.md")
        assert await editor.pull("labels.json") == []
        hover = await editor.hover("labels.json", "How many days")
        assert hover is not None
        assert "the answer is at rank 1" in hover

        warranty = root / "warranty.md"
        warranty.write_text(warranty.read_text(encoding="utf-8").replace("ten years", "five years"), encoding="utf-8")
        refreshes = editor.refreshes
        editor.changed_outside("warranty.md")
        await editor.until(lambda: editor.refreshes > refreshes)
        assert "ED705" in codes(await editor.pull("labels.json"))
        assert editor.published == []

        editor.close("labels.json")
        report = await editor.pull_workspace()
        assert editor.uri("labels.json") in [item.uri for item in report.items]


async def test_the_same_hour_in_an_editor_that_is_pushed_to(root: Path) -> None:
    async with connected(root, plain_pusher(), workspace_folders=None) as editor:
        assert editor.capabilities.diagnostic_provider is None
        editor.open("returns.md")
        editor.replace("returns.md", BREAK, SPLIT)
        await editor.until(lambda: "ED201" in codes(editor.shown("returns.md")))
        assert editor.published[-1].version is None or editor.published[-1].version == editor.version("returns.md")
        # The label file was never opened; its problem is shown all the same.
        await editor.until(lambda: codes(editor.shown("labels.json")))
        editor.replace("returns.md", SPLIT, BREAK)
        await editor.until(lambda: editor.shown("returns.md") == [] and editor.shown("labels.json") == [])

        # No watcher: the server itself notices what changes outside.
        warranty = root / "warranty.md"
        warranty.write_text(warranty.read_text(encoding="utf-8").replace("ten years", "five years"), encoding="utf-8")
        await editor.until(lambda: "ED705" in codes(editor.shown("labels.json")))

        # Closing without saving brings back what the disk holds.
        editor.replace("returns.md", BREAK, SPLIT)
        await editor.until(lambda: "ED201" in codes(editor.shown("returns.md")))
        editor.close("returns.md")
        await editor.until(lambda: editor.shown("returns.md") == [])
