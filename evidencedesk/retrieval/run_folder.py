"""JSON lines that outlive a kill. Invariant: no whole line is ever lost, and none is joined to a torn one.

The only module of the pure core that writes files: a series of run records is kept as it comes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evidencedesk.errors import InputError

ASIDE = ".torn"
"""Ending of the file that keeps half-written lines found at the end of another."""

Place = str | Path


class RunFolder:
    """The folder of a series: its run records, and what the last series was. Raises InputError as RunLog does."""

    RUNS = "retrieval_runs.jsonl"
    SELECTED = "R3_selected_result_ids.json"
    SUMMARY = "R3_summary.json"

    def __init__(self, folder: Place) -> None:
        self.folder = Path(folder)
        self.log = RunLog(self.folder / self.RUNS)

    def finish(self, result_ids: list[str], summary: Mapping[str, Any]) -> None:
        """Write which records belong to the series that ends, and its counts."""
        _write_json(self.folder / self.SELECTED, result_ids)
        _write_json(self.folder / self.SUMMARY, summary)


class RunLog:
    """A file of JSON objects, one a line, that is appended to.

    A last line that a kill left half-written is moved to `<file>.torn`, and `note` says so. Raises InputError when
    the file cannot be read or written.
    """

    def __init__(self, path: Place) -> None:
        self.path = Path(path)
        self.note = ""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.is_file():
                self._mend()
        except OSError as error:
            raise _cannot(self.path, error) from error

    def append(self, row: Mapping[str, Any]) -> None:
        """Write one line, and see it to the disk before returning."""
        try:
            with self.path.open("ab") as file:
                file.write(json_line(row))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise _cannot(self.path, error) from error

    def rows(self) -> Iterator[dict[str, Any]]:
        """The objects written so far; a line that is none is passed over."""
        try:
            lines = self.path.read_bytes().splitlines() if self.path.is_file() else []
        except OSError as error:
            raise _cannot(self.path, error) from error
        for line in lines:
            row = _object(line)
            if row is not None:
                yield row

    def _mend(self) -> None:
        data = self.path.read_bytes()
        whole, newline, rest = data.rpartition(b"\n")
        if not rest.strip():
            return
        if _object(rest) is not None:
            # Only the line's end is missing.
            with self.path.open("ab") as file:
                file.write(b"\n")
            return
        aside = self.path.with_name(self.path.name + ASIDE)
        with aside.open("ab") as file:
            file.write(rest + b"\n")
            file.flush()
            os.fsync(file.fileno())
        with self.path.open("r+b") as file:
            file.truncate(len(whole + newline))
        self.note = (
            f"{self.path} ended in a half-written line ({len(rest)} bytes); it was moved to {aside.name}, and the "
            "series goes on after the line before it."
        )


def _write_json(path: Path, value: object) -> None:
    half_written = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        half_written.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
        half_written.replace(path)
    except OSError as error:
        raise _cannot(path, error) from error


def json_line(row: Mapping[str, Any]) -> bytes:
    """One JSON object and a line end, in UTF-8; in ASCII when some text is not valid Unicode."""
    try:
        return (json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n").encode()
    except UnicodeEncodeError:
        return (json.dumps(row, allow_nan=False) + "\n").encode()


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _cannot(path: Path, error: OSError) -> InputError:
    return InputError(f"{path} cannot be used for run records ({error.strerror or error}).")
