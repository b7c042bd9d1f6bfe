"""The configuration: what is read, what is refused, in which words and at which place."""

from typing import Any, get_args

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.documents.frontmatter import FieldRule
from evidencedesk.retrieval.catalog import Scope
from evidencedesk.retrieval.chunking import CHUNKERS
from evidencedesk.retrieval.evaluation import Contract
from evidencedesk.rule import Severity
from evidencedesk.workspace.config import Config, config_schema, holds_config, parse_config
from evidencedesk.workspace.settings import Strategy

NAME = "evidencedesk.toml"

FULL = """
[documents]
include = ["docs/**"]
exclude = ["docs/old/"]

[documents.fields]
status_field = "state"

[[documents.fields.map]]
when = { drifted_from_default = true }
set = { status = "superseded" }

[labels]
include = ["qa/*.json"]

[chunking]
strategy = "fixed"
size = 300
overlap = 50

[retrieval]
searcher = "dense"
k = 3
depth = 30
floor = 0.25
rrf_k = 10

[scope]
statuses = ["current", "draft"]
audiences = ["staff"]
langs = ["de"]

[rules]
select = ["ED2", "ED301"]
ignore = ["ED205"]
severity = { ED2 = "hint", ED301 = "error" }
"""


def test_every_setting_reaches_the_part_that_uses_it() -> None:
    config, defects = parse_config(NAME, FULL)
    assert defects == ()
    scope = Scope(frozenset({"current", "draft"}), frozenset({"staff"}), frozenset({"de"}))
    assert config.contract() == Contract("dense", 3, 30, 0.25, 10, scope)
    assert config.chunking_text() == "fixed(size=300, overlap=50)"
    assert config.field_map().names["status"] == "state"
    assert config.field_map().rules == (FieldRule("drifted_from_default", True, "status", "superseded"),)
    selection = config.selection()
    assert [selection.takes(code) for code in ("ED201", "ED205", "ED301", "ED302")] == [True, False, True, False]
    assert selection.severity_of("ED201") is Severity.HINT


def test_an_empty_configuration_is_the_default() -> None:
    assert parse_config(NAME, "") == (Config(), ())
    assert Config().contract() == Contract()
    assert Config().chunking_text() == "recursive(size=400, overlap=0)"
    assert Config().selection().takes("ED201")


def test_pyproject_configures_by_its_own_table_only() -> None:
    text = FULL.replace("[documents", "[tool.evidencedesk.documents").replace(
        "[[documents", "[[tool.evidencedesk.documents"
    )
    for name in ("labels", "chunking", "retrieval", "scope", "rules"):
        text = text.replace(f"[{name}]", f"[tool.evidencedesk.{name}]")
    assert parse_config("pyproject.toml", text) == parse_config(NAME, FULL)
    other = '[project]\nname = "x"\n[tool.ruff]\nline-length = 5\n'
    assert parse_config("pyproject.toml", other) == (Config(), ())
    assert parse_config("pyproject.toml", "[project\n") == (Config(), ())
    assert holds_config("pyproject.toml", text) and not holds_config("pyproject.toml", other)
    assert holds_config(NAME, "")
    (defect,) = parse_config("pyproject.toml", "[tool]\nevidencedesk = 3\n")[1]
    assert defect.message == "`tool.evidencedesk` must be a table"


