"""Code actions through the protocol: filtered by kind, resolved when chosen, explained when impossible, never stale."""

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

SPLIT = "within 30 days of delivery, and we will refund the full price"
SUPPRESSED = PAGE + "\n<!-- evidencedesk: ignore ED108 -->\n\nLast words.\n"
RESOLVING: dict[str, Any] = {
    "textDocument": {
        "codeAction": {
            "dataSupport": True,
            "disabledSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        }
    },
    "workspace": {"workspaceEdit": {"documentChanges": True, "resourceOperations": ["create"]}},
}


@pytest_asyncio.fixture
async def client(tmp_path: Path) -> AsyncIterator[Connected]:
    lost = {**label("q2", "What is lost?", "Nothing at all resembles these words."), "answerable": True}
    workspace(tmp_path, [label("q1", "How long can I send it back?", SPLIT), lost], {"returns.md": SUPPRESSED})
    client = Connected(tmp_path)
    yield client
    await client.desk.stop()


async def offered(client: Connected, path: str, text: str, words: str, **context: Any) -> list[dict[str, Any]]:
    line, column = LineIndex(text).position(text.index(words), "utf-16")
    here = {"line": line, "character": column}
    found: list[dict[str, Any]] = await client.ask(
        "textDocument/codeAction", path, range={"start": here, "end": here}, context={"diagnostics": [], **context}
    )
    return found


async def test_kinds_are_filtered_and_edits_come_at_once_where_nobody_resolves(client: Connected) -> None:
    client.initialize()
    client.open("returns.md", SUPPRESSED)
    every = await offered(client, "returns.md", SUPPRESSED, "within 30")
    assert {action["kind"] for action in every} == {"quickfix", "refactor.rewrite", "source.fixAll.evidencedesk"}
    assert all("changes" in action["edit"] for action in every)
    assert all(action["diagnostics"] for action in every if action["kind"] == "quickfix")
    (fix_all,) = await offered(client, "returns.md", SUPPRESSED, "within 30", only=["source.fixAll"])
    ((edit,),) = fix_all["edit"]["changes"].values()
    assert edit["newText"] == ""
    assert await offered(client, "returns.md", SUPPRESSED, "within 30", only=["refactor.inline"]) == []


async def test_an_edit_is_resolved_when_its_action_is_chosen_and_not_after_a_change(client: Connected) -> None:
    client.initialize(**RESOLVING)
    client.open("returns.md", SUPPRESSED)
    actions = await offered(client, "returns.md", SUPPRESSED, "within 30", only=["quickfix"])
    assert not any("edit" in action for action in actions)
    keep = next(action for action in actions if action["title"].startswith("Put the answer in a paragraph"))
    resolved = await client.ask("codeAction/resolve", **keep)
    (change,) = resolved["edit"]["documentChanges"]
    assert change["textDocument"]["version"] == 1
    change = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "\n"}
    uri = f"{client.uri}/returns.md"
    client.say(
        method="textDocument/didChange",
        params={"textDocument": {"uri": uri, "version": 2}, "contentChanges": [change]},
    )
    error = await client.refused("codeAction/resolve", "", **keep)
    assert error["message"] == "The text has changed since this was offered. Ask for the actions again."
    error = await client.refused("codeAction/resolve", "", title="x", data={"not": "ours"})
    assert error["message"] == "This action was not offered here."


async def test_a_rule_is_switched_off_in_the_configuration(client: Connected, tmp_path: Path) -> None:
    client.initialize(**RESOLVING)
    client.open("returns.md", SUPPRESSED)
    actions = await offered(client, "returns.md", SUPPRESSED, "within 30", only=["quickfix"])
    everywhere = next(one for one in actions if one["title"] == "Ignore ED201 everywhere (in evidencedesk.toml)")
    (change,) = (await client.ask("codeAction/resolve", **everywhere))["edit"]["documentChanges"]
    assert change["textDocument"]["uri"].endswith("/evidencedesk.toml")
    (tmp_path / "evidencedesk.toml").write_text("# changed unnoticed\n")
    error = await client.refused("codeAction/resolve", "", **everywhere)
    assert error["message"].startswith("evidencedesk.toml has changed since it was evaluated")


async def test_what_cannot_be_done_says_why_to_clients_that_show_it(client: Connected, tmp_path: Path) -> None:
    client.initialize(**RESOLVING)
    labels = (tmp_path / "labels.json").read_text()
    client.open("labels.json", labels)
    actions = await offered(client, "labels.json", labels, "Nothing at all")
    (refused,) = [action for action in actions if "disabled" in action]
    assert refused["disabled"]["reason"] == "nothing on the page resembles it"
    assert "data" not in refused and "edit" not in refused
