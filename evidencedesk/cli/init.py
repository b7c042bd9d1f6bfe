"""`evidencedesk init`: the first files of a workspace, or a copy of the sample."""

from __future__ import annotations

import json
import re
import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evidencedesk.cli.console import notice
from evidencedesk.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from pydantic import BaseModel

_WIDTH = 100
_SENTENCE = re.compile(r"[^\s#|<>!\[\]{}*_`][^#|<>\[\]{}*_`]{15,200}?[.!?।。](?=\s|$)")


def init(
    path: Annotated[Path, typer.Argument(help="The folder of the knowledge base.", show_default=".")] = Path(),
    sample: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Copy a sample knowledge base to a new folder instead.")
    ] = None,
    name: Annotated[
        str, typer.Option(help="Which sample: kestrel (English and Bangla) or plotva (Russian, with synonyms).")
    ] = "kestrel",
) -> None:
    """Write a commented configuration and a first label file.

    Nothing that exists is overwritten. The first label asks for the first section that a document offers; replace it
    by questions that readers ask.
    """
    if sample is not None:
        _copy_sample(name, sample)
        return
    if not path.is_dir():
        raise InputError(f"{path} is no folder.")
    config, labels = path / "evidencedesk.toml", path / "labels.json"
    for file in (config, labels):
        if file.exists():
            raise InputError(f"{file} exists already; nothing was written.")
    label = _first_label(path)
    _write(config, config_template())
    _write(labels, json.dumps([label] if label else [], ensure_ascii=False, indent=2) + "\n")
    notice(f"Wrote {config} and {labels}. Next: write questions into {labels}, then run `evidencedesk check {path}`.")


def config_template() -> str:
    """A configuration file in which every setting stands as a comment with its meaning and its default."""
    from evidencedesk.workspace.config import Config

    head = "# The configuration of EvidenceDesk. Every setting is optional; a commented one shows its default.\n"
    return head + "".join(_section_lines(Config, ""))


def _section_lines(model: type[BaseModel], name: str) -> Iterator[str]:
    from pydantic import BaseModel

    nested: list[tuple[str, type[BaseModel], str]] = []
    for key, field in model.model_fields.items():
        if isinstance(field.default, BaseModel):
            nested.append((f"{name}.{key}".lstrip("."), type(field.default), field.description or ""))
            continue
        yield _comment(field.description or "")
        value = _toml(field.default)
        yield f"# {key} = {value}\n" if value else f"# {key} is not set\n"
    for full_name, section, description in nested:
        yield f"\n{_comment(description)}[{full_name}]\n"
        yield from _section_lines(section, full_name)


def _comment(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), _WIDTH, initial_indent="# ", subsequent_indent="# ") + "\n"


def _toml(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (tuple, frozenset)):
        return json.dumps(sorted(value), ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False)


def _first_label(root: Path) -> dict[str, object] | None:
    """A label about the first section with a sentence in the folder's documents; None when there is none."""
    from evidencedesk.documents.markdown import parse_document
    from evidencedesk.workspace.config import Config
    from evidencedesk.workspace.files import check_root, discover, read_source

    real = check_root(root)
    scope = Config().contract().scope
    for path in discover(real, Config()).documents:
        document = parse_document(path, read_source(real, path).text)
        if document.status not in scope.statuses or document.audience not in scope.audiences:
            continue
        for block in document.blocks:
            section = document.sections[block.section]
            sentence = _SENTENCE.match(" ".join(block.span.of(document.text).split()))
            if block.kind == "paragraph" and section.level and sentence:
                about = section.heading if section.heading == document.title else f"{document.title}: {section.heading}"
                gold = {"section": f"{document.doc_id}#{section.anchor}", "evidence": sentence[0], "grade": 2}
                return {
                    "id": "q1",
                    "question": f"{about}?".lstrip(": "),
                    "tags": [],
                    "answerable": True,
                    "gold": [gold],
                }
    return None


def _copy_sample(name: str, folder: Path) -> None:
    from evidencedesk.samples import SAMPLES

    if name not in SAMPLES:
        raise UnknownNameError(f"There is no sample {name}; there are {', '.join(SAMPLES)}.")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} exists already and is not empty; nothing was written.")
    try:
        shutil.copytree(SAMPLES[name], folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    except OSError as error:
        raise InputError(f"The sample could not be written to {folder}: {error.strerror}.") from error
    notice(f"Wrote the sample knowledge base to {folder}. Next: `evidencedesk check {folder}`.")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError(f"{path} could not be written: {error.strerror}.") from error
