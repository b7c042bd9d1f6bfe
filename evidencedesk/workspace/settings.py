"""The sections of the configuration. Invariant: each is frozen, and usable with nothing set."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
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
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from evidencedesk.retrieval.chunking import CHUNKERS
from evidencedesk.rule import Severity
from evidencedesk.rules import RULES
from evidencedesk.text.analysis import StemmingAnalyzer
from evidencedesk.text.stemming import ALGORITHMS
from evidencedesk.text.stop_words import STOP_WORDS_BY_LANG


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


def _lang(text: str) -> str:
    if not _LANG.fullmatch(text):
        raise ValueError(f'"{text}" is not a language code such as "ru" or "pt-BR"')
    return text.lower()


def _stop_words(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    try:
        return handler(value)
    except ValidationError:
        raise ValueError('`stop_words` must be "default", "none" or a list of words') from None


_LANG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")

Text = Annotated[StrictStr, Field(min_length=1)]
Lang = Annotated[Text, AfterValidator(_lang)]
Pattern = Annotated[Text, AfterValidator(_pattern)]
RuleCode = Annotated[Text, AfterValidator(_rule_code)]
StandardField = Literal["id", "title", "version", "status", "audience", "lang", "supersedes"]
Strategy = Literal["fixed", "section", "paragraph", "structure", "recursive", "tokens"]


class Section(BaseModel):
    """A table of settings; names outside it are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class ValueRule(Section):
    """One value of the front matter that says something in another way: when it stands there, fields are set."""

    when: Annotated[
        Mapping[Text, StrictBool | StrictInt | StrictFloat | StrictStr | date], Field(min_length=1, max_length=1)
    ]
    """The name of a front matter field and the value it must have."""

    set: Annotated[Mapping[StandardField, Text], Field(min_length=1)]
    """Standard fields and the values they then get."""


class FieldNames(Section):
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


class DocumentSettings(Section):
    """Which files are documents, and how their front matter reads."""

    include: tuple[Pattern, ...] = ()
    """Patterns as in .gitignore; when there are any, only Markdown files that match one are documents."""

    exclude: tuple[Pattern, ...] = ()
    """Patterns as in .gitignore; files that match are neither documents nor label files."""

    fields: FieldNames = FieldNames()
    """What the front matter fields are called in these documents."""


class LabelSettings(Section):
    """Which files hold labels."""

    include: tuple[Pattern, ...] = ()
    """Patterns as in .gitignore; when there are any, exactly the .json and .jsonl files that match are label files.
    Without any, those whose content is a label list."""


class ChunkingSettings(Section):
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


class LanguageSettings(Section):
    """How texts of one language become search terms, and questions with them."""

    stemmer: Literal["none", *ALGORITHMS] = "none"  # type: ignore[valid-type]
    """The Snowball algorithm that takes endings off words; `none` leaves them as they are."""

    stop_words: Annotated[Literal["default", "none"] | tuple[Text, ...], WrapValidator(_stop_words)] = "default"
    """Words that are not searched for: a list of them, `default` for the list that comes along, or `none`."""

    synonyms: tuple[Annotated[tuple[Text, ...], Field(min_length=2)], ...] = ()
    """Groups of words or phrases that mean the same: `[["cancel", "call off"]]`."""

    def analyzer(self, lang: str) -> StemmingAnalyzer:
        """What reads texts of the language."""
        if isinstance(self.stop_words, tuple):
            stop_words = frozenset(word.lower().replace("ё", "е") for word in self.stop_words)
        else:
            stop_words = (
                STOP_WORDS_BY_LANG.get(lang.partition("-")[0], frozenset())
                if self.stop_words == "default"
                else frozenset()
            )
        return StemmingAnalyzer("" if self.stemmer == "none" else self.stemmer, stop_words, self.synonyms)


class GateSettings(Section):
    """What a prompt must fulfil, else it stays empty."""

    grader: Literal["coverage"] = "coverage"
    """What is asked: `coverage`, the greatest share of the question that one of the chunks speaks about."""

    accept: Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)] = 0.6
    """The least grade, from 0 to 1, with which chunks enter the prompt."""


