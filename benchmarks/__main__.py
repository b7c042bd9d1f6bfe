"""Lists the benchmarks. Invariant: each is run as `python -m benchmarks.NAME`."""

from __future__ import annotations

import ast
from pathlib import Path

NAMES = ("save", "cold", "warm", "query", "memory", "server", "embed")


def main() -> None:
    """Print each benchmark with the first line of its description."""
    for name in NAMES:
        described = ast.get_docstring(ast.parse((Path(__file__).parent / f"{name}.py").read_bytes())) or ""
        print(f"python -m benchmarks.{name:8}{described.splitlines()[0]}")


if __name__ == "__main__":
    main()
