"""One answer for every request, whatever it holds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types

from evidencedesk_server.messages import ACCEPT_BASELINE, INDEX, NEW_LABEL, SEARCH, SHOW_RANKING
from raw_client import Client


@pytest_asyncio.fixture
async def client() -> AsyncIterator[Client]:
    client = Client()
    yield client
    await client.desk.stop()


pytestmark = pytest.mark.asyncio


async def test_initialize_is_answered_at_once_with_the_capabilities(client: Client) -> None:
    client.initialize()
    capabilities = client.answer("init")["result"]["capabilities"]
    assert capabilities["textDocumentSync"]["change"] == types.TextDocumentSyncKind.Incremental.value
    assert capabilities["hoverProvider"] is True
    assert "diagnosticProvider" not in capabilities
    assert set(capabilities["executeCommandProvider"]["commands"]) == {
        ACCEPT_BASELINE,
        INDEX,
        NEW_LABEL,
        SEARCH,
        SHOW_RANKING,
    }


BAD_PARAMS = [
    ("textDocument/hover", {}),
    ("textDocument/hover", {"textDocument": {"uri": "file:///a"}, "position": {"line": "x", "character": 0}}),
    ("textDocument/hover", {"textDocument": {"uri": "file:///a"}, "position": None}),
    ("textDocument/hover", 7),
    ("textDocument/hover", None),
    ("textDocument/codeAction", {"textDocument": "no"}),
    ("workspace/executeCommand", {"arguments": []}),
    ("workspace/executeCommand", {"command": "no.such.command"}),
    ("workspace/executeCommand", {"command": "evidencedesk.acceptBaseline", "arguments": [1, 2, 3]}),
    ("workspace/executeCommand", {"command": "evidencedesk.acceptBaseline", "arguments": ["file:///nowhere"]}),
]


@pytest.mark.parametrize(("method", "params"), BAD_PARAMS)
async def test_malformed_parameters_are_answered_with_invalid_params(
    client: Client, method: str, params: object
) -> None:
    client.initialize()
    client.say(id=1, method=method, params=params)
    for _ in range(5):
        await asyncio.sleep(0)
    assert client.error(1) == types.ErrorCodes.InvalidParams.value


async def test_unknown_requests_are_refused_and_unknown_notifications_ignored(client: Client) -> None:
    client.initialize()
    before = len(client.sent)
    client.say(method="$/something", params={})
    client.say(method="workspace/didNothing")
    client.say(method="textDocument/didChange", params={"nonsense": True})
    assert len(client.sent) == before
    client.say(id=1, method="no/such", params={})
    client.say(id="two", method="textDocument/moniker")
    assert client.error(1) == client.error("two") == types.ErrorCodes.MethodNotFound.value


async def test_requests_before_initialize_and_after_shutdown_are_refused(client: Client) -> None:
    client.say(id=1, method="textDocument/hover", params={})
    assert client.error(1) == types.ErrorCodes.ServerNotInitialized.value
    client.initialize()
    client.say(id=2, method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}})
    assert client.error(2) == types.ErrorCodes.InvalidRequest.value
    client.say(id=3, method="shutdown")
    assert client.answer(3)["result"] is None
    client.say(id=4, method="textDocument/hover", params={})
    assert client.error(4) == types.ErrorCodes.InvalidRequest.value
    client.say(method="exit")
    assert client.desk.protocol.left.is_set()
    assert client.desk.protocol.exit_code == 0


async def test_exit_without_shutdown_is_a_failure(client: Client) -> None:
    client.initialize()
    client.say(method="exit")
    assert client.desk.protocol.exit_code == 1


@pytest.mark.parametrize("body", [b"", b"not json", b"[" * 100_000, b'{"jsonrpc": "2.0", "id": 1', b"\xff\xfe"])
async def test_what_is_no_json_is_answered_with_a_parse_error(client: Client, body: bytes) -> None:
    client.desk.protocol.receive(body)
    assert client.error(None) == types.ErrorCodes.ParseError.value


@pytest.mark.parametrize("body", [b"[]", b"3", b"null", b'{"id": 5, "method": "x"}', b'{"jsonrpc": "1.0", "id": 5}'])
async def test_what_is_no_message_is_answered_with_invalid_request(client: Client, body: bytes) -> None:
    client.desk.protocol.receive(body)
    assert client.error(5 if b"5" in body else None) == types.ErrorCodes.InvalidRequest.value


async def test_shutdown_cancels_what_is_in_flight_and_answers_both(client: Client) -> None:
    client.initialize()
    waiting = asyncio.Event()

    async def slow(*_: Any) -> None:
        await waiting.wait()

    client.desk.command("test.slow")(slow)
    client.say(id=1, method="workspace/executeCommand", params={"command": "test.slow"})
    await asyncio.sleep(0)
    client.say(id=2, method="shutdown")
    for _ in range(5):
        await asyncio.sleep(0)
    assert client.answer(2)["result"] is None
    assert client.error(1) == types.LSPErrorCodes.RequestCancelled.value


async def test_changes_and_closes_of_documents_never_opened_are_ignored(client: Client) -> None:
    client.initialize()
    before = len(client.sent)
    document = {"uri": "file:///nowhere.md", "version": 3}
    client.say(method="textDocument/didChange", params={"textDocument": document, "contentChanges": [{"text": "x"}]})
    client.say(method="textDocument/didSave", params={"textDocument": document})
    client.say(method="textDocument/didClose", params={"textDocument": document})
    assert len(client.sent) == before