class CorrectionSettings(Section):
    """How the searcher `corrective` works: it grades what another finds, and asks again or abstains."""

    searcher: Literal["sparse", "dense", "hybrid", "lexical"] = "hybrid"
    """The searcher that is corrected."""

    grader: Literal["coverage", "terms"] = "coverage"
    """What is asked of the chunks that would enter the prompt: `coverage`, the greatest share of the question that one
    of them speaks about, rare words weighing more; or `terms`, the share of its words that occur in them together."""

    accept: Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)] = 0.5
    """The least grade, from 0 to 1, with which a ranking is taken."""

    reject: Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)] = 0.2
    """The grade below which a ranking is thrown away; what lies between is kept unless a better one is found."""

    max_rounds: Annotated[StrictInt, Field(ge=1, le=10)] = 2
    """How often a question is asked, the first time included."""


class RetrievalSettings(Section):
    """How questions are answered; choose what your production system does."""

    searcher: Literal["sparse", "dense", "hybrid", "lexical", "corrective"] = "hybrid"
    """The ranking that counts: `sparse` (BM25), `dense` (vectors), `hybrid` (both, fused by reciprocal ranks),
    `lexical` (BM25 over stems and synonyms, then the densest passage) or `corrective` (another one, corrected)."""

    k: Annotated[StrictInt, Field(ge=1)] = 5
    """How many chunks are retrieved for a question."""

    depth: Annotated[StrictInt, Field(ge=1)] = 20
    """How many chunks each ranking gives to the fusion, at least `k`."""

    floor: Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)] | None = None
    """The lowest score with which a chunk enters the prompt; all of them when unset."""

    rrf_k: Annotated[StrictInt, Field(ge=0)] = 60
    """The constant k of reciprocal rank fusion, 1 / (k + rank)."""

    word_limit: Annotated[StrictInt, Field(ge=1)] | None = None
    """How many words of a chunk, its title and heading included, your embedding model reads, such as 190 for one that
    reads 256 word pieces; no limit when unset."""

    mmr_lambda: Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)] | None = None
    """Diversifies the ranking by maximal marginal relevance: 1 looks at the scores alone, 0 at not repeating what
    ranks above; unset leaves the ranking as it is."""

    gate: GateSettings | None = None
    """What a prompt must fulfil, else it stays empty: a table `[retrieval.gate]` with `accept`, the least share of a
    question that some chunk must speak about. No gate when unset."""

    correction: CorrectionSettings = CorrectionSettings()
    """How the searcher `corrective` works: it grades what another finds, and asks again or abstains."""

    def highest_score(self) -> float | None:
        """What no score of the searcher exceeds; None where nothing bounds it."""
        return {"dense": 1.0, "hybrid": 2 / (self.rrf_k + 1)}.get(self.searcher)


class ScopeSettings(Section):
    """Which documents a search may return."""

    statuses: Annotated[frozenset[Text], Field(min_length=1)] = frozenset({"current"})
    """The statuses a document may have."""

    audiences: Annotated[frozenset[Text], Field(min_length=1)] = frozenset({"public"})
    """The audiences a document may be for."""

    langs: Annotated[frozenset[Text], Field(min_length=1)] | None = None
    """The languages a document may be in; any when unset."""


class CacheSettings(Section):
    """What is kept on disk so that a large folder opens at once the next time. It changes no result."""

    enabled: StrictBool = True
    """Whether anything is kept; small folders never need it."""

    limit_mb: Annotated[StrictInt, Field(ge=1)] = 2000
    """How many megabytes may be kept; what was not used for longest goes first."""


class RuleSettings(Section):
    """Which rules run, and how much their problems weigh."""

    select: tuple[RuleCode, ...] = ()
    """Codes, or beginnings of codes, of the rules that run; all when empty."""

    ignore: tuple[RuleCode, ...] = ()
    """Codes, or beginnings of codes, of rules that do not run; stronger than `select`."""

    severity: Mapping[RuleCode, Severity] = {}
    """Other severities by code or beginning of a code: `error`, `warning`, `information` or `hint`."""
