"""The project's own shape: import contracts, types, lint, sizes and docstrings hold."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted(
    path
    for folder in ("evidencedesk", "server/evidencedesk_server")
    for path in (ROOT / folder).rglob("*.py")
    if "__pycache__" not in path.parts
)


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True)


def test_imports_point_down_and_contracts_hold() -> None:
    done = run("-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache")
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 broken" in done.stdout


def test_types_check_strictly() -> None:
    done = run("-m", "mypy")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("command", [("check", "."), ("format", "--check", ".")], ids=["lint", "format"])
def test_ruff_finds_nothing(command: tuple[str, ...]) -> None:
    done = run("-m", "ruff", *command)
    assert done.returncode == 0, done.stdout


def test_no_module_is_longer_than_400_lines_and_no_rule_than_150() -> None:
    long = []
    for path in MODULES:
        lines = path.read_text(encoding="utf-8").count("\n")
        if lines > (150 if path.parent.name == "rules" and path.name != "__init__.py" else 400):
            long.append(f"{path.relative_to(ROOT)}: {lines}")
    assert long == []


def test_every_module_says_in_a_docstring_what_lives_there() -> None:
    silent = [str(path.relative_to(ROOT)) for path in MODULES if not ast.get_docstring(ast.parse(path.read_bytes()))]
    assert silent == []


def test_there_is_no_utils_module() -> None:
    assert [path for path in MODULES if path.stem in ("utils", "util", "helpers", "common", "misc")] == []
