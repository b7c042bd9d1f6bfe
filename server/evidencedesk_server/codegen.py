"""Rules and configuration → the VS Code extension's settings. Invariant: no setting and no rule is written twice.

`python -m evidencedesk_server.codegen PACKAGE_JSON` rewrites the generated settings of a `package.json`; with `--check`
it only says whether they are out of date. Settings of another origin are left as they are.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evidencedesk.rules import RULES
from evidencedesk.workspace.config import config_schema

PREFIX = "evidencedesk."

Schema = dict[str, Any]

EDITOR_SETTINGS: Mapping[str, Schema] = {
    f"{PREFIX}interpreter": {
        "type": "string",
        "default": "",
        "markdownDescription": "The Python that has EvidenceDesk installed. Empty: the one chosen in the Python "
        "extension, else `python3` or `python`.",
        "scope": "machine-overridable",
    },
    f"{PREFIX}inlayHints.chunkBoundaries": {
        "type": "boolean",
        "default": False,
        "markdownDescription": "Show inside Markdown where each chunk begins, with its number and its size.",
        "scope": "window",
    },
}
"""What concerns the editor alone."""


def settings(schema: Schema) -> dict[str, Schema]:
    """A setting per value of the configuration, by its name in the editor.

    All are unset by default. They count for a folder that has no configuration file; what neither says has the default
    that the description names.
    """
    return dict(_settings(PREFIX, schema, schema.get("$defs", {})))


def _settings(prefix: str, schema: Schema, definitions: Mapping[str, Schema]) -> Iterator[tuple[str, Schema]]:
    for name, given in schema.get("properties", {}).items():
        value = _resolved(given, definitions)
        if "properties" in value:
            yield from _settings(f"{prefix}{name}.", value, definitions)
        else:
            yield f"{prefix}{name}", _setting(f"{prefix}{name}", value)


def _setting(name: str, value: Schema) -> Schema:
    description = value.pop("description", "")
    default = value.pop("default", None)
    if name == f"{PREFIX}rules.severity":
        value = _severities(value)
    elif default not in (None, [], {}):
        description += f" Default: `{json.dumps(default)}`."
    return {**_or_unset(value), "default": None, "markdownDescription": description, "scope": "window"}


def _or_unset(value: Schema) -> Schema:
    """The schema, taking null as well: that is how an editor says "unset"."""
    if "anyOf" in value:
        others = [one for one in value["anyOf"] if one.get("type") != "null"]
        return {"anyOf": [*others, {"type": "null"}]} if len(others) > 1 else _or_unset(others[0])
    if "enum" in value:
        value = {**value, "enum": [*value["enum"], None]}
    return {**value, "type": [value["type"], "null"]}


def _severities(value: Schema) -> Schema:
    severity = value["additionalProperties"]
    rules = {
        rule.code: {**severity, "description": f"{rule.name}: {rule.summary} Default: {rule.severity.value}."}
        for rule in RULES
    }
    return {"type": "object", "properties": rules, "additionalProperties": severity}


def _resolved(schema: Any, definitions: Mapping[str, Schema]) -> Any:
    """The schema without references; what stands beside a reference wins over what it names."""
    if isinstance(schema, list):
        return [_resolved(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if (reference := schema.get("$ref")) is not None:
        target = definitions[reference.rpartition("/")[2]]
        return _resolved({**target, **{key: value for key, value in schema.items() if key != "$ref"}}, definitions)
    # "title" is a heading made from the name; a property of that name is no string.
    return {
        key: _resolved(value, definitions) for key, value in schema.items() if key != "title" or isinstance(value, dict)
    }


def updated(package: str) -> str:
    """The text of a `package.json` with the settings as they should be."""
    manifest = json.loads(package)
    generated = settings(config_schema())
    sections = tuple({f"{PREFIX}{name.removeprefix(PREFIX).split('.')[0]}." for name in generated})
    configuration = manifest["contributes"]["configuration"]
    kept = {
        name: value
        for name, value in configuration["properties"].items()
        if not name.startswith(sections) and name not in generated
    }
    configuration["properties"] = {**kept, **EDITOR_SETTINGS, **generated}
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    """Rewrite, or check, the file named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", type=Path, help="the extension's package.json")
    parser.add_argument("--check", action="store_true", help="change nothing; fail when the file is out of date")
    arguments = parser.parse_args()
    current = arguments.package.read_text(encoding="utf-8")
    wanted = updated(current)
    if wanted == current:
        return 0
    if arguments.check:
        sys.stderr.write(f"{arguments.package} is out of date: run this again without --check\n")
        return 1
    arguments.package.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
