"""The Russian lexical index against its table of cases."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from evidencedesk.retrieval.lexical import (
    BM25Index,
    RagConfig,
    RetrievalConfig,
    SynonymExpander,
    sentences,
    tokens,
)

TABLE = json.loads((Path(__file__).parent / "cases" / "russian_lexical.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Doc:
    id: str
    audiences: tuple[str, ...] = ("public",)


@dataclass(frozen=True)
class Chunk:
    doc: Doc
    section: str
    text: str


DOCS = {name: Doc(name, tuple(audiences)) for name, audiences in TABLE["docs"].items()}


def index(case: Mapping[str, Any]) -> BM25Index[Chunk]:
    """The table's index with what the case sets otherwise."""
    given = {**TABLE, **case["args"]}
    chunks = [Chunk(DOCS[one["doc"]], one["section"], one["text"]) for one in given["chunks"]]
    settings = RetrievalConfig(**{**TABLE["config"], **case["args"].get("config", {})})
    return BM25Index(chunks, RagConfig(settings, given["synonyms"]))


def arguments(case: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in case["args"].items() if name not in ("config", "synonyms", "chunks")}


def close(expected: Any) -> Any:
    return pytest.approx(expected, abs=1e-9, rel=1e-9)


def cases(name: str) -> pytest.MarkDecorator:
    found = [case for case in TABLE["cases"] if case["fn"] == name]
    assert found
    return pytest.mark.parametrize("case", found, ids=[case["id"] for case in found])


def test_every_case_of_the_table_is_run() -> None:
    run = {"tokens", "sentences", "query_terms", "index", "search", "coverage", "boost"}
    assert {case["fn"] for case in TABLE["cases"]} == run


@cases("tokens")
def test_tokens(case: Mapping[str, Any]) -> None:
    assert tokens(**case["args"]) == case["expect"]


@cases("sentences")
def test_sentences(case: Mapping[str, Any]) -> None:
    assert sentences(**case["args"]) == case["expect"]


@cases("query_terms")
def test_query_terms(case: Mapping[str, Any]) -> None:
    assert index(case).query_terms(case["args"]["query"]) == close(case["expect"])


@cases("index")
def test_index_numbers(case: Mapping[str, Any]) -> None:
    expected, found = case["expect"], index(case)
    assert found.lengths == expected["len"]
    assert found.avg_len == expected["avg_len"]
    assert {term: found.idf[term] for term in expected["idf"]} == close(expected["idf"])
    for key, count in expected.items():
        if key.startswith("tf_chunk_"):
            row, term = key.removeprefix("tf_chunk_").split("_")
            assert found.tf(int(row), term) == count


@cases("search")
def test_search(case: Mapping[str, Any]) -> None:
    found = index(case)
    hits = [
        {"chunk": found.chunks.index(hit.chunk), "score": hit.score, "bm25": hit.bm25, "passage": hit.passage}
        for hit in found.search(**arguments(case))
    ]
    assert [(hit["chunk"], hit["passage"]) for hit in hits] == [
        (one["chunk"], one["passage"]) for one in case["expect"]
    ]
    for hit, expected in zip(hits, case["expect"], strict=True):
        assert (hit["score"], hit["bm25"]) == close((expected["score"], expected["bm25"]))
    if "coverage_of" in case:
        assert found.coverage(*case["coverage_of"]) == 1.0


@cases("coverage")
def test_coverage(case: Mapping[str, Any]) -> None:
    assert index(case).coverage(**case["args"]) == close(case["expect"])


@cases("boost")
def test_boost(case: Mapping[str, Any]) -> None:
    found = index(case)
    assert [found.boost(chunk, case["args"]["audience"]) for chunk in found.chunks] == case["expect"]


def small(*texts: str, **settings: Any) -> BM25Index[Chunk]:
    chunks = [Chunk(Doc(f"d{place}"), "Раздел", text) for place, text in enumerate(texts)]
    return BM25Index(chunks, RagConfig(RetrievalConfig(**settings)))


@pytest.mark.parametrize("docs", [[], set(), ["no-such"]])
def test_no_document_wanted_gives_no_hit(docs: Any) -> None:
    assert small("Замена колеса.").search("замена", docs=docs, min_score=0.0) == []


def test_texts_without_a_word_give_no_hit() -> None:
    assert BM25Index([Chunk(Doc("d"), "", "")] * 3).search("замена", min_score=0.0) == []


@pytest.mark.parametrize(("top_k", "hits"), [(None, 2), (0, 2), (1, 1), (9, 3), (-1, 0)])
def test_the_number_of_hits(top_k: int | None, hits: int) -> None:
    found = small("Замена колеса.", "Замена цепи.", "Замена седла.", min_score=0.0, top_k=2)
    assert len(found.search("замена", top_k=top_k)) == hits


def test_coverage_of_a_foreign_text_counts_a_word_that_the_index_does_not_know() -> None:
    found = small("Замена колеса.", "Замена цепи.")
    rarest = found.idf["колес"]
    assert found.coverage("Спицы и колеса", "спицы") == 1.0
    assert found.coverage("Спицы", "спицы колеса") == close(2 * rarest / (3 * rarest))


def test_overlap_weighs_the_terms_that_a_text_holds() -> None:
    found = small("Замена колеса.", "Замена цепи.")
    terms = found.query_terms("колеса цепь")
    assert found.overlap("Про колесо", terms) == found.idf["колес"]
    assert found.overlap("Про колесо", {"колес": 0.5, "цеп": 1.0}) == found.idf["колес"] / 2
    assert found.overlap("Про колесо", ["колес", "цеп"]) == found.idf["колес"]
    assert found.overlap("Про другое", terms) == 0


def test_a_better_window_lifts_a_chunk_and_a_weight_of_zero_does_not() -> None:
    texts = ("Колесо большое. Что еще сказать. Замена седла.", "Замена колеса. Что еще сказать. Седло большое.")
    lifted = small(*texts, window_sentences=1, min_score=0.1).search("замена колеса")
    assert [(hit.chunk.doc.id, hit.passage) for hit in lifted] == [("d1", "Замена колеса."), ("d0", "Колесо большое.")]
    level = small(*texts, window_sentences=1, min_score=0.1, window_weight=0.0).search("замена колеса")
    assert [hit.chunk.doc.id for hit in level] == ["d0", "d1"]
    assert all(hit.score == hit.bm25 for hit in level)


def test_synonym_groups_do_not_chain_and_empty_phrases_say_nothing() -> None:
    expander = SynonymExpander([["велосипед", "байк"], ["байк", "мотоцикл"], ["и в", "седло"]])
    assert expander.expand(tokens("велосипед")) == {"велосипед": 1.0, "байк": 0.7}
    assert expander.related["байк"] == {"велосипед", "мотоцикл"}


def test_nothing_configured_still_searches() -> None:
    chunk = Chunk(Doc("d"), "Колёса", "Замену колеса оплачивает мастерская.")
    assert [hit.chunk for hit in BM25Index([chunk, replace(chunk, section="x", text="Другое.")]).search("колесо")] == [
        chunk
    ]
