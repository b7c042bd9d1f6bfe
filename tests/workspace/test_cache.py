"""A cache gives back what was put, or nothing, whatever happens to its files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.workspace import cache as cache_module
from evidencedesk.workspace.cache import CACHE_PATH, Cache, clear, key_of, places, usage
from evidencedesk.workspace.packs import PackWriter
from evidencedesk.workspace.settings import CacheSettings

LIMIT = 1_000_000


@pytest.fixture(autouse=True)
def user_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("user")
    monkeypatch.setattr(cache_module, "_user_folder", lambda: folder / "evidencedesk")
    return folder


def opened(root: Path, limit: int = LIMIT) -> Cache:
    """With a limit in bytes."""
    return Cache(next(folder for folder in places(root) if cache_module._make(folder)), limit)


def key(number: int) -> bytes:
    return key_of("test", str(number))


def record(number: int, size: int = 100) -> bytes:
    return f"record {number} ".encode() * (size // 10)


def filled(root: Path, numbers: range, size: int = 100) -> Cache:
    cache = opened(root)
    for number in numbers:
        cache.put(key(number), record(number, size))
    cache.flush()
    return cache


def held(cache: Cache, numbers: range, size: int = 100) -> list[int]:
    """Which of the records are there; each is what it was."""
    there = []
    for number in numbers:
        found = cache.get(key(number))
        if found is not None:
            assert bytes(found) == record(number, size)
            there.append(number)
    return there


def packs(root: Path) -> list[Path]:
    return sorted((root / CACHE_PATH).glob("*.pack"))


def test_what_was_put_is_found_by_the_next_process(tmp_path: Path) -> None:
    filled(tmp_path, range(5))
    cache = opened(tmp_path)
    assert held(cache, range(7)) == [0, 1, 2, 3, 4]
    assert cache.notes == []
    assert (tmp_path / CACHE_PATH / ".gitignore").read_text().splitlines()[-1] == "*"


def test_what_was_not_flushed_leaves_nothing(tmp_path: Path) -> None:
    cache = opened(tmp_path)
    cache.put(key(1), b"1")
    cache.close()
    assert held(opened(tmp_path), range(3)) == []
    assert sorted(path.name for path in (tmp_path / CACHE_PATH).iterdir()) == [".gitignore", "CACHEDIR.TAG"]


def test_another_version_of_the_program_does_not_read_it_and_leaves_it_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path, range(3))
    monkeypatch.setattr(cache_module, "program_hash", lambda: "f" * 32)
    assert held(opened(tmp_path), range(3)) == []
    assert [(one.packs, one.others) for one in usage(tmp_path)] == [(0, 1)]
    filled(tmp_path, range(3))
    monkeypatch.undo()
    assert len(packs(tmp_path)) == 2
    assert held(opened(tmp_path), range(3)) == [0, 1, 2]


DAMAGE = st.one_of(
    st.tuples(st.just("cut"), st.floats(0, 1), st.integers(0, 7)),
    st.tuples(st.just("flip"), st.floats(0, 1), st.integers(0, 7)),
    st.tuples(st.just("overwrite"), st.floats(0, 1), st.integers(0, 7)),
)


@given(st.lists(DAMAGE, min_size=1, max_size=3))
def test_damaged_files_lose_records_and_never_change_one(
    tmp_path_factory: pytest.TempPathFactory, damages: list[tuple[str, float, int]]
) -> None:
    root = tmp_path_factory.mktemp("root")
    filled(root, range(4), 40)
    for kind, where, bit in damages:
        (pack,) = packs(root)
        data = bytearray(pack.read_bytes())
        place = int(where * max(len(data) - 1, 0))
        if kind == "cut":
            del data[place:]
        elif kind == "flip" and data:
            data[place] ^= 1 << bit
        else:
            data[place : place + 16] = b"something else!!"
        pack.write_bytes(data)
    cache = opened(root)
    if held(cache, range(4), 40) != [0, 1, 2, 3]:
        assert len(cache.notes) == 1 and "damaged" in cache.notes[0]
        for number in range(4):
            cache.put(key(number), record(number, 40))
        cache.flush()
        again = opened(root)
        assert held(again, range(4), 40) == [0, 1, 2, 3]
        assert again.notes == []


@pytest.mark.parametrize("content", [b"", b"x", os.urandom(5000), b"EvidenceDesk-1\r\n" * 40])
def test_a_foreign_file_among_the_packs_is_replaced_with_a_notice(tmp_path: Path, content: bytes) -> None:
    filled(tmp_path, range(2))
    packs(tmp_path)[0].write_bytes(content)
    cache = opened(tmp_path)
    assert held(cache, range(2)) == []
    assert len(cache.notes) == 1
    assert packs(tmp_path) == []


def test_the_packs_that_were_not_used_for_longest_go_when_the_limit_is_reached(tmp_path: Path) -> None:
    for number in range(4):
        cache = filled(tmp_path, range(number, number + 1), 50_000)
        (new,) = set(packs(tmp_path)) - {path for path in packs(tmp_path) if path.stat().st_mtime < 1_000_000}
        os.utime(new, (number, number))
    cache = opened(tmp_path, 170_000)
    assert held(cache, range(1), 50_000) == [0]
    cache.put(key(9), record(9, 50_000))
    cache.flush()
    assert held(opened(tmp_path), range(10), 50_000) == [0, 3, 9]


def test_a_cache_that_cannot_hold_what_is_used_says_so(tmp_path: Path) -> None:
    cache = opened(tmp_path, 1000)
    cache.put(key(1), record(1, 5000))
    cache.flush()
    assert packs(tmp_path) == []
    assert "limit" in cache.notes[0]


def test_many_small_packs_become_one_that_holds_what_is_used(tmp_path: Path) -> None:
    for number in range(9):
        filled(tmp_path, range(number, number + 1))
    cache = opened(tmp_path)
    assert held(cache, range(1, 9)) == list(range(1, 9))
    cache.put(key(9), record(9))
    cache.flush()
    assert len(packs(tmp_path)) == 2
    assert held(cache, range(1, 10)) == list(range(1, 10))
    assert held(opened(tmp_path), range(10)) == list(range(10))


def test_a_folder_that_cannot_be_written_has_its_cache_among_the_users_own(tmp_path: Path, user_folder: Path) -> None:
    (tmp_path / ".evidencedesk").write_text("a file")
    cache = filled(tmp_path, range(2))
    assert cache.folder.is_relative_to(user_folder)
    assert held(opened(tmp_path), range(2)) == [0, 1]
    other = tmp_path / "other"
    other.mkdir()
    (other / ".evidencedesk").write_text("a file")
    assert held(opened(other), range(2)) == []


def test_there_is_no_cache_where_nothing_can_be_written(tmp_path: Path, user_folder: Path) -> None:
    (tmp_path / ".evidencedesk").write_text("a file")
    (user_folder / "evidencedesk").write_text("a file")
    assert Cache.of(tmp_path, CacheSettings()) is None


@pytest.mark.parametrize("linked", [".evidencedesk", CACHE_PATH])
def test_no_link_is_followed_out_of_the_workspace(
    tmp_path_factory: pytest.TempPathFactory, linked: str, user_folder: Path
) -> None:
    root, outside = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("outside")
    (root / linked).parent.mkdir(exist_ok=True)
    (root / linked).symlink_to(outside, target_is_directory=True)
    cache = filled(root, range(1))
    assert cache.folder.is_relative_to(user_folder)
    assert list(outside.iterdir()) == []
    clear(root)
    assert outside.is_dir()


def test_a_linked_pack_is_not_read(tmp_path_factory: pytest.TempPathFactory) -> None:
    root, outside = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("outside")
    filled(root, range(1))
    (pack,) = packs(root)
    pack.rename(outside / pack.name)
    pack.symlink_to(outside / pack.name)
    assert held(opened(root), range(1)) == []
    assert (outside / pack.name).exists()


def test_a_full_disk_costs_the_cache_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: PackWriter, *given: Any) -> None:
        raise OSError(28, "No space left on device")

    cache = opened(tmp_path)
    cache.put(key(0), record(0))
    monkeypatch.setattr(PackWriter, "add", full)
    cache.put(key(1), record(1))
    cache.put(key(2), record(2))
    monkeypatch.undo()
    cache.flush()
    assert len(cache.notes) == 1 and "No space left" in cache.notes[0]
    assert held(opened(tmp_path), range(3)) == []
    assert list((tmp_path / CACHE_PATH).glob("*.tmp")) == []


def test_what_a_killed_process_left_is_removed_when_it_is_old(tmp_path: Path) -> None:
    cache = opened(tmp_path)
    old, new = tmp_path / CACHE_PATH / "a.tmp", tmp_path / CACHE_PATH / "b.tmp"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    cache.flush()
    assert not old.exists() and new.exists()


def test_clearing_leaves_the_baseline(tmp_path: Path) -> None:
    filled(tmp_path, range(2))
    (tmp_path / ".evidencedesk/baseline.json").write_text("{}")
    (one,) = clear(tmp_path)
    assert one.folder == tmp_path / CACHE_PATH and one.packs == 1 and one.size > 0
    assert [path.name for path in (tmp_path / ".evidencedesk").iterdir()] == ["baseline.json"]
    assert clear(tmp_path) == []


def test_clearing_leaves_no_empty_folder(tmp_path: Path) -> None:
    filled(tmp_path, range(2))
    clear(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_made_where_no_cache_is_wanted(tmp_path: Path) -> None:
    assert Cache.of(tmp_path, CacheSettings(enabled=False)) is None
    assert list(tmp_path.iterdir()) == []


def test_two_places_never_share_a_folder(tmp_path: Path) -> None:
    first, second = tmp_path / "a" / "docs", tmp_path / "b" / "docs"
    assert places(first)[1] != places(second)[1]


WRITER = """
import sys
from pathlib import Path
from evidencedesk.workspace.cache import CACHE_PATH, Cache, key_of

root, turns, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
wrong = found_count = 0
for turn in range(turns):
    cache = Cache(root / CACHE_PATH, 200_000)
    for number in range(40):
        key, record = key_of("test", str(number)), f"record {number} ".encode() * 100
        found = cache.get(key)
        if found is not None:
            found_count += 1
            wrong += bytes(found) != record
        elif (number + turn + seed) % 3:
            cache.put(key, record)
    cache.flush()
    wrong += len(cache.notes)
print(wrong, found_count)
"""


def test_processes_share_a_cache_at_the_same_time(tmp_path: Path) -> None:
    opened(tmp_path)
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), "40", str(seed)], stdout=subprocess.PIPE, text=True
        )
        for seed in range(3)
    ]
    results = [run.communicate()[0].split() for run in runs]
    assert [wrong for wrong, _ in results] == ["0", "0", "0"]
    assert all(int(found) > 0 for _, found in results)
    assert list((tmp_path / CACHE_PATH).glob("*.tmp")) == []
    assert sum(path.stat().st_size for path in packs(tmp_path)) <= 200_000
