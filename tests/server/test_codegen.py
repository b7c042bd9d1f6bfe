"""The extension's settings follow from rules and configuration."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from evidencedesk.rules import RULES
from evidencedesk.workspace.config import Config, config_schema
from evidencedesk_server.codegen import settings, updated

PACKAGE = Path(__file__).parents[2] / "vscode-extension" / "package.json"
SETTINGS = settings(config_schema())


def test_the_extension_is_up_to_date() -> None:
    text = PACKAGE.read_text(encoding="utf-8")
    assert json.loads(updated(text)) == json.loads(text)


def test_every_value_of_the_configuration_has_a_setting_that_may_be_unset() -> None:
    for name, schema in SETTINGS.items():
        validator = Draft202012Validator(schema)
        assert validator.is_valid(None), name
        assert schema["markdownDescription"], name
    sections = {name.split(".")[1] for name in SETTINGS}
    assert sections == set(Config.model_fields)


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("retrieval.k", 3, 0),
        ("retrieval.searcher", "dense", "psychic"),
        ("chunking.separators", ["\n"], []),
        ("scope.langs", ["en"], "en"),
        ("rules.severity", {"ED201": "error"}, {"ED201": "deadly"}),
        ("documents.fields.status_field", "state", 7),
    ],
)
def test_settings_are_checked_as_the_configuration_is(name: str, right: object, wrong: object) -> None:
    validator = Draft202012Validator(SETTINGS[f"evidencedesk.{name}"])
    assert validator.is_valid(right)
    assert not validator.is_valid(wrong)


def test_every_rule_is_listed_with_what_it_says() -> None:
    listed = SETTINGS["evidencedesk.rules.severity"]["properties"]
    assert list(listed) == [rule.code for rule in RULES]
    assert all(rule.summary in listed[rule.code]["description"] for rule in RULES)


def test_other_settings_are_kept_and_stale_ones_dropped() -> None:
    given = {"evidencedesk.trace": {"type": "string"}, "evidencedesk.retrieval.gone": {}}
    text = updated(json.dumps({"contributes": {"configuration": {"properties": given}}}))
    properties = json.loads(text)["contributes"]["configuration"]["properties"]
    assert properties["evidencedesk.trace"] == {"type": "string"}
    assert "evidencedesk.retrieval.gone" not in properties
    assert "evidencedesk.retrieval.k" in properties
    assert updated(text) == text


def test_check_fails_and_changes_nothing_when_out_of_date(tmp_path: Path) -> None:
    package = tmp_path / "package.json"
    package.write_text('{"contributes": {"configuration": {"properties": {}}}}')
    command = [sys.executable, "-m", "evidencedesk_server.codegen", str(package)]
    before = package.read_text()
    assert subprocess.run([*command, "--check"], capture_output=True, check=False).returncode == 1
    assert package.read_text() == before
    assert subprocess.run(command, check=False).returncode == 0
    assert subprocess.run([*command, "--check"], check=False).returncode == 0
