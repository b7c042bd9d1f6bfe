"""Renaming through the protocol: a reason for every no, edits with versions, nothing done to a text that moved on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from answer_making import PAGE, label, workspace
from evidencedesk.text.spans import LineIndex
from raw_client import Connected

pytestmark = pytest.mark.asyncio

OTHER = "# Other\n\nSee [costs](returns.md#costs).\n"
CAPABLE: dict[str, Any] = {
    "textDocument": {"rename": {"prepareSupport": True}},
    "workspace": {"workspaceEdit": {"documentChanges": True}},
}


@pytest_asyncio.fixture
async def client(tmp_path: Path) -> AsyncIterator[Connected]:
    gold = [{"section": "returns#Costs", "evidence": "The parcel label is free."}]
    workspace(tmp_path, [{**label("q1", "Is it free?"), "answerable": True, "gold": gold}], {"other.md": OTHER})
    client = Connected(tmp_path)
    yield client
    await client.desk.stop()


def at(text: str, words: str) -> dict[str, int]:
    line, column = LineIndex(text).position(text.index(words), "utf-16")
    return {"line": line, "character": column}


async def test_a_place_without_a_name_is_refused_with_a_reason(client: Connected) -> None:
    client.initialize(**CAPABLE)
    client.open("returns.md", PAGE)
    place = await client.ask("textDocument/prepareRename", "returns.md", position=at(PAGE, "Costs"))
    assert place["placeholder"] == "Costs"
    error = await client.refused("textDocument/prepareRename", "returns.md", position=at(PAGE, "The parcel"))
    assert error["code"] == -32803 and error["message"].startswith("Only headings")
    error = await client.refused(
        "textDocument/rename", "returns.md", position=at(PAGE, "Costs"), newName="Returns\nCosts"
    )
    assert error["message"] == "A name is one line of text."


async def test_a_rename_reaches_pages_and_labels_open_or_not(client: Connected) -> None:
    client.initialize(**CAPABLE)
    client.open("returns.md", PAGE)
    edit = await client.ask("textDocument/rename", "returns.md", position=at(PAGE, "Costs"), newName="Was es kostet")
    changed = {change["textDocument"]["uri"].rpartition("/")[2]: change for change in edit["documentChanges"]}
    assert {name: change["textDocument"]["version"] for name, change in changed.items()} == {
        "returns.md": 1,
        "labels.json": None,
        "other.md": None,
    }
    assert [one["newText"] for one in changed["labels.json"]["edits"]] == ['"returns#Was es kostet"']
    assert [one["newText"] for one in changed["other.md"]["edits"]] == ["was-es-kostet"]


async def test_a_file_that_changed_unnoticed_is_not_edited(client: Connected, tmp_path: Path) -> None:
    client.initialize(**CAPABLE)
    client.open("returns.md", PAGE)
    await client.ask("textDocument/prepareRename", "returns.md", position=at(PAGE, "Costs"))
    (tmp_path / "other.md").write_text("# Other\n\nNew words. " + OTHER)
    error = await client.refused("textDocument/rename", "returns.md", position=at(PAGE, "Costs"), newName="Fees")
    assert error["message"].startswith("other.md has changed since it was evaluated")


async def test_links_and_labels_follow_a_moved_file(client: Connected, tmp_path: Path) -> None:
    client.initialize(**CAPABLE)
    client.open("other.md", OTHER)
    old, new = (tmp_path / "returns.md").as_uri(), (tmp_path / "shop" / "back.md").as_uri()
    edit = await client.ask("workspace/willRenameFiles", files=[{"oldUri": old, "newUri": new}])
    (change,) = edit["documentChanges"]
    assert change["textDocument"]["uri"].endswith("/other.md")
    assert [one["newText"] for one in change["edits"]] == ["shop/back.md"]
    outside = [{"oldUri": old, "newUri": "file:///elsewhere/back.md"}]
    assert await client.ask("workspace/willRenameFiles", files=outside) is None
