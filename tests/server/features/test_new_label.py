"""A selection in a page becomes the evidence of a new label."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from answer_making import label, workspace
from evidencedesk.text.spans import LineIndex
from evidencedesk_server.messages import NEW_LABEL
from raw_client import Connected

pytestmark = pytest.mark.asyncio

PAGE = """---
id: returns
---
# Returns 😀

😀 Send it "back" within 30 days
of delivery. That is all.

## Costs

The label is free.
"""
FULL: dict[str, Any] = {
    "window": {"showDocument": {"support": True}},
    "workspace": {"workspaceEdit": {"documentChanges": True, "resourceOperations": ["create"]}},
}
LABELS = [label("q-08", "Free?", "The label is free.")]
EVIDENCE = "within 30 days\nof delivery"


@pytest_asyncio.fixture
async def client(tmp_path: Path) -> AsyncIterator[Connected]:
    workspace(tmp_path, LABELS, {"returns.md": PAGE})
    client = Connected(tmp_path)
    yield client
    await client.desk.stop()


def selected(words: str) -> dict[str, Any]:
    index, start = LineIndex(PAGE), PAGE.index(words)
    ends = (index.position(offset, "utf-16") for offset in (start, start + len(words)))
    return dict(zip(("start", "end"), ({"line": line, "character": column} for line, column in ends), strict=True))


async def actions(client: Connected, words: str, only: list[str] | None = None) -> list[dict[str, Any]]:
    context = {"diagnostics": [], **({"only": only} if only else {})}
    found: list[dict[str, Any]] = await client.ask(
        "textDocument/codeAction", "returns.md", range=selected(words), context=context
    )
    return [action for action in found if action["title"] == "New label with this evidence"]


async def run(client: Connected, *arguments: Any, answer: Any = None) -> list[dict[str, Any]]:
    """Run the command; returns the edits that the client was asked to apply."""
    asked = asyncio.ensure_future(client.ask("workspace/executeCommand", command=NEW_LABEL, arguments=list(arguments)))
    answered: set[Any] = set()

    def reply() -> bool:
        for message in client.sent:
            if message.get("method") == "workspace/applyEdit" and message["id"] not in answered:
                answered.add(message["id"])
                client.say(id=message["id"], result=answer or {"applied": True})
        return asked.done()

    await client.until(reply)
    await asked
    return [message["params"]["edit"] for message in client.sent if message.get("method") == "workspace/applyEdit"]


def messages(client: Connected) -> list[str]:
    return [one["params"]["message"] for one in client.sent if one.get("method") == "window/showMessage"]


def applied(text: str, edit: dict[str, Any]) -> str:
    (one,) = edit["edits"]
    index = LineIndex(text)
    start, end = (
        index.offset(one["range"][edge]["line"], one["range"][edge]["character"], "utf-16") for edge in ("start", "end")
    )
    return text[:start] + one["newText"] + text[end:]


async def test_the_action_adds_the_label_and_opens_its_question(client: Connected, tmp_path: Path) -> None:
    client.initialize(None, **FULL)
    client.open("returns.md", PAGE)
    (action,) = await actions(client, EVIDENCE)
    assert action["kind"] == "refactor.extract"
    (edit,) = await run(client, *action["command"]["arguments"])
    (change,) = edit["documentChanges"]
    assert change["textDocument"]["uri"] == f"{client.uri}/labels.json"
    before = (tmp_path / "labels.json").read_text(encoding="utf-8")
    after = applied(before, change)
    new = {"id": "q-09", "question": "", "gold": [{"section": "returns#Returns 😀", "evidence": EVIDENCE}]}
    assert after == json.dumps([*LABELS, new], ensure_ascii=False, indent=2)
    await client.until(lambda: client.asked_for("window/showDocument"))
    (shown,) = client.asked_for("window/showDocument")
    assert shown["params"]["uri"] == f"{client.uri}/labels.json" and shown["params"]["takeFocus"]
    place = shown["params"]["selection"]["start"]
    offset = LineIndex(after).offset(place["line"], place["character"], "utf-16")
    assert after[:offset].endswith('"q-09",\n    "question": "') and after[offset] == '"'


@pytest.mark.parametrize(
    ("words", "evidence"),
    [(" That is all.\n\n", "That is all."), ("ivery. That is al", "delivery. That is all"), (" 30 day", "30 days")],
)
async def test_evidence_is_whole_words_without_white_space_around_them(
    client: Connected, words: str, evidence: str
) -> None:
    client.initialize(None, **FULL)
    client.open("returns.md", PAGE)
    (action,) = await actions(client, words)
    (edit,) = await run(client, *action["command"]["arguments"])
    assert f'"evidence": "{evidence}"' in edit["documentChanges"][0]["edits"][0]["newText"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("id: returns", "front matter"),
        ("all.\n\n## Costs\n\nThe label", "reaches over a heading"),
        ("Returns 😀", "lies in a heading"),
        ("\n\n", "Select the words"),
    ],
)
async def test_what_cannot_be_evidence_is_not_offered_and_refused_in_words(
    client: Connected, words: str, reason: str
) -> None:
    client.initialize(None, **FULL)
    client.open("returns.md", PAGE)
    assert await actions(client, words) == []
    assert await run(client, f"{client.uri}/returns.md", selected(words)) == []
    assert reason in messages(client)[-1]


async def test_only_the_kinds_that_are_wanted_come(client: Connected) -> None:
    client.initialize(None, **FULL)
    client.open("returns.md", PAGE)
    assert await actions(client, EVIDENCE, ["quickfix"]) == []
    assert len(await actions(client, EVIDENCE, ["refactor"])) == 1


async def test_of_several_label_files_the_one_that_speaks_of_the_page_is_taken(
    client: Connected, tmp_path: Path
) -> None:
    others = [label(f"x{number}", f"Sold {number}?") for number in range(5)]
    (tmp_path / "a.json").write_text(json.dumps(others), encoding="utf-8")
    client.initialize(None, **FULL)
    client.open("returns.md", PAGE)
    (edit,) = await run(client, f"{client.uri}/returns.md", selected(EVIDENCE))
    assert edit["documentChanges"][0]["textDocument"]["uri"].endswith("/labels.json")


async def test_without_a_label_file_one_is_made_where_the_client_can(client: Connected, tmp_path: Path) -> None:
    (tmp_path / "labels.json").unlink()
    client.initialize(None, **FULL)
    client.open("returns.md", PAGE)
    (edit,) = await run(client, f"{client.uri}/returns.md", selected(EVIDENCE))
    make, change = edit["documentChanges"]
    assert (make["kind"], make["uri"]) == ("create", f"{client.uri}/labels.json")
    assert [one["id"] for one in json.loads(applied("", change))] == ["q1"]
    other = Connected(tmp_path)
    other.initialize()
    other.open("returns.md", PAGE)
    assert await run(other, f"{other.uri}/returns.md", selected(EVIDENCE)) == []
    assert "There is no label file yet" in messages(other)[-1]
    await other.desk.stop()


async def test_a_broken_label_file_is_left_alone(client: Connected, tmp_path: Path) -> None:
    broken = json.dumps(LABELS).rstrip("]")
    (tmp_path / "labels.json").write_text(broken, encoding="utf-8")
    client.initialize(None, **FULL)
    client.open("returns.md", PAGE)
    assert await run(client, f"{client.uri}/returns.md", selected(EVIDENCE)) == []
    assert "labels.json is not sound JSON" in messages(client)[-1]


async def test_clients_that_open_nothing_are_told_where_the_question_is(client: Connected) -> None:
    client.initialize()
    client.open("returns.md", PAGE)
    (edit,) = await run(client, f"{client.uri}/returns.md", selected(EVIDENCE))
    assert list(edit["changes"]) == [f"{client.uri}/labels.json"]
    assert messages(client) == ["Label q-09 was added to labels.json, line 14: write its question there."]


async def test_a_client_that_refuses_the_edit_is_believed(client: Connected) -> None:
    client.initialize(None, **FULL)
    client.open("returns.md", PAGE)
    refused = {"applied": False, "failureReason": "read-only"}
    await run(client, f"{client.uri}/returns.md", selected(EVIDENCE), answer=refused)
    assert messages(client) == ["The editor did not add the label to labels.json: read-only"]
    assert client.asked_for("window/showDocument") == []


@pytest.mark.parametrize("arguments", [[], [1], ["file:///nowhere.md", {}], [None, None]])
async def test_malformed_arguments_are_an_error(client: Connected, arguments: list[Any]) -> None:
    client.initialize(None, **FULL)
    client.open("returns.md", PAGE)
    client.say(id=99, method="workspace/executeCommand", params={"command": NEW_LABEL, "arguments": arguments})
    await client.until(lambda: [one for one in client.sent if one.get("id") == 99])
    assert client.error(99) == -32602
