"""What pydantic refuses → faults in plain words. Invariant: every fault has a path that exists in the table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from evidencedesk.text.nearest import Names
from evidencedesk.workspace.toml_places import Path

_WANTED = {
    "int": "a whole number",
    "float": "a number",
    "finite": "a number",
    "string": "text in quotation marks",
    "bool": "true or false",
    "tuple": "a list in square brackets",
    "frozen": "a list in square brackets",
    "mapping": "a table",
    "dict": "a table",
    "model": "a table",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at `path`: with the key when `on_key`, else with the value. `cut` is the path to leave out."""

    path: Path
    on_key: bool
    message: str
    cut: Path


def faults_of(error: ValidationError, table: dict[str, Any], model: type[BaseModel]) -> Iterator[Fault]:
    """One fault a place, in the order of the table's fields."""
    told: set[Path] = set()
    for item in error.errors(include_url=False):
        path = _existing(item["loc"], table)
        if path in told:
            continue
        told.add(path)
        kind, context = item["type"], item.get("ctx", {})
        if kind == "extra_forbidden":
            yield Fault(path, True, _unknown(path, model), path)
        elif kind == "missing":
            yield Fault(path, True, f"`{item['loc'][-1]}` is missing here", _cut(path))
        else:
            on_key = item["loc"][-1] == "[key]"
            yield Fault(path, on_key, _wrong(path, kind, context, item["msg"], on_key), _cut(path))


def leave_out(table: dict[str, Any], cuts: set[Path]) -> None:
    """Remove these paths from the table."""
    for path in sorted(cuts, key=lambda path: (len(path), path[:-1], path[-1]), reverse=True):
        holder: Any = table
        for step in path[:-1]:
            holder = holder[step]
        del holder[path[-1]]


def dotted(path: Path) -> str:
    """A path as users write it: `documents.fields.map[0].when`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _existing(location: tuple[str | int, ...], table: dict[str, Any]) -> Path:
    """The part of pydantic's location that is in the table; the rest names branches of unions."""
    here: Any = table
    for length, step in enumerate(location):
        try:
            here = here[step]
        except (KeyError, IndexError, TypeError):
            return location[:length]
    return location


def _cut(path: Path) -> Path:
    """A wrong list item takes nothing with it but itself; half an item is of no use."""
    indices = [place for place, step in enumerate(path) if isinstance(step, int)]
    return path[: indices[-1] + 1] if indices else path


def _unknown(path: Path, model: type[BaseModel]) -> str:
    name = dotted(path)
    known = list(_model_at(path[:-1], model).model_fields)
    near = Names(known).nearest(str(path[-1]))
    advice = f"did you mean `{near}`?" if near else f"known here are {', '.join(known)}"
    return f"there is no setting `{name}`; {advice}"


def _model_at(path: Path, model: type[BaseModel]) -> type[BaseModel]:
    for step in path:
        # What is no field is a key of the mapping before it, whose values are of the model already found.
        if isinstance(step, str) and step in model.model_fields:
            annotation = model.model_fields[step].annotation
            inner = [annotation, *get_args(annotation)]
            model = next(part for part in inner if isinstance(part, type) and issubclass(part, BaseModel))
    return model


def _wrong(path: Path, kind: str, context: dict[str, Any], message: str, on_key: bool) -> str:
    name = dotted(path)
    if kind == "value_error":
        return str(context["error"])
    if kind in ("literal_error", "enum"):
        choices = context["expected"].replace("'", '"')
        return f"`{path[-1]}` is not one of {choices}" if on_key else f"`{name}` must be {choices}"
    if kind == "greater_than_equal":
        return f"`{name}` must be at least {context['ge']}"
    if kind == "less_than_equal":
        return f"`{name}` must be at most {context['le']}"
    if kind == "string_too_short":
        return f"`{name}` must not be empty"
    if kind in ("too_short", "too_long"):
        bound = "at least" if kind == "too_short" else "at most"
        return f"`{name}` must have {bound} one entry"
    if "when" in path[:-1]:
        return f"`{name}` must be a text, a number, a date, true or false"
    wanted = _WANTED.get(kind.split("_")[0])
    return f"`{name}` must be {wanted}" if wanted else f"`{name}`: {message}"
