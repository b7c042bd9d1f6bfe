"""A process that reads documents for another one. Invariant: it reads no file and writes none; see `sharing`."""

from __future__ import annotations

import signal
from collections.abc import Callable

from evidencedesk.workspace.cache import program_hash
from evidencedesk.workspace.config import Config
from evidencedesk.workspace.reading import SOURCES, read_in_full, to_record
from evidencedesk.workspace.sharing import serve


def main() -> None:
    """Serve until the input ends."""
    # Ctrl-C in a terminal reaches the whole group; whoever started us decides when we end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve(program_hash().encode(), _prepare)


def _prepare(setup: bytes) -> Callable[[bytes], list[bytes]]:
    config = Config.model_validate_json(setup)

    def answer(request: bytes) -> list[bytes]:
        sources = SOURCES.decode(request)
        return [to_record(read_in_full(source, config), source) for source in sources]

    return answer


if __name__ == "__main__":
    main()
