"""The rules as a set: one file each, listed once, in order."""

from __future__ import annotations

from pathlib import Path

import evidencedesk.rules
from evidencedesk.rules import RULES

FOLDER = Path(evidencedesk.rules.__file__).parent
FILES = {path.stem: path for path in FOLDER.glob("*.py") if path.name != "__init__.py"}


def test_every_file_holds_one_listed_rule_of_its_name() -> None:
    assert {rule.name.replace("-", "_") for rule in RULES} == set(FILES)


def test_codes_and_names_are_unique_and_codes_are_in_order() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_rule_files_are_short_and_name_their_code() -> None:
    for rule in RULES:
        source = FILES[rule.name.replace("-", "_")].read_text(encoding="utf-8")
        assert len(source.splitlines()) <= 150, rule.name
        assert source.startswith(f'"""{rule.code} {rule.name}. Invariant: '), rule.name
