"""Other processes that take over batches of work. Invariant: they end when they are left, however that happens.

A helper is a Python of its own (`-P`: a folder of the workspace that is named like a module of ours is not imported)
that answers each batch of bytes with a list of records. It sees its input close when this process ends, and ends too.
One that cannot start, dies, or is of another version of this program leaves its batches to this process.
"""

from __future__ import annotations

import os
import queue
import struct
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import IO

_LENGTH = struct.Struct("<Q")
_PIPE_BYTES = 1 << 20
_MAX_BYTES = 1 << 30


class Helpers:
    """Shares the batches of a job between this process and others, which take them from the end."""

    def __init__(
        self,
        module: str,
        count: int,
        *,
        greeting: bytes,
        setup: bytes,
        batches: Sequence[range],
        request: Callable[[range], bytes],
    ) -> None:
        """Start `count` helpers, each `python -m module`: it must send `greeting`, and is sent `setup` first.

        A batch is a range of places in the job; a helper is sent `request(batch)` for it and answers with a record for
        each place.
        """
        self._greeting = greeting
        self._setup = setup
        self._request = request
        self._count = len(batches)
        self._work = deque(batches)
        self._finished: queue.SimpleQueue[tuple[range, list[bytes] | None]] = queue.SimpleQueue()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._threads: list[threading.Thread] = []
        for _ in range(count):
            with suppress(OSError):
                self._start(module)

    def batches(self) -> Iterator[tuple[range, list[bytes] | None]]:
        """Every batch once, with its records, or with None when this process is to do it now."""
        for _ in range(self._count):
            with suppress(queue.Empty):
                yield self._finished.get_nowait()
                continue
            with suppress(IndexError):
                yield self._work.popleft(), None
                continue
            yield self._finished.get()

    def __enter__(self) -> Helpers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes:
            process.kill()
        for thread in self._threads:
            thread.join()
        for process in self._processes:
            process.wait()

    def _start(self, module: str) -> None:
        # A helper's matrix products are small; threads of their own would only get in each other's way.
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        process = subprocess.Popen(
            _command(module),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        self._processes.append(process)
        thread = threading.Thread(target=self._serve, args=(process,), daemon=True)
        self._threads.append(thread)
        thread.start()

    def _serve(self, process: subprocess.Popen[bytes]) -> None:
        """Keep the helper busy: while it works on one batch the next lies ready."""
        assert process.stdin is not None and process.stdout is not None
        waiting: deque[range] = deque()
        try:
            with process.stdin as requests, process.stdout as replies:
                _widen(replies)
                if receive(replies) != self._greeting:
                    return
                send(requests, self._setup)
                while True:
                    with suppress(IndexError):
                        while len(waiting) < 2:
                            waiting.append(self._work.pop())
                            send(requests, self._request(waiting[-1]))
                    if not waiting:
                        return
                    records = receive_list(replies)
                    if records is None or len(records) != len(waiting[0]):
                        return
                    self._finished.put((waiting.popleft(), records))
        except (OSError, ValueError):
            return
        finally:
            for batch in waiting:
                self._finished.put((batch, None))


def serve(greeting: bytes, prepare: Callable[[bytes], Callable[[bytes], Sequence[bytes]]]) -> None:
    """Be a helper on standard input and output: `prepare` is given the setup and returns what answers a batch."""
    requests, replies = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _widen(replies)
    answers: queue.SimpleQueue[Sequence[bytes] | None] = queue.SimpleQueue()
    # Writing has a thread of its own, so that a reader who is busy does not keep us from the next batch.
    writer = threading.Thread(target=_write_all, args=(replies, answers), daemon=True)
    writer.start()
    send(replies, greeting)
    setup = receive(requests)
    if setup is not None:
        answer = prepare(setup)
        while (request := receive(requests)) is not None:
            answers.put(answer(request))
    answers.put(None)
    writer.join()


def _command(module: str) -> list[str]:
    return [sys.executable, "-P", "-m", module]


def send(pipe: IO[bytes], data: bytes) -> None:
    """Write a frame. Raises OSError."""
    pipe.write(_LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes | None:
    """Read a frame; None at the end. Raises OSError."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (size,) = _LENGTH.unpack(head)
    data = pipe.read(size) if size <= _MAX_BYTES else b""
    return data if len(data) == size else None


def receive_list(pipe: IO[bytes]) -> list[bytes] | None:
    """Read a list of frames that `_write_all` wrote; None at the end."""
    count = receive(pipe)
    if count is None:
        return None
    found: list[bytes] = []
    for _ in range(int.from_bytes(count, "little")):
        data = receive(pipe)
        if data is None:
            return None
        found.append(data)
    return found


def _write_all(pipe: IO[bytes], answers: queue.SimpleQueue[Sequence[bytes] | None]) -> None:
    with suppress(OSError):
        while (records := answers.get()) is not None:
            send(pipe, len(records).to_bytes(8, "little"))
            for record in records:
                send(pipe, record)
        return
    # Nobody reads any more.
    os._exit(1)


def _widen(pipe: IO[bytes]) -> None:
    """Let a pipe hold more where the system can: each refill waits for a process that computes."""
    if sys.platform == "linux":
        import fcntl

        with suppress(OSError):
            fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
