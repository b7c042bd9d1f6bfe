"""What Linux tells of a process. Invariant: of a process that is gone it tells nothing, which counts as 0."""

from __future__ import annotations

import os
from pathlib import Path


def memory_mb(pid: int | str = "self") -> tuple[float, float]:
    """Resident memory now and at its peak, in megabytes (10^6 bytes)."""
    status = _fields(pid, "status")
    return _number(status, "VmRSS") * 1024 / 1e6, _number(status, "VmHWM") * 1024 / 1e6


def cpu_seconds_of(pid: int) -> float:
    """CPU time so far, of all threads."""
    fields = _read(pid, "stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def written_bytes(pid: int) -> int:
    """Bytes written so far, to pipes and files."""
    return _number(_fields(pid, "io"), "wchar")


def children(pid: int) -> list[int]:
    """The processes that it has started and that still run."""
    return [int(child) for child in _read(pid, f"task/{pid}/children").split()]


def _fields(pid: int | str, name: str) -> dict[str, str]:
    lines = (line.partition(":") for line in _read(pid, name).splitlines())
    return {key: value for key, _, value in lines}


def _number(fields: dict[str, str], key: str) -> int:
    return int(fields.get(key, "0").split()[0])


def _read(pid: int | str, name: str) -> str:
    try:
        return Path(f"/proc/{pid}/{name}").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
