"""Starts the server: over stdio, or with `--tcp PORT` for debugging. Invariant: launched with -P.

Without it a folder of the workspace named like one of our packages would run instead of it.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from typing import BinaryIO

from evidencedesk_server.server import create_server, serve
from evidencedesk_server.transport import ThreadWriter, own_stdout, stdin_reader


def main() -> None:
    """The command `evidencedesk-server`."""
    parser = argparse.ArgumentParser(prog="evidencedesk-server", description="Language server of EvidenceDesk")
    parser.add_argument("--tcp", type=int, metavar="PORT", help="serve one client on 127.0.0.1 instead of stdio")
    parser.add_argument("--stdio", action="store_true", help="serve on standard input and output (the default)")
    parser.add_argument("--verbose", action="store_true", help="log what happens to standard error")
    arguments = parser.parse_args()
    logging.basicConfig(
        level=logging.INFO if arguments.verbose else logging.WARNING,
        format="%(asctime)s %(name)s: %(message)s",
        stream=sys.stderr,
    )
    if arguments.tcp is None:
        sys.exit(asyncio.run(_stdio(own_stdout())))
    sys.exit(asyncio.run(_tcp(arguments.tcp)))


async def _stdio(stdout: BinaryIO) -> int:
    desk = create_server()
    writer = ThreadWriter(stdout)
    desk.protocol.set_writer(writer)
    try:
        return await serve(desk, stdin_reader(sys.stdin.buffer))
    finally:
        writer.close()


async def _tcp(port: int) -> int:
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        listening.close()
        desk = create_server()
        desk.protocol.set_writer(writer)
        code = await serve(desk, reader)
        writer.close()
        if not ended.done():
            ended.set_result(code)

    listening = await asyncio.start_server(connected, "127.0.0.1", port)
    logging.getLogger(__name__).warning("listening on 127.0.0.1:%d", listening.sockets[0].getsockname()[1])
    return await ended


if __name__ == "__main__":
    main()