FAULTS: list[tuple[str, list[tuple[str, str]]]] = [
    # text; (text at the defect, beginning of the message)
    ("retreival.k = 3", [("retreival", "there is no setting `retreival`; did you mean `retrieval`?")]),
    ("[retrieval]\ntopk = 3", [("topk", "there is no setting `retrieval.topk`; known here are searcher, k,")]),
    ('[retrieval]\nk = "5"', [('"5"', "`retrieval.k` must be a whole number")]),
    ("[retrieval]\nk = 0", [("0", "`retrieval.k` must be at least 1")]),
    ("[retrieval]\nk = true", [("true", "`retrieval.k` must be a whole number")]),
    (
        '[retrieval]\nsearcher = "hybird"',
        [('"hybird"', '`retrieval.searcher` must be "sparse", "dense", "hybrid", "lexical" or "corrective"')],
    ),
    ("[retrieval]\nmmr_lambda = 1.5", [("1.5", "`retrieval.mmr_lambda` must be at most 1")]),
    ("[retrieval.gate]\naccept = -0.1", [("-0.1", "`retrieval.gate.accept` must be at least 0")]),
    (
        "[retrieval.correction]\naccept = 0.1",
        [("0.1", "`retrieval.correction.reject` must not exceed `retrieval.correction.accept`, but they are 0.2 and")],
    ),
    ("[retrieval.correction]\nmax_rounds = 0", [("0", "`retrieval.correction.max_rounds` must be at least 1")]),
    (
        '[retrieval]\nsearcher = "corrective"\nfloor = 0.01',
        [("0.01", "`retrieval.floor` means nothing to the corrective searcher")],
    ),
    ('[retrieval.gate]\ngrader = "model"', [('"model"', '`retrieval.gate.grader` must be "coverage"')]),
    (
        '[analysis.ru]\nstemer = "russian"',
        [("stemer", "there is no setting `analysis.ru.stemer`; did you mean `stemmer`?")],
    ),
    ('[analysis.ru]\nstop_words = "standard"', [('"standard"', '`stop_words` must be "default", "none" or a list')]),
    ('[analysis.ru]\nsynonyms = [["велосипед"]]', [('["велосипед"]', "`analysis.ru.synonyms[0]` must have at least")]),
    (
        '[analysis.de]\nstop_words = "default"',
        [('"default"', 'there is no list of stop words for "de" (there is for bn,')],
    ),
    ("[analysis.russian]", [("russian", '"russian" is not a language code such as "ru" or "pt-BR"')]),
    (
        "[retrieval]\nfloor = 0.3",
        [("0.3", "`retrieval.floor` is 0.3, but no hybrid score exceeds 0.03279 (two rankings fused with rrf_k = 60)")],
    ),
    (
        '[retrieval]\nsearcher = "dense"\nfloor = 1.5',
        [("1.5", "`retrieval.floor` is 1.5, but no dense score exceeds 1 (cosine similarity)")],
    ),
    ("retrieval = 5", [("5", "`retrieval` must be a table")]),
    ("[chunking]\nsize = 40\noverlap = 40", [("40", "`chunking.overlap` must be smaller than `chunking.size`")]),
    (
        '[chunking]\nstrategy = "section"\nsize = 9',
        [("9", '`chunking.size` means nothing to the strategy "section"; it has no options')],
    ),
    ('[scope]\nlangs = "en"', [('"en"', "`scope.langs` must be a list in square brackets")]),
    ("[scope]\nstatuses = []", [("[]", "`scope.statuses` must have at least one entry")]),
    ('[documents]\ninclude = ["!"]', [('"!"', '"!" is not a pattern as in .gitignore')]),
    (
        '[rules]\nselect = [\n  "ED1", # fine\n  5,\n  "ED999",\n]',
        [("5", "`rules.select[1]` must be text in quotation marks"), ('"ED999"', 'there is no rule "ED999"')],
    ),
    (
        '[rules]\nseverity = { ED201 = "bad", XX = "hint" }',
        [('"bad"', '`rules.severity.ED201` must be "error", "warning"'), ("XX", 'there is no rule "XX"')],
    ),
    (
        "[[documents.fields.map]]\nwhen = { a = 1 }",
        [("map", "`set` is missing here")],
    ),
    (
        '[[documents.fields.map]]\nwhen = { a = 1, b = 2 }\nset = { stat = "x" }',
        [
            ("{ a = 1, b = 2 }", "`documents.fields.map[0].when` must have at most one entry"),
            ("stat", '`stat` is not one of "id", "title"'),
        ],
    ),
    ("[retrieval\nk = 3", [("[retrieval", "this is not valid TOML (expected ']'")]),
    ("[retrieval]\nk =", [("k =", "this is not valid TOML (invalid value)")]),
    ("a = 1\r\na = 2\r\n", [("a = 2", "this is not valid TOML (cannot overwrite a value)")]),
    ("a = " + "[" * 5000, [("", "this is nested too deeply")]),
]


