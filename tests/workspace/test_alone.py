"""What a file's problems are before its folder is read."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from evidencedesk.rule import Problem, Rule
from evidencedesk.rules import RULES
from evidencedesk.samples import KESTREL, PLOTVA
from evidencedesk.workspace import Workspace
from evidencedesk.workspace.alone import Kind, config_of, problems_alone
from evidencedesk.workspace.config import Config
from evidencedesk.workspace.files import Source, read_source
from rules.examples import example_files, write

TODAY = date(2026, 1, 1)


def key(problem: Problem) -> tuple[object, ...]:
    return problem.path, problem.code, problem.span, problem.message, problem.severity, problem.related


def alone(root: Path, workspace: Workspace) -> list[Problem]:
    facts, config = workspace.snapshot.facts, config_of(workspace.root, Config())
    kinds: dict[Kind, object] = {"document": facts.documents, "labels": facts.label_files, "runs": facts.run_files}
    return [
        problem
        for kind, paths in kinds.items()
        for path in paths  # type: ignore[attr-defined]
        for problem in problems_alone(read_source(workspace.root, path), kind, config, TODAY)
    ]


@pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.name) for rule in RULES])
def test_what_is_said_of_a_file_alone_is_said_of_it_in_its_folder(rule: Rule, tmp_path: Path) -> None:
    root = write(example_files(rule.docs, "Example"), tmp_path)
    workspace = Workspace.open(root, today=TODAY)
    whole = {key(problem) for problem in workspace.snapshot.problems}
    assert {key(problem) for problem in alone(root, workspace)} <= whole


@pytest.mark.parametrize("root", [KESTREL, PLOTVA])
def test_a_sample_says_nothing_alone_that_it_does_not_say_as_a_whole(root: Path) -> None:
    workspace = Workspace.open(root, today=TODAY)
    whole = {key(problem) for problem in workspace.snapshot.problems}
    assert {key(problem) for problem in alone(root, workspace)} <= whole


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("document", "---\nid: a\nid: b\n---\n# A\n\nSome words.\n", {"ED102"}),
        ("document", "# A\n\n```python\nnever closed\n", {"ED203"}),
        ("document", "---\nsupersedes: nowhere\n---\n# A\n\nSome words.\n", set()),
        ("document", "<!-- evidencedesk: ignore ED203 -->\n\n# A\n\nSome words.\n", set()),
        ("document", "<!-- evidencedesk: ignore-file ED203 -->\n\n```\nnever closed\n", set()),
        ("labels", '[{"id": "q", "question": "Why?", "gold": [', {"ED701"}),
        ("labels", '[{"id": "q", "question": 7}]', {"ED702"}),
        ("labels", '[{"id": "q", "question": "Why?", "gold": [{"section": "no#where", "evidence": "x"}]}]', set()),
    ],
)
def test_what_needs_no_other_file_is_told(kind: Kind, text: str, expected: set[str]) -> None:
    found = problems_alone(Source("a.md", text), kind, Config(), TODAY)
    assert expected <= {problem.code for problem in found}
    if not expected:
        assert found == ()


def test_the_settings_of_the_folder_count(tmp_path: Path) -> None:
    assert config_of(tmp_path, Config()) == Config()
    (tmp_path / "evidencedesk.toml").write_text('[rules]\nignore = ["ED203"]\n')
    config = config_of(tmp_path, Config())
    assert problems_alone(Source("a.md", "```\nnever closed\n"), "document", config, TODAY) == ()
