"""The configuration and its defaults. Invariant: a Config is always usable; what a file gets wrong counts as unset."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Literal

from pathspec import GitIgnoreSpec
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    ValidationError,
)

from evidencedesk.documents.frontmatter import FieldMap, FieldRule
from evidencedesk.retrieval.catalog import Scope
from evidencedesk.retrieval.chunking import CHUNKERS, Chunker, make_chunker
from evidencedesk.retrieval.evaluation import Contract
from evidencedesk.retrieval.facts import ConfigDefect
from evidencedesk.rule import Severity
from evidencedesk.rules import RULES
from evidencedesk.text.spans import LineIndex, Span
from evidencedesk.workspace.checks import Selection
from evidencedesk.workspace.config_faults import Fault, faults_of, leave_out
from evidencedesk.workspace.toml_places import Path, find_places, place_of

CONFIG_NAMES = ("evidencedesk.toml", "pyproject.toml")
"""Files at the root that may hold the configuration; the first that does is used alone. In `pyproject.toml` it is the
table `tool.evidencedesk`."""


def _pattern(text: str) -> str:
    try:
        GitIgnoreSpec.from_lines([text])
    except ValueError:
        raise ValueError(f'"{text}" is not a pattern as in .gitignore, such as "docs/**" or "*.md"') from None
    return text


def _rule_code(text: str) -> str:
    if not any(rule.code.startswith(text) for rule in RULES):
        raise ValueError(f'there is no rule "{text}"; write a code such as "ED201" or the beginning of some, as "ED2"')
    return text


Text = Annotated[StrictStr, Field(min_length=1)]
Pattern = Annotated[Text, AfterValidator(_pattern)]
RuleCode = Annotated[Text, AfterValidator(_rule_code)]
StandardField = Literal["id", "title", "version", "status", "audience", "lang", "supersedes"]
Strategy = Literal["fixed", "section", "paragraph", "structure", "recursive", "tokens"]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class ValueRule(_Section):
    """One value of the front matter that says something in another way: when it stands there, fields are set."""

    when: Annotated[
        Mapping[Text, StrictBool | StrictInt | StrictFloat | StrictStr | date], Field(min_length=1, max_length=1)
    ]
    """The name of a front matter field and the value it must have."""

    set: Annotated[Mapping[StandardField, Text], Field(min_length=1)]
    """Standard fields and the values they then get."""


class FieldNames(_Section):
    """What the front matter fields are called in these documents."""

    id_field: Text = "id"
    """The field with the document's id; without one the id is the path without its ending."""

    title_field: Text = "title"
    """The field with the document's title."""

    version_field: Text = "version"
    """The field with the document's version."""

    status_field: Text = "status"
    """The field that says whether the document is `current` (the default) or, say, `superseded`."""

    audience_field: Text = "audience"
    """The field that says who may read the document; `public` when it is missing."""

    lang_field: Text = "lang"
    """The field with the document's language; when it is missing, the script tells."""

    supersedes_field: Text = "supersedes"
    """The field with the ids of the documents that this one replaces."""

    map: tuple[ValueRule, ...] = ()
    """Values that set other fields: `when = { drifted_from_default = true }, set = { status = "superseded" }`."""


class DocumentSettings(_Section):
    """Which files are documents, and how their front matter reads."""

    include: tuple[Pattern, ...] = ()
    """Patterns as in .gitignore; when there are any, only Markdown files that match one are documents."""

    exclude: tuple[Pattern, ...] = ()
    """Patterns as in .gitignore; files that match are neither documents nor label files."""

    fields: FieldNames = FieldNames()
    """What the front matter fields are called in these documents."""


class LabelSettings(_Section):
    """Which files hold labels."""

    include: tuple[Pattern, ...] = ()
    """Patterns as in .gitignore; when there are any, exactly the .json and .jsonl files that match are label files.
    Without any, those whose content is a label list."""


