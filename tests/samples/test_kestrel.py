"""The sample's structure: numbers that scripts and figures about the sample rely on."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from evidencedesk.documents.markdown import parse_document
from evidencedesk.retrieval.candidates import ids, ranked
from evidencedesk.retrieval.catalog import Catalog, Chunk, Scope, load_catalog
from evidencedesk.retrieval.fusion import rrf
from evidencedesk.retrieval.label_file import looks_like_labels, parse_label_file
from evidencedesk.retrieval.labels import DATA, Label, load_labels
from evidencedesk.retrieval.searchers import SparseSearcher
from evidencedesk.samples import kestrel_documents
from evidencedesk.text.words import words

LABELS = load_labels()
ANSWERABLE = [label for label in LABELS if label.answerable]
PARAGRAPHS = load_catalog("paragraph")
DOCUMENTS = {document.doc_id: document for document in (parse_document(*page) for page in kestrel_documents())}


def label(label_id: str) -> Label:
    return next(label for label in LABELS if label.id == label_id)


def chunk(chunk_id: str, catalog: Catalog = PARAGRAPHS) -> Chunk:
    return catalog.by_id[chunk_id]


def cut(catalog: Catalog) -> list[str]:
    """Ids of the answerable questions whose answer no chunk holds whole."""
    return [label.id for label in ANSWERABLE if not any(label.grade_of(chunk) == 2 for chunk in catalog.chunks)]


def document_frequency(term: str) -> int:
    return sum(term in words(chunk.text) for chunk in PARAGRAPHS.chunks)


@pytest.mark.parametrize(("name", "count"), [("paragraph", 52), ("section", 44), ("fixed", 46), ("structure", 54)])
def test_chunk_counts(name: str, count: int) -> None:
    assert len(load_catalog(name).chunks) == count


def test_the_default_scope_hides_one_superseded_and_one_staff_page() -> None:
    assert len(PARAGRAPHS.allowed(Scope())) == 48
    assert {chunk.id for chunk in PARAGRAPHS.chunks} - PARAGRAPHS.allowed(Scope()) == {
        "kc-returns-v2:c0",
        "kc-returns-v2:c1",
        "kc-staff-goodwill-v1:c0",
        "kc-staff-goodwill-v1:c1",
    }


def test_there_are_fourteen_documents_in_two_languages() -> None:
    assert Counter(document.lang for document in DOCUMENTS.values()) == {"en": 12, "bn": 2}
    assert [document.doc_id for document in DOCUMENTS.values() if document.status != "current"] == ["kc-returns-v2"]
    assert [d.doc_id for d in DOCUMENTS.values() if d.audience != "public"] == ["kc-staff-goodwill-v1"]
    for path, document in zip([path for path, _ in kestrel_documents()], DOCUMENTS.values(), strict=True):
        assert path == f"{document.doc_id}.md"
        assert re.fullmatch(r"kc-[a-z-]+-v\d(-[a-z]{2})?", document.doc_id)
        assert document.front is not None
        assert list(document.front.fields) == ["id", "title", "version", "status", "audience", "lang"]
        assert not document.defects


def test_word_statistics() -> None:
    lengths = [len(words(chunk.text)) for chunk in PARAGRAPHS.chunks]
    assert 1090 <= sum(lengths) <= 1094
    assert f"{sum(lengths) / len(lengths):.1f}" == "21.0"
    assert {term: document_frequency(term) for term in ("rd2-24", "return", "bike", "back")} == {
        "rd2-24": 1,
        "return": 2,
        "bike": 12,
        "back": 1,
    }
    assert len(words(chunk("kc-recalls-v1:c0").text)) == 25
    assert len(words(chunk("kc-returns-v3:c2").text)) == 18


def test_bm25_by_hand_gives_the_searchers_scores() -> None:
    average = sum(len(words(chunk.text)) for chunk in PARAGRAPHS.chunks) / 52
    idf = math.log(1 + (52 - 1 + 0.5) / (1 + 0.5))
    assert f"{idf:.2f}" == "3.56"
    by_hand = {length: idf / (1 + 1.2 * (0.25 + 0.75 * length / average)) for length in (25, 18)}
    assert [f"{score:.2f}" for score in by_hand.values()] == ["1.50", "1.72"]

    sparse, allowed = SparseSearcher(PARAGRAPHS.chunks), PARAGRAPHS.allowed(Scope())
    assert [(c.chunk.id, f"{c.score:.2f}") for c in sparse.search("RD2-24", 5, allowed)] == [
        ("kc-recalls-v1:c0", "1.50")
    ]
    assert [(c.chunk.id, f"{c.score:.2f}") for c in sparse.search("How do I get my money back?", 5, allowed)] == [
        ("kc-returns-v3:c2", "1.72")
    ]
    bm25 = sparse.bm25
    assert (bm25.n, f"{bm25.avg_len:.1f}") == (52, "21.0")


def test_the_torque_table_and_code_stand_where_scripts_expect_them() -> None:
    catalog = load_catalog("structure")
    torque = [chunk for chunk in catalog.chunks if chunk.doc_id == "kc-torque-v1"]
    assert len(torque) == 10
    first_row, code = torque[1], torque[8]
    assert (first_row.kind, first_row.location.label) == ("table", "Values by size, lines 16-18")
    assert [line.split()[:3] for line in first_row.text.splitlines()] == [
        ["|", "Part", "|"],
        ["|", "---", "|"],
        ["|", "Stem", "bolts"],
    ]
    assert (code.kind, code.location.label) == ("code", "Smart wrench, lines 37-40")
    fence, *commands, end = code.text.splitlines()
    assert (fence, len(commands), end) == ("```sh", 2, "```")
    assert "RD2-24-00417" in code.text
    assert chunk("kc-torque-v1:c1").text.startswith("| Part | Size S |")
    text = DOCUMENTS["kc-torque-v1"].text
    table = next(block for block in DOCUMENTS["kc-torque-v1"].blocks if block.kind == "table")
    assert table.span.start < text.index("Stem bolts") < table.span.end


def test_labels() -> None:
    assert [label.id for label in LABELS] == [
        *[f"rc{number:02}" for number in range(1, 16)],
        *[f"h{number:02}" for number in range(1, 10)],
    ]
    assert len(ANSWERABLE) == 21
    tags = Counter(tag for label in LABELS for tag in label.tags)
    kinds = ("exact_term", "paraphrase", "bangla", "structured")
    assert tuple(tags[kind] for kind in kinds) == (4, 6, 3, 6)
    of_kinds = Counter(len(set(kinds).intersection(label.tags)) for label in ANSWERABLE)
    assert of_kinds == {0: 3, 1: 17, 2: 1}
    questions = {
        "rc03": "RD2-24",
        "rc05": "Is a bike returnable after a month?",
        "rc06": "How do I get my money back?",
        "rc15": "Do you sell electric scooters?",
        "h01": "What torque should the stem bolts have on a size M?",
    }
    assert {label_id: label(label_id).question for label_id in questions} == questions
    assert "30 days of delivery" in label("rc01").gold[0].evidence
    assert len(label("rc09").gold[0].evidence) == 69
    assert "stale" in label("rc09").tags
    assert all(label.reason for label in LABELS)


@pytest.mark.parametrize(
    ("name", "options", "lost"),
    [("paragraph", {}, 0), ("section", {}, 0), ("structure", {}, 0), ("fixed", {}, 1)]
    + [("fixed", {"size": 60, "overlap": overlap}, 16) for overlap in (0, 20, 40)]
    + [("fixed", {"size": 60}, 16)],
)
def test_answers_that_a_strategy_cuts(name: str, options: dict[str, int], lost: int) -> None:
    assert len(cut(load_catalog(name, **options))) == lost


@pytest.mark.parametrize("question", LABELS, ids=[label.id for label in LABELS])
def test_gold_stands_in_the_section_it_names(question: Label) -> None:
    assert question.answerable == any(gold.grade == 2 for gold in question.gold)
    for gold in question.gold:
        section = DOCUMENTS[gold.doc_id].sections_named(gold.heading)
        assert len(section) == 1
        holders = [c for c in PARAGRAPHS.chunks if c.section == gold.heading and question.grade_of(c) == gold.grade]
        assert holders


def test_the_files_read_alike_as_sample_and_as_workspace() -> None:
    text = (DATA / "labels.json").read_text(encoding="utf-8")
    assert looks_like_labels("labels.json", text[:8192])
    parsed = parse_label_file("labels.json", text)
    assert not parsed.defects
    assert [entry.label for entry in parsed.entries] == LABELS
    assert not looks_like_labels("rrf_examples.json", (DATA / "rrf_examples.json").read_text(encoding="utf-8"))


class _Named:
    def __init__(self, name: str) -> None:
        self.id = name


@pytest.mark.parametrize(
    "example", json.loads((DATA / "rrf_examples.json").read_text(encoding="utf-8")), ids=lambda example: example["id"]
)
def test_rrf_examples_hold(example: dict[str, Any]) -> None:
    lists = [ranked([(_Named(name), 0.0) for name in ranking], "list") for ranking in example["lists"]]
    fused = rrf(lists, k=example["k"])
    expected = [(name, sum(map(Fraction, total.split(" + ")))) for name, total in example["expected"]]
    assert ids(fused) == [name for name, _ in expected]
    assert [candidate.score for candidate in fused] == [float(total) for _, total in expected]
