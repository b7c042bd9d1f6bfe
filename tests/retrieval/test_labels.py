from __future__ import annotations

import pytest

from evidencedesk.documents.markdown import parse_document
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.chunking import make_chunker
from evidencedesk.retrieval.labels import DATA, Gold, Label, load_labels


def chunk(text: str, doc_id: str = "refunds") -> Chunk:
    return make_chunker("section")(parse_document(f"{doc_id}.md", text))[0]


def label(*gold: tuple[str, str, int]) -> Label:
    return Label("q1", "How long?", gold=tuple(Gold(*entry) for entry in gold))


@pytest.mark.parametrize(
    ("source", "evidence"),
    [
        ("Paid within 5 business days.", "within 5 business days"),
        ("Paid within\n5   business days.", "within 5 business days"),
        ("Paid within **5** business days.", "within 5 business days"),
        ("PAID WITHIN 5 BUSINESS DAYS.", "within 5 business days"),
        ("It’s “free” – for all.", 'It\'s "free" - for all'),
        ("Cafe\u0301 bons are paid.", "Caf\u00e9 bons"),
        ("সাইকেল ফেরত দেওয়া যায়", "ফেরত দেও\u09af\u09bcা"),
        ("| Part | Nm |\n| --- | --- |\n| Stem | 5 |", "Stem | 5"),
    ],
)
def test_evidence_is_found_whatever_its_form(source: str, evidence: str) -> None:
    assert label(("refunds#Money", evidence, 2)).grade_of(chunk(source)) == 2


@pytest.mark.parametrize("evidence", ["within 6 business days", "alpha", "", "  ", "**"])
def test_what_is_not_there_has_no_grade(evidence: str) -> None:
    assert label(("refunds#Money", evidence, 2)).grade_of(chunk("Paid within **5** business days at α.")) == 0


def test_the_best_of_several_gold_entries_counts() -> None:
    question = label(("refunds#Money", "5 business days", 1), ("refunds#Money", "Paid within 5 business days", 2))
    assert question.grade_of(chunk("Paid within 5 business days.")) == 2
    assert question.grade_of(chunk("In 5 business days.")) == 1


def test_the_document_counts_but_not_the_section() -> None:
    question = label(("refunds#Money", "5 business days", 2))
    assert question.grade_of(chunk("# Elsewhere\n\n5 business days")) == 2
    assert question.grade_of(chunk("5 business days", doc_id="returns")) == 0


def test_gold_names_a_document_and_a_heading() -> None:
    gold = Gold("refunds#C# guide", "x")
    assert (gold.doc_id, gold.heading, gold.grade) == ("refunds", "C# guide", 2)
    assert Gold("a#b#Money", "x", doc_id="a#b").heading == "Money"
    assert Gold("refunds", "x").heading == ""


def test_the_samples_labels_load_in_file_order() -> None:
    labels = load_labels()
    assert (DATA / "labels.json").is_file()
    assert labels[0].id == "rc01"
    assert labels[0].gold[0].doc_id == "kc-returns-v3"
    assert {label.id for label in labels if not label.answerable} == {"rc13", "rc14", "rc15"}