class ChunkingSettings(_Section):
    """How documents are cut into chunks; choose what your production system does."""

    # Most production pipelines use a recursive character splitter, so it is what an unconfigured check mirrors.
    strategy: Strategy = "recursive"
    """How to cut: `recursive` and `fixed` by characters, `tokens` by words, `section`, `paragraph` and `structure` by
    the document's own parts."""

    size: Annotated[StrictInt, Field(ge=1)] | None = None
    """The largest size of a chunk, in characters (`tokens`: in words); the strategy's own default when unset."""

    overlap: Annotated[StrictInt, Field(ge=0)] | None = None
    """How much of a chunk the next one repeats, in the same unit; the strategy's own default when unset."""

    separators: Annotated[tuple[StrictStr, ...], Field(min_length=1)] | None = None
    """Where `recursive` may cut, coarsest first; "" cuts between any two characters."""

    def given(self) -> dict[str, Any]:
        """The options that are set."""
        options = {"size": self.size, "overlap": self.overlap, "separators": self.separators}
        return {name: value for name, value in options.items() if value is not None}

    def effective(self) -> dict[str, Any]:
        """All options of the strategy with the values that count."""
        parameters = inspect.signature(CHUNKERS[self.strategy]).parameters
        return {name: self.given().get(name, parameter.default) for name, parameter in parameters.items()}


class RetrievalSettings(_Section):
    """How questions are answered; choose what your production system does."""

    searcher: Literal["sparse", "dense", "hybrid"] = "hybrid"
    """The ranking that counts: `sparse` (BM25), `dense` (vectors) or `hybrid` (both, fused by reciprocal ranks)."""

    k: Annotated[StrictInt, Field(ge=1)] = 5
    """How many chunks are retrieved for a question."""

    depth: Annotated[StrictInt, Field(ge=1)] = 20
    """How many chunks each ranking gives to the fusion, at least `k`."""

    floor: Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)] | None = None
    """The lowest score with which a chunk enters the prompt; all of them when unset."""

    rrf_k: Annotated[StrictInt, Field(ge=0)] = 60
    """The constant k of reciprocal rank fusion, 1 / (k + rank)."""

    def highest_score(self) -> float | None:
        """What no score of the searcher exceeds; None where nothing bounds it."""
        return {"sparse": None, "dense": 1.0, "hybrid": 2 / (self.rrf_k + 1)}[self.searcher]


class ScopeSettings(_Section):
    """Which documents a search may return."""

    statuses: Annotated[frozenset[Text], Field(min_length=1)] = frozenset({"current"})
    """The statuses a document may have."""

    audiences: Annotated[frozenset[Text], Field(min_length=1)] = frozenset({"public"})
    """The audiences a document may be for."""

    langs: Annotated[frozenset[Text], Field(min_length=1)] | None = None
    """The languages a document may be in; any when unset."""


class RuleSettings(_Section):
    """Which rules run, and how much their problems weigh."""

    select: tuple[RuleCode, ...] = ()
    """Codes, or beginnings of codes, of the rules that run; all when empty."""

    ignore: tuple[RuleCode, ...] = ()
    """Codes, or beginnings of codes, of rules that do not run; stronger than `select`."""

    severity: Mapping[RuleCode, Severity] = {}
    """Other severities by code or beginning of a code: `error`, `warning`, `information` or `hint`."""


class Config(_Section):
    """All settings of a workspace; every one of them is optional."""

    documents: DocumentSettings = DocumentSettings()
    """Which files are documents, and how their front matter reads."""

    labels: LabelSettings = LabelSettings()
    """Which files hold labels."""

    chunking: ChunkingSettings = ChunkingSettings()
    """How documents are cut into chunks; choose what your production system does."""

    retrieval: RetrievalSettings = RetrievalSettings()
    """How questions are answered; choose what your production system does."""

    scope: ScopeSettings = ScopeSettings()
    """Which documents a search may return."""

    rules: RuleSettings = RuleSettings()
    """Which rules run, and how much their problems weigh."""

    def chunker(self) -> Chunker:
        """The configured chunker."""
        return make_chunker(self.chunking.strategy, **self.chunking.given())

    def chunking_text(self) -> str:
        """The strategy with the options that count, such as `fixed(size=180, overlap=40)`."""
        options = ", ".join(
            f"{name}={list(value) if isinstance(value, tuple) else value}"
            for name, value in self.chunking.effective().items()
            if name != "separators" or name in self.chunking.given()
        )
        return f"{self.chunking.strategy}({options})"

    def contract(self) -> Contract:
        """The settings under which rankings are made."""
        retrieval, scope = self.retrieval, self.scope
        return Contract(
            searcher=retrieval.searcher,
            k=retrieval.k,
            depth=retrieval.depth,
            floor=retrieval.floor,
            rrf_k=retrieval.rrf_k,
            scope=Scope(scope.statuses, scope.audiences, scope.langs),
        )

    def field_map(self) -> FieldMap:
        """How the documents' front matter reads."""
        fields = self.documents.fields
        names = {
            "id": fields.id_field,
            "title": fields.title_field,
            "version": fields.version_field,
            "status": fields.status_field,
            "audience": fields.audience_field,
            "lang": fields.lang_field,
            "supersedes": fields.supersedes_field,
        }
        rules = tuple(
            FieldRule(field, value, target, result)
            for rule in fields.map
            for field, value in rule.when.items()
            for target, result in rule.set.items()
        )
        return FieldMap(names, rules)

    def selection(self) -> Selection:
        """Which rules run, and how severe their problems are."""
        return Selection(self.rules.select, self.rules.ignore, dict(self.rules.severity))


