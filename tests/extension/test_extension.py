"""The VS Code extension builds from its lock file and carries what it needs."""

import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "vscode-extension"


@pytest.fixture(scope="module")
def vsix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packaged extension, built from a copy so that the checkout stays clean."""
    folder = tmp_path_factory.mktemp("extension") / "vscode-extension"
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("node_modules", "out", "*.vsix"))
    for command in (["npm", "ci", "--no-audit", "--no-fund"], ["npm", "run", "build"], ["npm", "run", "package"]):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return folder / "evidencedesk.vsix"


def test_packaging_makes_a_vsix_with_the_bundle_and_the_manifest(vsix: Path) -> None:
    with zipfile.ZipFile(vsix) as archive:
        names = set(archive.namelist())
        manifest = json.loads(archive.read("extension/package.json"))
        bundle = archive.read("extension/out/extension.js").decode()
    assert {name for name in names if name.startswith("extension/")} == {
        "extension/package.json",
        "extension/queries.json",
        "extension/readme.md",
        "extension/LICENSE.txt",
        "extension/out/extension.js",
    }
    assert manifest["main"] == "./out/extension.js"
    assert '"-P", "-m", "evidencedesk_server"' in bundle


def test_no_typescript_names_a_rule() -> None:
    assert [path.name for path in (SOURCE / "src").glob("*.ts") if re.search(r"\bED\d", path.read_text())] == []