@pytest.mark.parametrize(("text", "faults"), FAULTS, ids=[text[:60] for text, _ in FAULTS])
def test_a_fault_is_told_in_plain_words_at_its_place(text: str, faults: list[tuple[str, str]]) -> None:
    _, defects = parse_config(NAME, text)
    assert [defect.span.of(text) for defect in defects] == [place for place, _ in faults]
    for defect, (_, beginning) in zip(defects, faults, strict=True):
        assert defect.message.startswith(beginning)
        assert defect.path == NAME


def test_what_is_wrong_counts_as_unset_and_the_rest_stays() -> None:
    config, defects = parse_config(
        NAME, '[retrieval]\nk = 7\nfloor = 0.3\nfoo = 1\n[rules]\nignore = ["ED1", "nope", "ED2"]\n'
    )
    assert (config.retrieval.k, config.retrieval.floor) == (7, None)
    assert config.rules.ignore == ("ED1", "ED2")
    assert len(defects) == 3


KEYS = (
    "documents documents.include documents.fields documents.fields.id_field documents.fields.map documents.foo "
    "labels.include chunking chunking.strategy chunking.size chunking.overlap chunking.separators retrieval.searcher "
    "retrieval.k retrieval.floor retrieval.rrf_k scope.langs rules.select rules.severity rules.severity.ED2 foo"
)
VALUES = (
    '1 0 -3 0.5 inf nan true "" "x" "fixed" "sparse" "section" [] [1] ["x"] ["ED2"] ["!"] [[]] {} {ED2="hint"} {ED2=1} '
    '[{when={a=1},set={status="x"}}] [{}] [1,{when=1}] 1979-05-27 10:00:00'
)


@given(st.dictionaries(st.sampled_from(KEYS.split()), st.sampled_from(VALUES.split()), max_size=6))
def test_whatever_stands_there_the_configuration_is_usable_and_faults_have_places(entries: dict[str, str]) -> None:
    text = "\n".join(f"{key} = {value}" for key, value in entries.items())
    config, defects = parse_config(NAME, text)
    assert config.chunking_text() and config.contract() and config.field_map() and config.chunker()
    assert all(defect.span.of(text) for defect in defects)


@given(st.text(alphabet="[]{}=.,\"'\\ \nk1retival#"))
def test_any_text_gives_a_configuration(text: str) -> None:
    assert isinstance(parse_config(NAME, text)[0], Config)


def test_a_floor_that_some_score_reaches_is_accepted() -> None:
    for text in (
        "floor = 0.0327",
        'searcher = "sparse"\nfloor = 7.5',
        'searcher = "dense"\nfloor = 0.9',
        "floor = 0.3\nrrf_k = 5",
    ):
        assert parse_config(NAME, "[retrieval]\n" + text)[1] == ()


def test_strategies_are_those_that_exist() -> None:
    assert get_args(Strategy) == tuple(CHUNKERS)
    for strategy in CHUNKERS:
        config, defects = parse_config(NAME, f'[chunking]\nstrategy = "{strategy}"')
        assert defects == ()
        assert config.chunking_text().startswith(f"{strategy}(")
        assert callable(config.chunker())


def test_the_schema_accepts_what_the_reader_accepts_and_explains_every_setting() -> None:
    schema: dict[str, Any] = config_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid({"retrieval": {"k": 3, "searcher": "dense"}, "rules": {"severity": {"ED2": "hint"}}})
    assert not validator.is_valid({"retrieval": {"topk": 3}})
    assert not validator.is_valid({"chunking": {"strategy": "paragraphs"}})
    silent = [
        f"{name}.{key}"
        for name, model in {**schema["$defs"], "Config": schema}.items()
        for key, setting in model.get("properties", {}).items()
        if not (setting.get("description") or schema["$defs"][setting["$ref"].rpartition("/")[2]]["description"])
    ]
    assert silent == []
