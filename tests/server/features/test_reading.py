"""What clients are shown on request, in the shape that each can take."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio

from answer_making import PAGE, label, workspace
from evidencedesk.text.spans import LineIndex
from evidencedesk_server.messages import SHOW_RANKING
from raw_client import Connected

pytestmark = pytest.mark.asyncio

SPLIT = "within 30 days of delivery, and we will refund the full price"
LABELS = [
    label("q1", "Is the parcel label free?", "The parcel label is free."),
    label("q2", "How long can I send it back?", SPLIT),
]
EVERYTHING: dict[str, Any] = {
    "window": {"showDocument": {"support": True}},
    "workspace": {
        "codeLens": {"refreshSupport": True},
        "inlayHint": {"refreshSupport": True},
        "semanticTokens": {"refreshSupport": True},
        "foldingRange": {"refreshSupport": True},
    },
    "textDocument": {
        "definition": {"linkSupport": True},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
    },
}


@pytest_asyncio.fixture
async def client(tmp_path: Path) -> AsyncIterator[Connected]:
    workspace(tmp_path, LABELS)
    client = Connected(tmp_path)
    yield client
    await client.desk.stop()


def begin(client: Connected, tmp_path: Path, settings: dict[str, Any] | None = None, **capabilities: Any) -> str:
    """Initialize, open both files; returns the text of the label file."""
    client.initialize(settings, **capabilities)
    labels = (tmp_path / "labels.json").read_text(encoding="utf-8")
    client.open("returns.md", PAGE)
    client.open("labels.json", labels)
    return labels


def at(text: str, words: str) -> dict[str, int]:
    line, column = LineIndex(text).position(text.index(words), "utf-16")
    return {"line": line, "character": column}


def of(text: str, place: dict[str, Any]) -> str:
    index = LineIndex(text)
    start, end = (index.offset(place[edge]["line"], place[edge]["character"], "utf-16") for edge in ("start", "end"))
    return text[start:end]


async def test_definitions_are_links_where_the_client_takes_them_and_places_where_not(
    client: Connected, tmp_path: Path
) -> None:
    labels = begin(client, tmp_path, **EVERYTHING)
    (link,) = await client.ask("textDocument/definition", "labels.json", position=at(labels, "The parcel"))
    assert of(labels, link["originSelectionRange"]) == of(PAGE, link["targetRange"]) == "The parcel label is free."
    other = Connected(tmp_path)
    begin(other, tmp_path)
    (place,) = await other.ask("textDocument/definition", "labels.json", position=at(labels, "The parcel"))
    assert place == {"uri": link["targetUri"], "range": link["targetSelectionRange"]}
    await other.desk.stop()


async def test_links_explain_themselves_only_to_clients_that_show_it(client: Connected, tmp_path: Path) -> None:
    begin(client, tmp_path, textDocument={"documentLink": {"tooltipSupport": True}})
    first = (await client.ask("textDocument/documentLink", "labels.json"))[0]
    assert first["tooltip"] == "Open returns.md, line 5"
    other = Connected(tmp_path)
    begin(other, tmp_path)
    assert (await other.ask("textDocument/documentLink", "labels.json"))[0].keys() == {"range", "target"}
    await other.desk.stop()


async def test_references_hold_the_declaration_only_when_it_is_wanted(client: Connected, tmp_path: Path) -> None:
    begin(client, tmp_path)
    counts = [
        len(
            await client.ask(
                "textDocument/references",
                "returns.md",
                position=at(PAGE, "parcel"),
                context={"includeDeclaration": wanted},
            )
        )
        for wanted in (False, True)
    ]
    assert counts == [1, 2]


async def test_symbols_are_nested_or_flat_as_the_client_takes_them(client: Connected, tmp_path: Path) -> None:
    begin(client, tmp_path, **EVERYTHING)
    (root,) = await client.ask("textDocument/documentSymbol", "returns.md")
    assert [child["name"] for child in root["children"]] == ["Costs"]
    other = Connected(tmp_path)
    begin(other, tmp_path)
    flat = await other.ask("textDocument/documentSymbol", "returns.md")
    assert [(one["name"], one["containerName"]) for one in flat] == [("Returns", ""), ("Costs", "Returns")]
    assert of(PAGE, flat[1]["location"]["range"]).startswith("## Costs")
    await other.desk.stop()


async def test_the_workspace_is_searched_without_an_open_file(client: Connected, tmp_path: Path) -> None:
    client.initialize()
    found = await client.ask("workspace/symbol", query="costs")
    assert [(one["name"], one["location"]["uri"]) for one in found] == [("Costs", f"{client.uri}/returns.md")]


async def test_folds_are_lines(client: Connected, tmp_path: Path) -> None:
    begin(client, tmp_path)
    found = await client.ask("textDocument/foldingRange", "returns.md")
    assert found == [
        {"startLine": 0, "endLine": 3},
        {"startLine": 4, "endLine": 12},
        {"startLine": 10, "endLine": 12},
    ]


async def test_a_lens_runs_a_command_that_opens_the_ranking_in_a_file_that_goes_with_the_server(
    client: Connected, tmp_path: Path
) -> None:
    begin(client, tmp_path, **EVERYTHING)
    command = (await client.ask("textDocument/codeLens", "labels.json"))[0]["command"]
    asked = asyncio.ensure_future(
        client.ask("workspace/executeCommand", command=command["command"], arguments=command["arguments"])
    )
    await client.until(lambda: client.asked_for("window/showDocument"))
    text = await asked
    assert text.startswith("**q1** · the answer is at rank 1")
    shown = Path(urlsplit(client.asked_for("window/showDocument")[0]["params"]["uri"]).path)
    assert shown.read_text(encoding="utf-8") == f"{text}\n"
    assert not shown.is_relative_to(tmp_path)


async def test_a_client_that_opens_no_files_is_told_the_ranking(client: Connected, tmp_path: Path) -> None:
    begin(client, tmp_path)
    text = await client.ask(
        "workspace/executeCommand", command=SHOW_RANKING, arguments=[f"{client.uri}/labels.json", ["q2"]]
    )
    (message,) = client.asked_for("window/showMessage")
    assert message["params"]["message"] == text
    assert "no chunk holds it whole" in text


@pytest.mark.parametrize(
    "arguments", [[], [7, ["q1"]], ["file:///elsewhere", ["q1"]], ["LABELS", "q1"], ["LABELS", ["no"]]]
)
async def test_a_command_about_nothing_is_refused_in_words(
    client: Connected, tmp_path: Path, arguments: list[Any]
) -> None:
    begin(client, tmp_path)
    given = [f"{client.uri}/labels.json" if one == "LABELS" else one for one in arguments]
    client.say(id="run", method="workspace/executeCommand", params={"command": SHOW_RANKING, "arguments": given})
    await client.until(lambda: any(message.get("id") == "run" for message in client.sent))
    assert client.answer("run")["error"]["message"]


async def test_boundaries_are_shown_only_to_those_who_set_it_and_only_where_they_look(
    client: Connected, tmp_path: Path
) -> None:
    begin(client, tmp_path, **EVERYTHING)
    everywhere = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    assert await client.ask("textDocument/inlayHint", "returns.md", range=everywhere) == []
    settings = {"evidencedesk": {"inlayHints": {"chunkBoundaries": True}}}
    client.say(method="workspace/didChangeConfiguration", params={"settings": settings})
    await client.until(lambda: client.asked_for("workspace/inlayHint/refresh"))
    hints = await client.ask("textDocument/inlayHint", "returns.md", range=everywhere)
    assert [(hint["position"], hint["label"]) for hint in hints] == [
        (at(PAGE, "Send it"), "c0 · 40 chars"),
        (at(PAGE, "and we"), "c1 · 34 chars"),
        (at(PAGE, "The parcel"), "c2 · 25 chars"),
    ]
    top = {"start": {"line": 0, "character": 0}, "end": {"line": 7, "character": 0}}
    assert len(await client.ask("textDocument/inlayHint", "returns.md", range=top)) == 1
    client.say(method="workspace/didChangeConfiguration", params={"settings": {"evidencedesk": None}})
    assert await client.ask("textDocument/inlayHint", "returns.md", range=everywhere) == []


async def test_evidence_is_told_line_by_line_each_token_relative_to_the_last(client: Connected, tmp_path: Path) -> None:
    begin(client, tmp_path)
    data = (await client.ask("textDocument/semanticTokens/full", "returns.md"))["data"]
    line = column = 0
    words = []
    for number in range(0, len(data), 5):
        down, ahead, length, kind, modifiers = data[number : number + 5]
        line, column = line + down, ahead if down else column + ahead
        words.append(PAGE.splitlines()[line][column : column + length])
        assert (kind, modifiers) == (0, 0)
    assert words == ["within 30 days of delivery,", "and we will refund the full price", "The parcel label is free."]


async def test_clients_ask_again_when_what_they_were_told_no_longer_holds(client: Connected, tmp_path: Path) -> None:
    begin(client, tmp_path, **EVERYTHING)
    await client.ask("textDocument/codeLens", "labels.json")
    document = {"uri": f"{client.uri}/returns.md", "version": 2}
    change = {"text": PAGE.replace(",\n\nand", ", and")}
    client.say(method="textDocument/didChange", params={"textDocument": document, "contentChanges": [change]})
    await client.until(lambda: client.asked_for("workspace/codeLens/refresh"))
    lens = (await client.ask("textDocument/codeLens", "labels.json"))[1]
    assert lens["command"]["title"].endswith("| ▲ the answer is at rank 1 (the last saved state: not found)")
    # Of what was never told, nothing can be out of date.
    assert client.asked_for("workspace/semanticTokens/refresh") == []
