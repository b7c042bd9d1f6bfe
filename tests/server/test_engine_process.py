"""The child process from the outside."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from evidencedesk_server.engine_process import EngineProcess
from evidencedesk_server.messages import CloseFolder

ECHO = """
import os, struct, sys
def read(n):
    data = b""
    while len(data) < n:
        piece = os.read(0, n - len(data))
        if not piece: sys.exit(0)
        data += piece
    return data
while True:
    head = read(4)
    body = read(struct.unpack(">I", head)[0])
    if b"crash" in body: os._exit(7)
    if b"hang" in body:
        import time; time.sleep(60)
    os.write(1, head + body)
"""

pytestmark = pytest.mark.asyncio


def close(folder: str) -> CloseFolder:
    return CloseFolder(do="close-folder", folder=folder)


class Parent:
    def __init__(self) -> None:
        self.received: asyncio.Queue[Any] = asyncio.Queue()
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        command = (sys.executable, "-c", ECHO)
        self.process = EngineProcess(self.received.put_nowait, self.ended.set_result, command)


async def test_requests_arrive_in_order_also_those_sent_before_the_start() -> None:
    parent = Parent()
    parent.process.send(close("first"))
    await parent.process.start()
    parent.process.send(close("second é😀\udcff " + "x" * 300_000))
    for expected in ("first", "second"):
        message = await asyncio.wait_for(parent.received.get(), 10)
        assert message["folder"].startswith(expected)
    await parent.process.stop()


async def test_an_unexpected_end_is_reported_once_with_its_code() -> None:
    parent = Parent()
    await parent.process.start()
    parent.process.send(close("crash"))
    assert await asyncio.wait_for(parent.ended, 10) == 7
    parent.process.send(close("nobody is there any more"))
    await parent.process.stop()


async def test_stop_ends_the_process_without_reporting_it_even_when_it_hangs() -> None:
    parent = Parent()
    await parent.process.start()
    parent.process.send(close("hang"))
    pid = parent.process.pid
    assert pid is not None
    await asyncio.sleep(0.1)
    await asyncio.wait_for(parent.process.stop(), 5)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert not parent.ended.done()


async def test_a_command_that_does_not_exist_raises(tmp_path: Path) -> None:
    process = EngineProcess(lambda _: None, lambda _: None, (str(tmp_path / "none"),))
    with pytest.raises(OSError):
        await process.start()
    await process.stop()
