"""The cache as a user of the command line meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import Run, Write
from evidencedesk.workspace import cache as cache_module
from evidencedesk.workspace import reading

CACHE = Path(".evidencedesk/cache")


@pytest.fixture(autouse=True)
def every_folder_is_large(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    user = tmp_path_factory.mktemp("user")
    monkeypatch.setattr(reading, "REMEMBER_FROM", 1)
    monkeypatch.setattr(cache_module, "_user_folder", lambda: user / "evidencedesk")
    monkeypatch.delenv("EVIDENCEDESK_NO_CACHE", raising=False)


def packs(kb: Path) -> list[Path]:
    return sorted((kb / CACHE).glob("*.pack"))


def test_a_check_keeps_what_it_read_and_the_next_says_the_same(run: Run, kb: Path) -> None:
    cold = run("check", kb, "--format", "json")
    kept = packs(kb)
    assert kept
    warm = run("check", kb, "--format", "json")
    assert warm == cold
    assert packs(kb) == kept
    assert run("check", kb, "--format", "json", "--no-cache") == cold


def test_git_does_not_see_the_cache(run: Run, kb: Path) -> None:
    run("check", kb)
    assert (kb / CACHE / ".gitignore").read_text().splitlines()[-1] == "*"


@pytest.mark.parametrize("command", [["check"], ["eval"], ["search", "refund", "--path"]])
def test_nothing_is_kept_with_no_cache(run: Run, kb: Path, command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(*command, kb, "--no-cache").code == 0
    monkeypatch.setenv("EVIDENCEDESK_NO_CACHE", "1")
    assert run(*command, kb).code == 0
    assert not (kb / ".evidencedesk").exists()
    monkeypatch.delenv("EVIDENCEDESK_NO_CACHE")
    assert run(*command, kb).code == 0
    assert packs(kb)


def test_nothing_is_kept_where_the_configuration_says_so(run: Run, kb: Path) -> None:
    config = kb / "evidencedesk.toml"
    config.write_text(config.read_text() + "[cache]\nenabled = false\n")
    assert run("check", kb).code == 0
    assert not (kb / ".evidencedesk").exists()


def test_a_small_folder_is_left_as_it_is(run: Run, kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert run("check", kb).code == 0
    assert not (kb / ".evidencedesk").exists()


def test_a_damaged_cache_is_told_on_one_line_and_changes_nothing(run: Run, kb: Path) -> None:
    cold = run("check", kb, "--format", "json")
    for pack in packs(kb):
        pack.write_bytes(pack.read_bytes()[:-100])
    again = run("check", kb, "--format", "json")
    assert again.out == cold.out and again.code == cold.code
    (line,) = again.err.splitlines()
    assert "cache" in line and "damaged" in line
    assert run("check", kb, "--format", "json") == cold


def test_changed_pages_and_settings_are_seen(run: Run, kb: Path) -> None:
    run("check", kb)
    guide = kb / "guide.md"
    guide.write_text(guide.read_text().replace("within 5 business days", "soon"))
    changed = run("check", kb, "--format", "json")
    assert "ED705" in changed.out
    assert changed == run("check", kb, "--format", "json", "--no-cache")
    (kb / "evidencedesk.toml").write_text('[documents.fields]\nid_field = "title"\n')
    assert run("check", kb, "--format", "json") == run("check", kb, "--format", "json", "--no-cache")


def test_cache_info_and_clear(run: Run, kb: Path) -> None:
    assert "There is no cache" in run("cache", "info", kb).err
    run("check", kb)
    (line,) = run("cache", "info", kb).out.splitlines()
    assert line.startswith(str(kb / CACHE)) and line.endswith("in 3 files")
    (removed,) = run("cache", "clear", kb).err.splitlines()
    assert removed.startswith(f"Removed {kb / CACHE}")
    assert not (kb / ".evidencedesk").exists()
    assert "There is no cache" in run("cache", "clear", kb).err


def test_the_cache_of_a_folder_that_does_not_exist(run: Run, write: Write) -> None:
    root = write({})
    assert run("cache", "clear", root / "nowhere").code == 2
