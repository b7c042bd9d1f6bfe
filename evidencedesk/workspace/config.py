"""The configuration and its defaults. Invariant: a Config is always usable; what a file gets wrong counts as unset."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from evidencedesk.documents.frontmatter import FieldMap, FieldRule
from evidencedesk.retrieval.catalog import Scope
from evidencedesk.retrieval.chunking import Chunker, make_chunker
from evidencedesk.retrieval.evaluation import Contract, Correction, Gate
from evidencedesk.retrieval.facts import ChunkSize, ConfigDefect
from evidencedesk.text.analysis import Analysis
from evidencedesk.text.spans import LineIndex, Span
from evidencedesk.text.stop_words import STOP_WORDS_BY_LANG
from evidencedesk.workspace.checks import Selection
from evidencedesk.workspace.config_faults import Fault, faults_of, leave_out
from evidencedesk.workspace.settings import (
    CacheSettings,
    ChunkingSettings,
    DocumentSettings,
    LabelSettings,
    Lang,
    LanguageSettings,
    RetrievalSettings,
    RuleSettings,
    ScopeSettings,
    Section,
)
from evidencedesk.workspace.toml_places import Path, find_places, place_of

CONFIG_NAMES = ("evidencedesk.toml", "pyproject.toml")
"""Files at the root that may hold the configuration; the first that does is used alone. In `pyproject.toml` it is the
table `tool.evidencedesk`."""


class Config(Section):
    """All settings of a workspace; every one of them is optional."""

    documents: DocumentSettings = DocumentSettings()
    """Which files are documents, and how their front matter reads."""

    labels: LabelSettings = LabelSettings()
    """Which files hold labels."""

    chunking: ChunkingSettings = ChunkingSettings()
    """How documents are cut into chunks; choose what your production system does."""

    retrieval: RetrievalSettings = RetrievalSettings()
    """How questions are answered; choose what your production system does."""

    analysis: Mapping[Lang, LanguageSettings] = {}
    """How the words of a language are searched: a table per language code, such as `[analysis.ru]`. The words of other
    languages are searched as they stand, except by the searcher `lexical`."""

    scope: ScopeSettings = ScopeSettings()
    """Which documents a search may return."""

    rules: RuleSettings = RuleSettings()
    """Which rules run, and how much their problems weigh."""

    cache: CacheSettings = CacheSettings()
    """What is kept on disk so that a large folder opens at once the next time. It changes no result."""

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

    def chunk_size(self) -> ChunkSize | None:
        """The largest size that the strategy gives a chunk, None where it knows none."""
        size = self.chunking.effective().get("size")
        return (
            None if size is None else ChunkSize(size, "words" if self.chunking.strategy == "tokens" else "characters")
        )

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
            mmr_lambda=retrieval.mmr_lambda,
            gate=Gate(retrieval.gate.grader, retrieval.gate.accept) if retrieval.gate else None,
            analysis=self._analysis_text(),
            correction=Correction(**retrieval.correction.model_dump()),
        )

    def text_analysis(self) -> Analysis:
        """Which languages are read how."""
        return Analysis({lang: settings.analyzer(lang) for lang, settings in sorted(self.analysis.items())})

    def _analysis_text(self) -> str:
        parts = []
        for lang, settings in sorted(self.analysis.items()):
            stop_words = len(settings.analyzer(lang).stop_words)
            parts.append(
                f"{lang} (stemmer {settings.stemmer}, {stop_words} stop words, {len(settings.synonyms)} synonym groups)"
            )
        return ", ".join(parts)

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
    for lang, settings in config.analysis.items():
        listed = lang.partition("-")[0] in STOP_WORDS_BY_LANG
        if "stop_words" in settings.model_fields_set and settings.stop_words == "default" and not listed:
            yield _fault(
                ("analysis", lang, "stop_words"),
                f'there is no list of stop words for "{lang}" (there is for {", ".join(sorted(STOP_WORDS_BY_LANG))}); '
                'list the words, or write "none"',
            )
    if retrieval.correction.reject > retrieval.correction.accept:
        name = "accept" if "reject" not in retrieval.correction.model_fields_set else "reject"
        yield _fault(
            ("retrieval", "correction", name),
            "`retrieval.correction.reject` must not exceed `retrieval.correction.accept`, but they are "
            f"{retrieval.correction.reject:g} and {retrieval.correction.accept:g}",
        )
    if retrieval.floor is not None and retrieval.searcher == "corrective":
        yield _fault(
            ("retrieval", "floor"),
            "`retrieval.floor` means nothing to the corrective searcher, whose rounds have scores of different kinds; "
            "`retrieval.correction.accept` and `reject` decide what enters the prompt",
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
