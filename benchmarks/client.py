"""A language client over stdio that measures. Invariant: every message is kept with its time and size."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from types import TracebackType
from typing import Any, NamedTuple, Self

COMMAND = (sys.executable, "-P", "-m", "evidencedesk_server")
PATIENCE = 600.0


class Received(NamedTuple):
    """A message of the server, when it came (`time.perf_counter`), and its size in bytes."""

    message: dict[str, Any]
    at: float
    size: int


class Client:
    """A client that is pushed to, on one folder. A context manager: leaving it shuts the server down."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.received: list[Received] = []
        self.process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._queue: Queue[Received | None] = Queue()
        self._last = 0
        self._versions: dict[str, int] = {}
        Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.ask("shutdown", None)
            self.tell("exit", None)
            self.process.wait(10)
        else:
            self.process.kill()

    # What a client does

    def initialize(self) -> float:
        """Introduce ourselves; the seconds until the server's answer."""
        folder = {"uri": self.root.as_uri(), "name": self.root.name}
        hover = {"contentFormat": ["markdown"]}
        capabilities = {"textDocument": {"publishDiagnostics": {"relatedInformation": True}, "hover": hover}}
        params = {
            "processId": None,
            "rootUri": folder["uri"],
            "workspaceFolders": [folder],
            "capabilities": capabilities,
        }
        seconds, _ = self.ask("initialize", params)
        self.tell("initialized", {})
        return seconds

    def open(self, path: str) -> str:
        """Open a file with its text on disk, which is returned."""
        text = (self.root / path).read_text(encoding="utf-8")
        self._versions[path] = 1
        item = {"uri": self.uri(path), "languageId": "markdown", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})
        return text

    def change(self, path: str, text: str) -> None:
        """Replace a buffer's text."""
        self._versions[path] += 1
        document = {"uri": self.uri(path), "version": self._versions[path]}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def save(self, path: str, text: str) -> None:
        """Replace a buffer's text and save it."""
        self.change(path, text)
        (self.root / path).write_text(text, encoding="utf-8", newline="")
        self.tell("textDocument/didSave", {"textDocument": {"uri": self.uri(path)}})

    def hover(self, path: str, line: int, character: int) -> tuple[float, Any]:
        """Hover; the seconds until the answer, and the answer."""
        position = {"line": line, "character": character}
        return self.ask("textDocument/hover", {"textDocument": {"uri": self.uri(path)}, "position": position})

    def uri(self, path: str) -> str:
        """The URI of a file."""
        return (self.root / path).as_uri()

    def published(self, path: str | None = None) -> dict[str, list[dict[str, Any]]]:
        """The problems last published, by URI; of one file where one is named."""
        last = {}
        for one in self.received:
            if one.message.get("method") == "textDocument/publishDiagnostics":
                last[one.message["params"]["uri"]] = one.message["params"]["diagnostics"]
        return last if path is None else {uri: found for uri, found in last.items() if uri == self.uri(path)}

    # Messages

    def tell(self, method: str, params: object) -> None:
        """Send a notification."""
        self._send({"method": method, **({} if params is None else {"params": params})})

    def ask(self, method: str, params: object) -> tuple[float, Any]:
        """Send a request; the seconds until its answer, and the answer. Raises RuntimeError for an error."""
        self._last += 1
        number, begun = self._last, time.perf_counter()
        self._send({"id": number, "method": method, **({} if params is None else {"params": params})})
        answer = self.until(lambda one: one.message.get("id") == number and "method" not in one.message)
        if "error" in answer.message:
            raise RuntimeError(f"{method}: {answer.message['error']}")
        return answer.at - begun, answer.message["result"]

    def until(self, wanted: Callable[[Received], bool], patience: float = PATIENCE) -> Received:
        """The next message that is wanted; the server's own requests are answered meanwhile. Raises TimeoutError."""
        end = time.perf_counter() + patience
        while (left := end - time.perf_counter()) > 0:
            try:
                one = self._queue.get(timeout=left)
            except Empty:
                break
            if one is None:
                raise RuntimeError("The server has ended.")
            self.received.append(one)
            if "method" in one.message and "id" in one.message:
                self._send({"id": one.message["id"], "result": None})
            if wanted(one):
                return one
        raise TimeoutError

    def quiet(self, seconds: float) -> None:
        """Take messages until none has come for so long."""
        try:
            while True:
                self.until(lambda one: True, seconds)
        except TimeoutError:
            return

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while header := stream.readline():
            size = 0
            while header.strip():
                name, _, value = header.partition(b":")
                size = int(value) if name.lower() == b"content-length" else size
                header = stream.readline()
            body = stream.read(size)
            self._queue.put(Received(json.loads(body), time.perf_counter(), size))
        self._queue.put(None)