def config_schema() -> dict[str, Any]:
    """The JSON schema of a configuration file, for editors."""
    schema = Config.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "EvidenceDesk"}


def holds_config(path: str, text: str) -> bool:
    """Whether the file of this name configures anything: `pyproject.toml` only does with a table for it."""
    return path != "pyproject.toml" or _PYPROJECT_TABLE.search(text) is not None


def parse_config(path: str, text: str) -> tuple[Config, tuple[ConfigDefect, ...]]:
    """The configuration in a file, and what is wrong with the file; whatever is wrong counts as unset."""
    base: Path = ("tool", "evidencedesk") if path.rpartition("/")[2] == "pyproject.toml" else ()
    try:
        table: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return Config(), (_syntax_defect(path, text, str(error)),) if holds_config(path, text) else ()
    except RecursionError:
        return Config(), (ConfigDefect(path, Span(0, 0), "this is nested too deeply to be a configuration"),)
    for step in base:
        table = table.get(step, {}) if isinstance(table, dict) else table
    places = find_places(text)
    if not isinstance(table, dict):
        return Config(), (
            ConfigDefect(path, place_of(places, base).value, f"`{'.'.join(map(str, base))}` must be a table"),
        )

    defects: list[ConfigDefect] = []
    while True:
        try:
            config = Config.model_validate(table)
            faults = list(_contradictions(config))
        except ValidationError as error:
            faults = list(faults_of(error, table, Config))
        if not faults:
            return config, tuple(sorted(defects, key=lambda defect: defect.span))
        for fault in faults:
            place = place_of(places, (*base, *fault.path))
            defects.append(ConfigDefect(path, place.key if fault.on_key else place.value, fault.message))
        leave_out(table, {fault.cut for fault in faults})


_PYPROJECT_TABLE = re.compile(r"""^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*["']?evidencedesk\b""", re.MULTILINE)
_ERROR_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def _contradictions(config: Config) -> Iterator[Fault]:
    """Values that are right by themselves but not together."""
    chunking, retrieval = config.chunking, config.retrieval
    options = chunking.effective()
    useless = [name for name in chunking.given() if name not in options]
    for name in useless:
        accepted = f"its options are {', '.join(options)}" if options else "it has no options"
        yield _fault(
            ("chunking", name), f'`chunking.{name}` means nothing to the strategy "{chunking.strategy}"; {accepted}'
        )
    if not useless and options.get("overlap", 0) >= options.get("size", 1):
        name = "size" if chunking.overlap is None else "overlap"
        yield _fault(
            ("chunking", name),
            "`chunking.overlap` must be smaller than `chunking.size`, "
            f"but they are {options['overlap']} and {options['size']}",
        )
    highest = retrieval.highest_score()
    if retrieval.floor is not None and highest is not None and retrieval.floor > highest:
        why = (
            "cosine similarity"
            if retrieval.searcher == "dense"
            else f"two rankings fused with rrf_k = {retrieval.rrf_k}"
        )
        yield _fault(
            ("retrieval", "floor"),
            f"`retrieval.floor` is {retrieval.floor:g}, but no {retrieval.searcher} score exceeds {highest:.4g} "
            f"({why}), so nothing would ever enter the prompt",
        )


def _fault(path: Path, message: str) -> Fault:
    return Fault(path, False, message, path)


def _syntax_defect(path: str, text: str, message: str) -> ConfigDefect:
    place = _ERROR_PLACE.search(message)
    # tomllib counts lines and columns from 1, and reads CRLF as one line end.
    lines = LineIndex(text)
    line = int(place[1]) - 1 if place and place[1] else lines.line_of(len(text.rstrip()))
    span = lines.line_span(min(line, lines.line_count - 1))
    reason = message[: place.start()] if place else message
    return ConfigDefect(
        path, span, f"this is not valid TOML ({reason[:1].lower()}{reason[1:]}), so no setting of the file counts"
    )
