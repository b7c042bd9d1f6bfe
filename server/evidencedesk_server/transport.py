"""The client's byte stream: framing, stdio, TCP. Invariant: nothing but protocol messages reaches the client.

pygls's own stdio loop reads through the pool that runs handlers and waits for it on exit; here reading and writing have
a thread each, so a busy handler, a slow reader at the other end or a closed pipe never holds the event loop.
"""

from __future__ import annotations

import asyncio
import os
import queue
import re
import sys
import threading
from collections.abc import Callable
from typing import BinaryIO

_CONTENT_LENGTH = re.compile(rb"content-length\s*:\s*(\d+)\s*", re.IGNORECASE)
_FLUSH_SECONDS = 2.0


async def read_bodies(reader: asyncio.StreamReader, receive: Callable[[bytes], None]) -> None:
    """Call `receive` with the body of each message until the stream ends; header lines we do not know are skipped."""
    length: int | None = None
    while line := await reader.readline():
        if match := _CONTENT_LENGTH.fullmatch(line.rstrip(b"\r\n")):
            length = int(match[1])
        elif not line.strip() and length is not None:
            try:
                body = await reader.readexactly(length)
            except asyncio.IncompleteReadError:
                return
            length = None
            receive(body)


def stdin_reader(stdin: BinaryIO) -> asyncio.StreamReader:
    """A stream fed from a blocking file by a thread of its own."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=2**31)

    def feed() -> None:
        try:
            while data := os.read(stdin.fileno(), 1 << 16):
                loop.call_soon_threadsafe(reader.feed_data, data)
            loop.call_soon_threadsafe(reader.feed_eof)
        except (OSError, RuntimeError):
            # The loop is closed, or the pipe broke: either way nobody waits for more.
            return

    threading.Thread(target=feed, name="stdin", daemon=True).start()
    return reader


class ThreadWriter:
    """Writes to a blocking file from a thread, in order; `close` waits a moment for what is still queued."""

    def __init__(self, stdout: BinaryIO) -> None:
        self._stdout = stdout
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._drain, name="stdout", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Queue the bytes; never blocks."""
        self._queue.put(data)

    def close(self) -> None:
        """End after what is queued."""
        self._queue.put(None)
        self._thread.join(_FLUSH_SECONDS)

    def _drain(self) -> None:
        while (data := self._queue.get()) is not None:
            try:
                self._stdout.write(data)
                self._stdout.flush()
            except (OSError, ValueError):
                return


def own_stdout() -> BinaryIO:
    """The real standard output, for the protocol alone; whatever else prints goes to standard error from now on."""
    sys.stdout.flush()
    private = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    sys.stdout = sys.stderr
    return private
