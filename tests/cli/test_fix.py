"""`check --fix` and `--diff`: what is written, what is only shown, and what is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import Run

SUPPRESSED = "# Tyres\r\n\r\n<!-- evidencedesk: ignore ED108 ED201 -->\r\n\r\nRoad tyres take 7 bar — cold.\r\n"
FIXED = "# Tyres\r\n\r\nRoad tyres take 7 bar — cold.\r\n"


def test_a_diff_shows_what_fixing_changes_and_writes_nothing(kb: Path, run: Run) -> None:
    (kb / "tyres.md").write_bytes(SUPPRESSED.encode())
    done = run("check", "--diff")
    assert done.code == 1
    assert [line for line in done.out.splitlines() if line.startswith(("+", "-"))][2:] == [
        "-<!-- evidencedesk: ignore ED108 ED201 -->",
        "-",
    ]
    assert (kb / "tyres.md").read_bytes() == SUPPRESSED.encode()
    assert "1 file would be fixed" in done.err


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
def test_fixing_keeps_encoding_and_line_ends_and_reports_what_is_left(kb: Path, run: Run, codec: str) -> None:
    (kb / "tyres.md").write_bytes(SUPPRESSED.encode(codec))
    done = run("check", "--fix")
    assert (kb / "tyres.md").read_bytes() == FIXED.encode(codec)
    assert (done.code, "Fixed 1 file." in done.err, "ED902" in done.out) == (0, True, False)
    again = run("check", "--fix")
    assert "nothing to fix" in again.err and run("check", "--diff").code == 0


def test_only_the_named_files_and_rules_are_fixed(kb: Path, run: Run) -> None:
    for name in ("one.md", "two.md"):
        (kb / name).write_bytes(SUPPRESSED.encode())
    run("check", "--fix", "--select", "ED1")
    assert (kb / "one.md").read_bytes() == SUPPRESSED.encode()
    run("check", "one.md", "--fix")
    assert (kb / "one.md").read_bytes() == FIXED.encode()
    assert (kb / "two.md").read_bytes() == SUPPRESSED.encode()


def test_a_file_that_is_partly_no_text_is_left_alone(kb: Path, run: Run) -> None:
    data = SUPPRESSED.encode() + b"\xff\r\n"
    (kb / "tyres.md").write_bytes(data)
    done = run("check", "--fix")
    assert (kb / "tyres.md").read_bytes() == data
    assert "tyres.md was not fixed: it holds bytes that are no text" in done.err
