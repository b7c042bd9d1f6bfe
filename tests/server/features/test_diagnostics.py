"""How problems reach clients, each in its own way."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from answer_making import PAGE, label, workspace
from evidencedesk_server.messages import Place
from raw_client import Connected

pytestmark = pytest.mark.asyncio

LABELS = [label("q1", "Is the parcel label free?", "The parcel label is free.")]
BROKEN = PAGE.replace("The parcel label is free.", "The parcel\n\nlabel is free.")
PULLS: dict[str, Any] = {
    "textDocument": {"diagnostic": {"relatedDocumentSupport": False}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}
RELATES: dict[str, Any] = {**PULLS, "textDocument": {"diagnostic": {"relatedDocumentSupport": True}}}
REFRESH = "workspace/diagnostic/refresh"


@pytest_asyncio.fixture
async def client(tmp_path: Path) -> AsyncIterator[Connected]:
    workspace(tmp_path, LABELS)
    client = Connected(tmp_path)
    yield client
    await client.desk.stop()


def labels(tmp_path: Path) -> str:
    return (tmp_path / "labels.json").read_text(encoding="utf-8")


def codes(report: dict[str, Any]) -> set[str]:
    return {found["code"] for found in report["items"]}


async def indexed(client: Connected) -> None:
    await client.until(lambda: client.uri in client.desk.answers.indexed)


# Which way


@pytest.mark.parametrize(
    ("capabilities", "pulls"),
    [
        ({}, False),
        ({"textDocument": {"publishDiagnostics": {}}}, False),
        ({"textDocument": {"diagnostic": {}}}, False),
        (PULLS, True),
    ],
)
async def test_a_client_pulls_or_is_pushed_to_and_never_both(
    client: Connected, tmp_path: Path, capabilities: dict[str, Any], pulls: bool
) -> None:
    """Who cannot be told to pull again is pushed to: a change in one file makes problems in others."""
    client.initialize(**capabilities)
    assert ("diagnosticProvider" in client.answer("init")["result"]["capabilities"]) is pulls
    client.open("returns.md", BROKEN)
    await indexed(client)
    if pulls:
        assert "ED201" in codes(await client.ask("textDocument/diagnostic", "returns.md"))
        assert client.pushed("returns.md") == []
    else:
        await client.until(lambda: client.pushed("returns.md"))
        assert "ED201" in {found["code"] for found in client.pushed("returns.md")[-1]["diagnostics"]}


# Pull


async def test_an_unchanged_report_is_told_by_its_id(client: Connected, tmp_path: Path) -> None:
    client.initialize(**PULLS)
    client.open("returns.md", BROKEN)
    await indexed(client)
    first = await client.ask("textDocument/diagnostic", "returns.md")
    again = await client.ask("textDocument/diagnostic", "returns.md", previousResultId=first["resultId"])
    assert again == {"kind": "unchanged", "resultId": first["resultId"]}
    client.change("returns.md", PAGE, 2)
    fixed = await client.ask("textDocument/diagnostic", "returns.md", previousResultId=first["resultId"])
    assert fixed["kind"] == "full"
    assert "ED201" not in codes(fixed)


async def test_problems_that_an_edit_makes_elsewhere_come_along_where_the_client_takes_them(
    client: Connected, tmp_path: Path
) -> None:
    client.initialize(**RELATES)
    client.open("returns.md", PAGE)
    client.open("labels.json", labels(tmp_path))
    await indexed(client)
    before = await client.ask("textDocument/diagnostic", "labels.json")
    await client.ask("textDocument/diagnostic", "returns.md")
    client.asked_for(REFRESH)
    told = len(client.asked_for(REFRESH))
    client.change("returns.md", BROKEN, 2)
    report = await client.ask("textDocument/diagnostic", "returns.md")
    related = report["relatedDocuments"][f"{client.uri}/labels.json"]
    assert codes(related) > codes(before)
    assert len(client.asked_for(REFRESH)) == told
    again = await client.ask("textDocument/diagnostic", "labels.json", previousResultId=related["resultId"])
    assert again["kind"] == "unchanged"


async def test_others_are_told_to_pull_again_when_another_file_changed(client: Connected, tmp_path: Path) -> None:
    client.initialize(**PULLS)
    client.open("returns.md", PAGE)
    client.open("labels.json", labels(tmp_path))
    await indexed(client)
    await client.ask("textDocument/diagnostic", "labels.json")
    client.change("returns.md", BROKEN, 2)
    report = await client.ask("textDocument/diagnostic", "returns.md")
    assert "relatedDocuments" not in report
    await client.until(lambda: client.asked_for(REFRESH))
    assert "ED603" in codes(await client.ask("textDocument/diagnostic", "labels.json"))


async def test_a_page_has_its_own_problems_while_its_folder_is_read_and_the_others_after_a_refresh(
    client: Connected, tmp_path: Path
) -> None:
    client.initialize(**PULLS)
    # The folder is "being read" until the test says otherwise.
    held: list[Any] = []
    take = client.desk._receive
    client.desk._receive = lambda reply: held.append(reply) if held or _is_whole(reply) else take(reply)  # type: ignore[method-assign]
    client.open("returns.md", BROKEN + "\n```\nnever closed\n")
    early = await client.ask("textDocument/diagnostic", "returns.md")
    assert codes(early) == {"ED203"}
    client.desk._receive = take  # type: ignore[method-assign]
    for reply in held:
        take(reply)
    await client.until(lambda: client.asked_for(REFRESH))
    assert {"ED203", "ED201"} <= codes(await client.ask("textDocument/diagnostic", "returns.md"))


def _is_whole(reply: Any) -> bool:
    return reply["say"] == "answers" and reply["state"] > 0


async def test_the_workspace_is_told_whole_then_only_what_changed(client: Connected, tmp_path: Path) -> None:
    client.initialize(**PULLS)
    client.open("returns.md", BROKEN)
    await indexed(client)
    first = await client.ask("workspace/diagnostic", previousResultIds=[])
    by_uri = {item["uri"]: item for item in first["items"]}
    assert by_uri.keys() == {f"{client.uri}/returns.md", f"{client.uri}/labels.json"}
    known = [{"uri": uri, "value": item["resultId"]} for uri, item in by_uri.items()]
    again = await client.ask("workspace/diagnostic", previousResultIds=known)
    assert {item["kind"] for item in again["items"]} == {"unchanged"}
    client.change("returns.md", PAGE, 2)
    client.save("returns.md")
    await client.until(lambda: Place(client.uri, "returns.md") not in client.desk.answers.files)
    cleared = await client.ask("workspace/diagnostic", previousResultIds=known)
    page = next(item for item in cleared["items"] if item["uri"].endswith("returns.md"))
    assert (page["kind"], page["items"]) == ("full", [])


async def test_a_client_that_takes_partial_results_gets_news_in_batches_as_soon_as_there_are_some(
    client: Connected, tmp_path: Path
) -> None:
    client.initialize(**PULLS)
    client.open("returns.md", BROKEN)
    await indexed(client)
    final = await client.ask("workspace/diagnostic", previousResultIds=[], partialResultToken="t1")
    assert final == {"items": []}
    items = [item for value in progressed(client, "t1") for item in value["items"]]
    assert {item["uri"].rpartition("/")[2] for item in items} == {"returns.md", "labels.json"}
    known = [{"uri": item["uri"], "value": item["resultId"]} for item in items]
    waiting = asyncio.ensure_future(
        client.ask("workspace/diagnostic", previousResultIds=known, partialResultToken="t2")
    )
    await asyncio.sleep(0.05)
    assert not waiting.done()
    client.change("returns.md", PAGE, 2)
    client.save("returns.md")
    assert await waiting == {"items": []}
    news = [item for value in progressed(client, "t2") for item in value["items"]]
    assert {item["kind"] for item in news} == {"full"}
    assert [item["items"] for item in news if item["uri"].endswith("returns.md")] == [[]]


def progressed(client: Connected, token: str) -> list[dict[str, Any]]:
    told = (one["params"] for one in client.sent if one.get("method") == "$/progress")
    return [params["value"] for params in told if params["token"] == token]


async def test_who_types_on_and_on_pulls_problems_of_an_earlier_text_moved_to_where_they_are_now(
    client: Connected, tmp_path: Path
) -> None:
    client.initialize(**PULLS)
    client.open("returns.md", PAGE)
    await indexed(client)
    first = await client.ask("textDocument/diagnostic", "returns.md")
    client.change("returns.md", BROKEN, 2)
    client.save("returns.md")
    await client.until(lambda: client.desk.session.document(f"{client.uri}/returns.md").evaluated == 2)  # type: ignore[union-attr]
    # The next text is not evaluated before the pause, which this test does not wait for.
    client.change("returns.md", "\n\n" + BROKEN, 3)
    moved = await client.ask("textDocument/diagnostic", "returns.md", previousResultId=first["resultId"])
    place = next(found["range"] for found in moved["items"] if found["code"] == "ED201")
    lines = ("\n\n" + BROKEN).split("\n")
    assert lines[place["start"]["line"]] == "The parcel"
    settled = await client.ask("textDocument/diagnostic", "returns.md", previousResultId=moved["resultId"])
    assert next(found["range"] for found in settled["items"] if found["code"] == "ED201") == place


# Push


async def test_pushes_carry_the_clients_version_and_move_along_with_what_it_types(
    client: Connected, tmp_path: Path
) -> None:
    client.initialize()
    client.open("returns.md", BROKEN)
    await client.until(lambda: "ED201" in pushed_codes(client, "returns.md"))
    assert client.pushed("returns.md")[-1]["version"] == 1
    place = pushed_place(client, "returns.md")
    # An evaluation of version 2 arrives when the client is at version 3 already.
    client.change("returns.md", "\n" + BROKEN, 2)
    client.save("returns.md")
    await asyncio.sleep(0)
    client.change("returns.md", "\n\n\n" + BROKEN, 3)
    await client.until(lambda: client.pushed("returns.md")[-1]["version"] == 3)
    assert pushed_place(client, "returns.md")["start"]["line"] == place["start"]["line"] + 3
    assert [one["version"] for one in client.pushed("returns.md")] == [1, 3]


async def test_nothing_blinks_and_a_repaired_file_is_cleared_once(client: Connected, tmp_path: Path) -> None:
    client.initialize()
    client.open("returns.md", BROKEN)
    await client.until(lambda: "ED201" in pushed_codes(client, "returns.md"))
    for version in range(2, 8):
        client.change("returns.md", BROKEN + "\nMore words.\n" * version, version)
        client.save("returns.md")
        await asyncio.sleep(0.01)
    client.change("returns.md", PAGE, 8)
    await client.until(lambda: client.pushed("returns.md")[-1]["diagnostics"] == [])
    empty = [one for one in client.pushed("returns.md") if not one["diagnostics"]]
    assert len(empty) == 1


async def test_closing_an_unsaved_buffer_shows_the_problems_of_the_file(client: Connected, tmp_path: Path) -> None:
    client.initialize()
    client.open("returns.md", BROKEN)
    await client.until(lambda: "ED201" in pushed_codes(client, "returns.md"))
    client.close_document("returns.md")
    await client.until(lambda: client.pushed("returns.md")[-1]["diagnostics"] == [])
    client.open("returns.md", BROKEN)
    await client.until(lambda: "ED201" in pushed_codes(client, "returns.md"))


def pushed_codes(client: Connected, path: str) -> set[str]:
    pushed = client.pushed(path)
    return {found["code"] for found in pushed[-1]["diagnostics"]} if pushed else set()


def pushed_place(client: Connected, path: str) -> dict[str, Any]:
    found = next(found for found in client.pushed(path)[-1]["diagnostics"] if found["code"] == "ED201")
    return copy.deepcopy(found["range"])


# Documents of no folder


async def test_markdown_that_was_never_saved_has_its_own_problems_until_it_is_closed(client: Connected) -> None:
    client.initialize()
    item = {"uri": "untitled:Untitled-1", "languageId": "markdown", "version": 1, "text": "# New\n\n```\nopen\n"}
    client.say(method="textDocument/didOpen", params={"textDocument": item})

    def pushed() -> list[list[dict[str, Any]]]:
        told = (one["params"] for one in client.sent if one.get("method") == "textDocument/publishDiagnostics")
        return [params["diagnostics"] for params in told if params["uri"] == "untitled:Untitled-1"]

    await client.until(pushed)
    assert [found["code"] for found in pushed()[-1]] == ["ED203"]
    client.say(method="textDocument/didClose", params={"textDocument": {"uri": "untitled:Untitled-1"}})
    await client.until(lambda: pushed()[-1] == [])
