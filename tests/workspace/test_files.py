"""Files on disk: what belongs to a workspace, what never does, and what reading does when it cannot."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from evidencedesk.errors import InputError
from evidencedesk.workspace import files
from evidencedesk.workspace.config import Config, parse_config
from evidencedesk.workspace.files import Source, check_root, discover, find_config, kind_of, read_source

LABELS = '[{"id": "q1", "question": "Who?", "gold": []}]'


def write(root: Path, *paths: str) -> None:
    for path in paths:
        put(root, path, "# Page\n")


def put(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")


def config(text: str) -> Config:
    read, defects = parse_config("evidencedesk.toml", text)
    assert defects == ()
    return read


def test_markdown_files_are_documents_and_label_lists_are_label_files(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "a/c.MARKDOWN", "a/d.mdx", "a/e.txt", "a/f.md.bak")
    put(tmp_path, "qa/any.json", LABELS)
    put(tmp_path, "qa/lines.jsonl", LABELS[1:-1])
    put(tmp_path, "qa/package.json", '{"name": "x"}')
    found = discover(tmp_path, Config())
    assert found.documents == ("a/c.MARKDOWN", "a/d.mdx", "b.md")
    assert found.label_files == ("qa/any.json", "qa/lines.jsonl")
    assert found.notes == ()


def test_hidden_folders_hidden_files_and_node_modules_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path, ".git/a.md", "x/.cache/b.md", "x/node_modules/y/c.md", "x/.#page.md", ".evidencedesk/d.md", "ok.md")
    assert discover(tmp_path, Config()).documents == ("ok.md",)
    for path in (".git/a.md", "x/.cache/b.md", "x/node_modules/y/c.md", "x/.#page.md"):
        assert kind_of(tmp_path, Config(), path, "# Page") is None


IGNORES = {
    ".gitignore": (
        "*.tmp.md\n/build/\nlogs/*\n!logs/keep.md\n# note\ndeep/**/gone.md\n!never/\n\\#odd.md\n"
        "stars/**\n!stars/keep.md\n/sp/  \n"
    ),
    "docs/.gitignore": "draft*.md\n!draft-ok.md\n!ok.tmp.md\n",
    "docs/api/.gitignore": "!draft-api.md\n*.mdx\n",
    "all/.gitignore": "*\n!*/\n!yes.md\n",
    "inner/.gitignore": "/sub/*\n!/sub/back\n",
    "foo/.gitignore": "foo/\n!b\n",
}
PAGES = [
    "a.md",
    "a.tmp.md",
    "build/x.md",
    "build/deep/y.md",
    "docs/build/x.md",
    "logs/a.md",
    "logs/keep.md",
    "#odd.md",
    "deep/gone.md",
    "deep/one/two/gone.md",
    "deep/one/here.md",
    "docs/draft-1.md",
    "docs/draft-ok.md",
    "docs/ok.tmp.md",
    "docs/api/draft-api.md",
    "docs/api/draft-2.md",
    "docs/api/p.mdx",
    "all/no.md",
    "all/yes.md",
    "all/sub/yes.md",
    "all/sub/no.md",
    "inner/sub/a.md",
    "inner/sub/back/b.md",
    "stars/a.md",
    "stars/keep.md",
    "stars/s/b.md",
    "sp/x.md",
    "foo/foo/a.md",
    "foo/b/foo.md",
]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is the oracle")
def test_nested_and_negated_ignore_files_mean_what_git_makes_of_them(tmp_path: Path) -> None:
    write(tmp_path, *PAGES)
    for path, text in IGNORES.items():
        put(tmp_path, path, text)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    listed = subprocess.run(
        ["git", "-C", str(tmp_path), "-c", "core.excludesFile=", "ls-files", "-coz", "--exclude-standard"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    kept = tuple(sorted(path for path in listed if path in PAGES))
    assert 0 < len(kept) < len(PAGES)
    assert discover(tmp_path, Config()).documents == kept
    assert tuple(sorted(p for p in PAGES if kind_of(tmp_path, Config(), p, "") == "document")) == kept


def test_ignored_folders_are_not_even_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "build/deep/a.md", "docs/b.md")
    put(tmp_path, ".gitignore", "build/\n")
    listed: list[str] = []
    scandir = os.scandir
    monkeypatch.setattr(files.os, "scandir", lambda path: listed.append(Path(path).name) or scandir(path))
    discover(tmp_path, Config())
    assert listed == [tmp_path.name, "docs"]


def test_an_unreadable_pattern_spoils_no_other(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md")
    put(tmp_path, ".gitignore", "!\nb.md\n")
    assert discover(tmp_path, Config()).documents == ("a.md",)


def test_the_configuration_narrows_the_choice(tmp_path: Path) -> None:
    write(tmp_path, "docs/a.md", "docs/old/b.md", "readme.md")
    put(tmp_path, "qa/set.json", "[]")
    put(tmp_path, "docs/other.json", LABELS)
    narrow = config('[documents]\ninclude = ["docs/**"]\nexclude = ["docs/old/"]\n[labels]\ninclude = ["qa/*.json"]\n')
    found = discover(tmp_path, narrow)
    assert (found.documents, found.label_files) == (("docs/a.md",), ("qa/set.json",))
    kinds = [kind_of(tmp_path, narrow, path, "") for path in ("docs/a.md", "docs/old/b.md", "readme.md", "qa/set.json")]
    assert kinds == ["document", None, None, "labels"]
    assert kind_of(tmp_path, narrow, "docs/other.json", LABELS) is None


def test_symbolic_links_are_not_followed_but_the_root_may_be_one(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    write(outside, "secret.md")
    write(root, "a.md")
    (root / "folder").symlink_to(outside)
    (root / "file.md").symlink_to(outside / "secret.md")
    (root / "loop").symlink_to(root)
    (tmp_path / "link").symlink_to(root)
    real = check_root(tmp_path / "link")
    assert real == root.resolve()
    assert discover(real, Config()).documents == ("a.md",)
    for path in ("folder/secret.md", "file.md", "loop/a.md"):
        assert kind_of(real, Config(), path, "# x") is None
    for path in ("folder/secret.md", "file.md", "../outside/secret.md", str(outside / "secret.md")):
        assert read_source(real, path).error == "the file lies outside the workspace"


def test_reading_keeps_every_character_and_marks_bad_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbf# A\r\nb\xff\r")
    source = read_source(tmp_path.resolve(), "a.md")
    assert source.text == "# A\r\nb\ufffd\r"
    assert [span.of(source.text) for span in source.bad] == ["\ufffd"]
    assert source.error == ""


def test_what_cannot_be_read_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path.resolve()
    assert read_source(root, "gone.md") == Source("gone.md", "", error="the file is no longer there")
    (root / "folder.md").mkdir()
    os.mkfifo(root / "pipe.md")
    assert read_source(root, "folder.md").error == "this is not a regular file"
    assert read_source(root, "pipe.md").error == "this is not a regular file"
    assert read_source(root, "a\0.md").error.startswith("the file could not be read")
    with (root / "big.md").open("wb") as file:
        file.truncate(files.MAX_BYTES + 1_000_000)
    assert read_source(root, "big.md").error == "the file has 21 MB; files over 20 MB are not read"

    def denied(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    write(root, "a.md")
    monkeypatch.setattr(Path, "read_bytes", denied)
    assert read_source(root, "a.md").error == "there is no permission to read the file"


def test_what_cannot_be_looked_at_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a.md", "closed/b.md")
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("# x")
    scandir = os.scandir

    def guarded(path: Path) -> object:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(files.os, "scandir", guarded)
    found = discover(tmp_path, Config())
    assert found.documents == ("a.md",)
    assert found.notes == (
        "The folder closed/ could not be read (Permission denied).",
        "caf\ufffd.md was passed over: its name is not valid UTF-8.",
    )


def test_a_home_directory_a_drive_and_a_missing_folder_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "people" / "ann"
    home.mkdir(parents=True)
    write(home, "notes/a.md")
    monkeypatch.setattr(Path, "home", lambda: home)
    for refused in (home, home.parent, Path(home.anchor), tmp_path / "gone", home / "notes" / "a.md"):
        with pytest.raises(InputError):
            check_root(refused)
    assert check_root(home / "notes") == (home / "notes").resolve()


def test_the_first_file_that_configures_wins(tmp_path: Path) -> None:
    assert find_config(tmp_path) is None
    put(tmp_path, "pyproject.toml", "[project]\n")
    assert find_config(tmp_path) is None
    put(tmp_path, "pyproject.toml", "[tool.evidencedesk]\n")
    assert find_config(tmp_path) == Source("pyproject.toml", "[tool.evidencedesk]\n")
    put(tmp_path, "evidencedesk.toml", "")
    assert find_config(tmp_path) == Source("evidencedesk.toml", "")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("evidencedesk.toml", "config"),
        ("pyproject.toml", "config"),
        ("sub/pyproject.toml", None),
        (".evidencedesk/baseline.json", "baseline"),
        (".gitignore", "ignore"),
        ("docs/.gitignore", "ignore"),
        ("node_modules/x/.gitignore", None),
        ("new/page.md", "document"),
        ("new/labels.json", "labels"),
        ("image.png", None),
    ],
)
def test_a_single_file_is_placed_without_being_on_disk(tmp_path: Path, path: str, kind: str | None) -> None:
    assert kind_of(tmp_path, Config(), path, LABELS) == kind
