"""Settings and folders as clients send them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from answer_making import PAGE, label, workspace
from raw_client import Connected

pytestmark = pytest.mark.asyncio

FENCE = PAGE + "\n```\nnever closed\n"
IGNORING = {"evidencedesk": {"rules": {"ignore": ["ED203"]}}}


@pytest_asyncio.fixture
async def client(tmp_path: Path) -> AsyncIterator[Connected]:
    workspace(tmp_path, [label("q1", "Is the parcel label free?", "The parcel label is free.")])
    (tmp_path / "evidencedesk.toml").unlink()
    client = Connected(tmp_path)
    yield client
    await client.desk.stop()


def configure(client: Connected, settings: Any) -> None:
    client.say(method="workspace/didChangeConfiguration", params={"settings": settings})


def codes(client: Connected, path: str = "returns.md") -> set[str]:
    pushed = client.pushed(path)
    return {found["code"] for found in pushed[-1]["diagnostics"]} if pushed else set()


async def test_settings_count_from_the_next_evaluation_and_null_takes_them_back(client: Connected) -> None:
    client.initialize()
    client.open("returns.md", FENCE)
    await client.until(lambda: "ED203" in codes(client))
    configure(client, IGNORING)
    await client.until(lambda: "ED203" not in codes(client))
    configure(client, {"evidencedesk": None})
    await client.until(lambda: "ED203" in codes(client))
    configure(client, {"evidencedesk": {"rules": None, "retrieval": {"k": None}}})
    configure(client, IGNORING)
    await client.until(lambda: "ED203" not in codes(client))


@pytest.mark.parametrize("settings", [None, [], "x", 3, {}, {"other": {}}])
async def test_settings_that_say_nothing_change_nothing(client: Connected, settings: Any) -> None:
    client.initialize()
    client.open("returns.md", FENCE)
    await client.until(lambda: "ED203" in codes(client))
    told = len(client.sent)
    configure(client, settings)
    assert await client.ask("workspace/symbol", query="Costs")
    assert "ED203" in codes(client)
    assert [one for one in client.sent[told:] if one.get("method") == "window/showMessage"] == []


async def test_a_configuration_file_that_appears_counts(client: Connected, tmp_path: Path) -> None:
    client.initialize()
    client.open("returns.md", FENCE)
    await client.until(lambda: "ED203" in codes(client))
    (tmp_path / "evidencedesk.toml").write_text('[rules]\nignore = ["ED203"]\n')
    change = {"uri": f"{client.uri}/evidencedesk.toml", "type": 1}
    client.say(method="workspace/didChangeWatchedFiles", params={"changes": [change]})
    await client.until(lambda: "ED203" not in codes(client))


async def test_every_folder_has_its_own_configuration(
    client: Connected, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    workspace(other, [], {"page.md": FENCE})
    (other / "evidencedesk.toml").write_text('[rules]\nignore = ["ED203"]\n')
    client.initialize(workspace={"workspaceFolders": True})
    folder = {"uri": other.as_uri(), "name": "other"}
    event = {"added": [folder], "removed": []}
    client.say(method="workspace/didChangeWorkspaceFolders", params={"event": event})
    client.open("returns.md", FENCE)
    await client.until(lambda: "ED203" in codes(client) and other.as_uri() in client.desk.answers.indexed)
    assert not [place for place in client.desk.answers.files if place.folder == other.as_uri()]
    (other / "evidencedesk.toml").unlink()
    change = {"uri": f"{other.as_uri()}/evidencedesk.toml", "type": 3}
    client.say(method="workspace/didChangeWatchedFiles", params={"changes": [change]})
    await client.until(lambda: [place for place in client.desk.answers.files if place.folder == other.as_uri()])
