"""Both processes live and end together."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from e2e.conftest import EVIDENCE
from e2e.editor import COMMAND, codes, connected, plain_pusher

BREAK = "of delivery, and we"
SPLIT = "of delivery, \n\nand we"
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="child processes are found in /proc")


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def eventually(look: Callable[[], object], patience: float = 20) -> None:
    deadline = time.monotonic() + patience
    while not look():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def started(root: Path, process_id: int | None = None) -> tuple[subprocess.Popen[bytes], int]:
    """A server that has been initialized, and its child's process id."""
    server = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT)
    params: dict[str, Any] = {"processId": process_id, "rootUri": root.as_uri(), "capabilities": {}}
    say(server, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    assert server.stdout is not None
    assert b"Content-Length" in server.stdout.readline()
    say(server, {"jsonrpc": "2.0", "method": "initialized", "params": {}})
    eventually(lambda: children(server.pid))
    return server, children(server.pid)[0]


def say(server: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    body = json.dumps(message).encode()
    assert server.stdin is not None
    server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    server.stdin.flush()


def test_both_end_when_the_clients_end_of_the_pipe_closes(root: Path) -> None:
    server, child = started(root)
    assert server.stdin is not None
    server.stdin.close()
    assert server.wait(20) == 1
    eventually(lambda: not is_alive(child))


def test_the_child_ends_when_the_server_is_killed(root: Path) -> None:
    server, child = started(root)
    server.kill()
    server.wait()
    eventually(lambda: not is_alive(child))


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP])
def test_both_end_on_a_signal(root: Path, ending: signal.Signals) -> None:
    server, child = started(root)
    server.send_signal(ending)
    server.wait(20)
    eventually(lambda: not is_alive(child))


def test_both_end_when_the_editor_dies_and_leaves_its_pipes_open(root: Path) -> None:
    editor = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    server, child = started(root, process_id=editor.pid)
    # It has to be seen alive before it can be seen dead.
    time.sleep(4)
    editor.kill()
    editor.wait()
    assert server.wait(20) == 1
    eventually(lambda: not is_alive(child))


@pytest.mark.asyncio
async def test_over_tcp_one_client_is_served_and_the_server_leaves_with_it(root: Path) -> None:
    server = await asyncio.create_subprocess_exec(
        *COMMAND, "--tcp", "0", env=ENVIRONMENT, stderr=asyncio.subprocess.PIPE, stdin=asyncio.subprocess.DEVNULL
    )
    assert server.stderr is not None
    port = int((await server.stderr.readline()).rpartition(b":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    seen: list[dict[str, Any]] = []

    def tell(**message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    async def until(wanted: Callable[[dict[str, Any]], bool]) -> None:
        async with asyncio.timeout(30):
            while not any(map(wanted, seen)):
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
                seen.append(json.loads(await reader.readexactly(length)))

    tell(id=1, method="initialize", params={"processId": None, "rootUri": root.as_uri(), "capabilities": {}})
    await until(lambda message: message.get("id") == 1)
    tell(method="initialized", params={})
    item = {"uri": f"{root.as_uri()}/returns.md", "languageId": "markdown", "version": 1, "text": "```\nnever closed\n"}
    tell(method="textDocument/didOpen", params={"textDocument": item})
    await until(lambda message: message.get("method") == "textDocument/publishDiagnostics")
    tell(id=2, method="shutdown")
    await until(lambda message: message.get("id") == 2)
    tell(method="exit")
    assert await asyncio.wait_for(server.wait(), 20) == 0


@pytest.mark.asyncio
async def test_a_crash_is_told_once_and_open_documents_are_evaluated_anew(root: Path) -> None:
    async with connected(root, plain_pusher()) as editor:
        assert editor.client._server is not None
        server = editor.client._server.pid
        editor.open("returns.md")
        editor.replace("returns.md", BREAK, SPLIT)
        await editor.until(lambda: "ED201" in codes(editor.shown("returns.md")))
        published = len(editor.published)
        for _ in range(2):
            (child,) = await editor.until(lambda: children(server))
            os.kill(child, signal.SIGKILL)
            await editor.until(lambda child=child: children(server) not in ([], [child]))  # type: ignore[misc]
            async with asyncio.timeout(30):
                while await editor.hover("returns.md", "full price") is None:
                    await asyncio.sleep(0.05)
        editor.replace("returns.md", "Send it back", "Send them all back")

        def pushed() -> list[types.PublishDiagnosticsParams]:
            return [params for params in editor.published[published:] if params.uri == editor.uri("returns.md")]

        await editor.until(lambda: pushed() and pushed()[-1].version == editor.version("returns.md"))
        # What was shown stays until there is something new; nothing blinks.
        assert all("ED201" in codes(params.diagnostics) for params in pushed())
        assert len([message for message in editor.client.messages if "ended unexpectedly" in message.message]) == 1
        editor.replace("returns.md", SPLIT, BREAK)
        await editor.until(lambda: editor.shown("returns.md") == [])


@pytest.mark.asyncio
async def test_a_home_directory_is_not_indexed_and_that_is_said(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(root))
    async with connected(root, plain_pusher()) as editor:
        await editor.until(lambda: editor.client.messages)
        assert "more than a knowledge base" in editor.client.messages[0].message
        editor.open("returns.md")
        editor.replace("returns.md", BREAK, SPLIT)
        assert await asyncio.wait_for(editor.hover("returns.md", EVIDENCE[:10]), 10) is None
        assert editor.published == []
        assert isinstance(editor.capabilities, types.ServerCapabilities)
