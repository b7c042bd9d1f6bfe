"""The engine's child process, seen from the loop. Invariant: it ends when the server does."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

from evidencedesk_server.messages import LENGTH_BYTES, Reply, Request, length_of, pack, unpack

# Like the server itself: -P keeps a folder named evidencedesk_server in the workspace from being imported.
COMMAND = (sys.executable, "-P", "-m", "evidencedesk_server.worker")
_END_SECONDS = 1.0


class EngineProcess:
    """Starts the process, passes requests to it in order and its replies to `receive`.

    `ended` is called with the exit code when the process ends without being asked to. The child sees its input close
    when this process dies, however that happens, and ends too.
    """

    def __init__(
        self, receive: Callable[[Reply], None], ended: Callable[[int], None], command: Sequence[str] = COMMAND
    ) -> None:
        self._receive = receive
        self._ended = ended
        self._command = command
        self._process: asyncio.subprocess.Process | None = None
        self._starting: asyncio.Future[asyncio.subprocess.Process] | None = None
        self._reading: asyncio.Task[None] | None = None
        self._waiting: list[bytes] = []
        self._stopping = False

    @property
    def pid(self) -> int | None:
        """The process id while it runs."""
        return self._process.pid if self._process is not None else None

    async def start(self) -> None:
        """Start the process; requests sent before are delivered now. Raises OSError when it cannot be started."""
        self._starting = asyncio.ensure_future(
            asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                # The products of a save or a search are small: a second thread only waits, at the cost of the first.
                env={"OPENBLAS_NUM_THREADS": "1", **os.environ},
            )
        )
        process = await asyncio.shield(self._starting)
        if self._stopping:
            return
        self._process = process
        waiting, self._waiting = self._waiting, []
        for data in waiting:
            self._write(data)
        self._reading = asyncio.ensure_future(self._read(process))

    def send(self, request: Request) -> None:
        """Pass a request on; returns at once."""
        self._write(pack(request))

    async def stop(self) -> None:
        """End the process: its input closes, and if that is not enough within a second, it is killed."""
        self._stopping = True
        process, self._process = self._process, None
        if self._starting is None:
            return
        if process is None:
            # A start that is under way is waited for: a process that nobody knows would outlive us.
            try:
                process = await asyncio.shield(self._starting)
            except OSError:
                return
        if process.stdin is not None:
            process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), _END_SECONDS)
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    def _write(self, data: bytes) -> None:
        if self._process is None or self._process.stdin is None:
            self._waiting.append(data)
            return
        with suppress(ConnectionError):
            self._process.stdin.write(data)

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        try:
            while True:
                length = length_of(await process.stdout.readexactly(LENGTH_BYTES))
                self._receive(unpack(await process.stdout.readexactly(length)))
        except asyncio.IncompleteReadError:
            code = await process.wait()
        if not self._stopping:
            self._process = None
            self._waiting.clear()
            self._ended(code)
