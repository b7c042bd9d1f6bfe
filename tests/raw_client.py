"""A client that speaks raw JSON to a server in the same process."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from evidencedesk_server.messages import Request, pack, unpack
from evidencedesk_server.server import create_server
from evidencedesk_server.worker import Engine

IDLE = ("cat",)


class Client:
    """Speaks raw JSON to a server that is not connected to anything."""

    def __init__(self) -> None:
        self.desk = create_server(IDLE)
        self.sent: list[dict[str, Any]] = []
        self.desk.protocol.set_writer(self)

    def write(self, data: bytes) -> None:
        head, body = data.split(b"\r\n\r\n", 1)
        assert int(head.split(b"\r\n")[0].split(b":")[1]) == len(body)
        self.sent.append(json.loads(body))

    def close(self) -> None:
        pass

    def say(self, **message: Any) -> None:
        self.desk.protocol.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def initialize(self) -> None:
        self.say(id="init", method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}})
        self.say(method="initialized", params={})

    def answer(self, message_id: object) -> dict[str, Any]:
        answers = [message for message in self.sent if message.get("id") == message_id and "method" not in message]
        assert len(answers) == 1, answers
        return answers[0]

    def error(self, message_id: object) -> int:
        return int(self.answer(message_id)["error"]["code"])


class Connected(Client):
    """A client on a folder; the engine runs in this process too, and sees and says only what the wire would carry."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self.uri = root.as_uri()
        self._last = 0

    def initialize(self, settings: dict[str, Any] | None = None, **capabilities: Any) -> None:
        """Introduce ourselves, with capabilities by their names in the protocol."""
        folders = [{"uri": self.uri, "name": "kb"}]
        options = {"settings": settings} if settings is not None else {}
        params = {"processId": None, "rootUri": None, "workspaceFolders": folders, "initializationOptions": options}
        self.say(id="init", method="initialize", params={**params, "capabilities": capabilities})
        desk, loop = self.desk, asyncio.get_running_loop()
        engine = Engine(lambda reply: loop.call_soon(desk._receive, unpack(pack(reply)[4:])) and None)

        def send(request: Request) -> None:
            loop.call_soon(engine.handle, unpack(pack(request)[4:]))

        desk.engine.send = send  # type: ignore[method-assign]
        self.say(method="initialized", params={})

    def open(self, path: str, text: str) -> None:
        item = {"uri": f"{self.uri}/{path}", "languageId": "markdown", "version": 1, "text": text}
        self.say(method="textDocument/didOpen", params={"textDocument": item})

    def change(self, path: str, text: str, version: int) -> None:
        """Type a whole new text."""
        document = {"uri": f"{self.uri}/{path}", "version": version}
        self.say(method="textDocument/didChange", params={"textDocument": document, "contentChanges": [{"text": text}]})

    def save(self, path: str) -> None:
        """Say that a file was saved."""
        self.say(method="textDocument/didSave", params={"textDocument": {"uri": f"{self.uri}/{path}"}})

    def close_document(self, path: str) -> None:
        """Close a file."""
        self.say(method="textDocument/didClose", params={"textDocument": {"uri": f"{self.uri}/{path}"}})

    def pushed(self, path: str) -> list[dict[str, Any]]:
        """All that was published for a file, in order."""
        uri = f"{self.uri}/{path}"
        messages = (one["params"] for one in self.sent if one.get("method") == "textDocument/publishDiagnostics")
        return [params for params in messages if params["uri"] == uri]

    async def ask(self, method: str, path: str = "", **params: Any) -> Any:
        """The result of a request, about a file where one is named."""
        answer = await self._reply(method, path, params)
        assert "error" not in answer, answer
        return answer["result"]

    async def refused(self, method: str, path: str, **params: Any) -> dict[str, Any]:
        """The error with which a request is answered."""
        error: dict[str, Any] = (await self._reply(method, path, params))["error"]
        return error

    async def _reply(self, method: str, path: str, params: dict[str, Any]) -> dict[str, Any]:
        self._last += 1
        document = {"textDocument": {"uri": f"{self.uri}/{path}"}} if path else {}
        self.say(id=self._last, method=method, params={**document, **params})
        await self.until(lambda: self._answers(self._last))
        return self.answer(self._last)

    async def until(self, happened: Any) -> None:
        async with asyncio.timeout(20):
            while not happened():
                await asyncio.sleep(0.005)

    def asked_for(self, method: str) -> list[dict[str, Any]]:
        """The messages with this method that the server sent; requests among them are answered."""
        found = [message for message in self.sent if message.get("method") == method]
        for message in found:
            if "id" in message and not message.setdefault("answered", False):
                message["answered"] = True
                self.say(id=message["id"], result={"success": True} if method == "window/showDocument" else None)
        return found

    def _answers(self, message_id: int) -> list[dict[str, Any]]:
        return [one for one in self.sent if one.get("id") == message_id and "method" not in one]
