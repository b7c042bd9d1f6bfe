"""Questions that are in no label: a command, a scratch file; and chunk ids that lead to their text."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio

from answer_making import PAGE, label, workspace
from evidencedesk.text.spans import LineIndex
from evidencedesk_server.messages import SEARCH
from raw_client import Connected

pytestmark = pytest.mark.asyncio

SHIPPING = """---
id: ship_ping
title: Shipping
---
# Shipping

A parcel takes 3 days.
"""
STAFF = """---
id: staff
audience: staff
---
# Staff

The secret parcel word is kumquat.
"""
FULL: dict[str, Any] = {
    "window": {"showDocument": {"support": True}},
    "textDocument": {"definition": {"linkSupport": True}, "hover": {"contentFormat": ["markdown"]}},
}
SCRATCH = """# questions from the shop 😀
- is the parcel label free?

how many days 😀 does it take
"""


@pytest_asyncio.fixture
async def client(tmp_path: Path) -> AsyncIterator[Connected]:
    pages = {"returns.md": PAGE, "ship (1).md": SHIPPING, "staff.md": STAFF}
    workspace(tmp_path, [label("q1", "Free?", "The parcel label is free.")], pages)
    client = Connected(tmp_path)
    yield client
    await client.desk.stop()


def position(text: str, words: str) -> dict[str, int]:
    line, column = LineIndex(text).position(text.index(words), "utf-16")
    return {"line": line, "character": column}


def squeezed(text: str) -> str:
    return " ".join(text.split())


async def run(client: Connected, *arguments: Any) -> str:
    asked = asyncio.ensure_future(client.ask("workspace/executeCommand", command=SEARCH, arguments=list(arguments)))
    await client.until(lambda: client.asked_for("window/showDocument") is None or asked.done())
    text: str = await asked
    return text


async def test_a_search_shows_what_each_searcher_finds_and_why(client: Connected) -> None:
    client.initialize(None, **FULL)
    text = await run(client, "is the parcel  label\nfree, zebra?")
    assert text.startswith("# “is the parcel label free, zebra?”\n\nTop 5; hybrid is the configured searcher")
    assert "1 chunk outside of it." in text
    assert "zebra stands in no chunk." in text
    assert "| chunk | sparse | dense | hybrid |" in squeezed(text)
    assert "| returns:c2 | 1 (" in squeezed(text)
    assert f"## [returns:c2]({client.uri}/returns.md#L13,1) · Costs" in text
    assert "> The parcel label is free." in text
    assert "- label: 1 time here, in 1 chunk (idf " in text
    assert "- hybrid: 1/61 (sparse rank 1) + 1/6" in text
    assert "kumquat" not in text and "staff" not in text


async def test_the_page_opens_in_the_editor(client: Connected) -> None:
    client.initialize(None, **FULL)
    text = await run(client, "parcel")
    await client.until(lambda: client.asked_for("window/showDocument"))
    (shown,) = client.asked_for("window/showDocument")
    page = Path(urlsplit(shown["params"]["uri"]).path)
    assert page.name == "search.md" and page.read_text(encoding="utf-8") == f"{text}\n"
    assert f"({client.uri}/ship%20%281%29.md#L7,1)" in text


async def test_a_search_leaves_no_trace_in_what_is_evaluated(client: Connected, tmp_path: Path) -> None:
    client.initialize(None, **FULL)
    client.open("returns.md", PAGE)
    first = await run(client, "kumquat parcel")
    client.say(
        method="textDocument/didChange",
        params={
            "textDocument": {"uri": f"{client.uri}/returns.md", "version": 2},
            "contentChanges": [{"text": PAGE.replace("free.", "free. A parcel too")}],
        },
    )
    await client.ask("textDocument/foldingRange", "returns.md")
    assert "A parcel too" in await run(client, "kumquat parcel") and "A parcel too" not in first


@pytest.mark.parametrize("arguments", [[], [""], ["  "], [None], [3]])
async def test_what_is_no_question_is_an_error(client: Connected, arguments: list[Any]) -> None:
    client.initialize(None, **FULL)
    client.say(id=99, method="workspace/executeCommand", params={"command": SEARCH, "arguments": arguments})
    await client.until(lambda: [one for one in client.sent if one.get("id") == 99])
    assert client.error(99) == -32602


async def test_nothing_found_is_said(client: Connected) -> None:
    client.initialize(None, **FULL)
    assert "Nothing is found." in await run(client, "—", f"{client.uri}/returns.md")


async def test_a_question_of_a_scratch_file_hovers_with_its_ranking_and_leads_to_what_it_finds(
    client: Connected,
) -> None:
    client.initialize(None, **FULL)
    client.open("shop.queries.txt", SCRATCH)
    hover = await client.ask("textDocument/hover", "shop.queries.txt", position=position(SCRATCH, "parcel"))
    assert hover["contents"]["value"].startswith("“is the parcel label free?”")
    assert "| returns:c2 | 1 (" in squeezed(hover["contents"]["value"])
    start, end = position(SCRATCH, "is the parcel"), position(SCRATCH, "\n\nhow")
    assert hover["range"] == {"start": start, "end": end}
    links = await client.ask("textDocument/definition", "shop.queries.txt", position=position(SCRATCH, "does"))
    assert links[0]["targetUri"] == f"{client.uri}/ship%20%281%29.md"
    assert links[0]["originSelectionRange"]["start"] == position(SCRATCH, "how many")
    for nothing in ("questions", "\nhow"):
        assert await client.ask("textDocument/hover", "shop.queries.txt", position=position(SCRATCH, nothing)) is None


async def test_a_scratch_file_outside_of_all_folders_asks_the_open_one(client: Connected, tmp_path: Path) -> None:
    client.initialize(None, **FULL)
    item = {"uri": "untitled:Untitled-1", "languageId": "evidencedesk-queries", "version": 1, "text": SCRATCH}
    client.say(method="textDocument/didOpen", params={"textDocument": item})
    hover = await client.ask(
        "textDocument/hover", textDocument={"uri": item["uri"]}, position=position(SCRATCH, "parcel")
    )
    assert "returns:c2" in hover["contents"]["value"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("out.runs.jsonl", json.dumps({"test_id": "q1", "ranking": [{"chunk_id": "ship_ping:c0"}]})),
        ("report.md", "# Report\n\nSee ship\\_ping:c0, please.\n"),
        ("notes.txt", "(ship_ping:c0)"),
    ],
)
async def test_a_chunk_id_anywhere_leads_to_its_text(client: Connected, path: str, text: str) -> None:
    client.initialize(None, **FULL)
    client.open(path, text)
    (link,) = await client.ask("textDocument/definition", path, position=position(text, "ping:c0"))
    assert link["targetUri"] == f"{client.uri}/ship%20%281%29.md"
    origin = link["originSelectionRange"]
    assert LineIndex(text).position(text.index("ship"), "utf-16") == tuple(origin["start"].values())


async def test_a_chunk_id_in_a_report_outside_hovers_with_its_text(client: Connected) -> None:
    client.initialize(None, **FULL)
    text = "best: ship\\_ping:c0\n"
    item = {"uri": "file:///elsewhere/ranking.md", "languageId": "markdown", "version": 1, "text": text}
    client.say(method="textDocument/didOpen", params={"textDocument": item})
    place = {"textDocument": {"uri": item["uri"]}, "position": position(text, "ping")}
    hover = await client.ask("textDocument/hover", **place)
    assert "A parcel takes 3 days" in hover["contents"]["value"]
    (link,) = await client.ask("textDocument/definition", **place)
    assert link["targetUri"].endswith("/ship%20%281%29.md")


async def test_text_of_pages_cannot_become_markup(client: Connected, tmp_path: Path) -> None:
    evil = "# A [x](javascript:alert(1)) | b\n\nClick <b>kiwi</b> [here](command:run) | `now`.\n"
    (tmp_path / "evil.md").write_text(evil, encoding="utf-8")
    client.initialize(None, **FULL)
    text = await run(client, "kiwi <img src=x> [y](z) | *all*")
    assert "\\<img src=x\\> \\[y\\](z) \\| \\*all\\*" in text
    assert "<b>" not in text.replace("\\<b\\>", "") and "[here](" not in text and "[x](" not in text
