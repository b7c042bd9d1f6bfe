"""Framing and the standard streams."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evidencedesk_server.transport import ThreadWriter, read_bodies, stdin_reader


def frame(body: bytes, header: bytes = b"Content-Length: %d\r\n\r\n") -> bytes:
    return header % len(body) + body


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("stream", "bodies"),
    [
        (frame(b"{}") + frame(b'{"a":1}'), [b"{}", b'{"a":1}']),
        (
            frame(b"{}", b"content-length:%d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n"),
            [b"{}"],
        ),
        (frame(b"{}", b"Content-Type: x\r\nContent-Length: %d\r\n\r\n"), [b"{}"]),
        (b"stray line\r\n" + frame(b"{}"), [b"{}"]),
        (frame("é😀".encode()), ["é😀".encode()]),
        (frame(b"{}") + b"Content-Length: 100\r\n\r\nshort", [b"{}"]),
        (b"", []),
    ],
)
async def test_bodies_are_cut_by_their_length(stream: bytes, bodies: list[bytes]) -> None:
    reader = asyncio.StreamReader()
    reader.feed_data(stream)
    reader.feed_eof()
    received: list[bytes] = []
    await read_bodies(reader, received.append)
    assert received == bodies


@pytest.mark.asyncio
async def test_stdin_reader_ends_when_the_pipe_closes() -> None:
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as stdin:
        reader = stdin_reader(stdin)
        os.write(write_end, frame(b"{}"))
        os.close(write_end)
        received: list[bytes] = []
        await asyncio.wait_for(read_bodies(reader, received.append), 5)
    assert received == [b"{}"]


@pytest.mark.asyncio
async def test_a_reader_at_the_other_end_that_does_not_read_never_blocks_the_writer() -> None:
    read_end, write_end = os.pipe()
    writer = ThreadWriter(os.fdopen(write_end, "wb"))
    data = b"x" * 1_000_000
    writer.write(data)
    received = b""
    while len(received) < len(data):
        received += os.read(read_end, 1 << 20)
    writer.close()
    os.close(read_end)
    assert received == data


def test_stray_prints_do_not_reach_the_protocol(tmp_path: Path) -> None:
    script = (
        "import os, subprocess, sys\n"
        "from evidencedesk_server.transport import own_stdout\n"
        "out = own_stdout()\n"
        "print('stray'); os.write(1, b'raw'); subprocess.run([sys.executable, '-c', 'print(1)'])\n"
        "out.write(b'protocol'); out.flush()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout == b"protocol"
    assert b"stray" in done.stderr
    assert b"raw" in done.stderr
