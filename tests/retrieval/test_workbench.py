"""What a workbench script does with the shipped sample beyond searching it: copied chunks, an index, traces by hand."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from evidencedesk.retrieval.candidates import Candidate, Contribution, RankedList, ids, ranked
from evidencedesk.retrieval.catalog import Catalog, Scope, load_catalog
from evidencedesk.retrieval.fusion import K, rrf
from evidencedesk.retrieval.labels import load_labels
from evidencedesk.retrieval.report import run_trace
from evidencedesk.retrieval.searchers import DenseSearcher, SparseSearcher
from evidencedesk.retrieval.taxonomy import Finding, Trace, diagnose
from evidencedesk.retrieval.vectors import Model, VectorIndex, top_k, unusable_reason


@cache
def paragraphs() -> Catalog:
    return load_catalog("paragraph")


def test_a_copied_chunk_is_allowed_and_ranks_beside_its_original() -> None:
    catalog = paragraphs()
    first = SparseSearcher(catalog.chunks).search("RD2-24")[0].chunk
    copied = Catalog([*catalog.chunks, replace(first, id="zz-twin")], catalog.audience)
    searcher = SparseSearcher(copied.chunks)
    assert ids(searcher.search("RD2-24", 3, copied.allowed(Scope()))) == [first.id, "zz-twin"]
    label = next(label for label in load_labels() if "RD2-24" in label.question)
    trace = run_trace(label, searcher, copied, Scope(), 3)
    assert Finding("context", "duplicate_chunks", f"zz-twin says the same as {first.id}") in diagnose(label, trace)


def test_the_vector_index_ranks_as_the_dense_searcher_does() -> None:
    model = Model.toy()
    chunks = paragraphs().chunks
    index, _ = VectorIndex.build([chunk.to_passage() for chunk in chunks], model, "fixed-clock")
    index.meta.check(model)
    question = load_labels()[0].question
    assert unusable_reason(question) is None
    hits = top_k(model.embed_batch([question])[0], index.matrix, index.ids, 5)
    found = DenseSearcher(chunks, model).search(question, 5)
    assert [(hit.passage_id, hit.score) for hit in hits] == [(one.chunk.id, one.score) for one in found]


def test_a_trace_may_be_made_by_hand() -> None:
    label = next(label for label in load_labels() if label.answerable)
    answer = next(chunk for chunk in paragraphs().chunks if label.grade_of(chunk) == 2)
    retrieved: RankedList = ranked([(answer, 0.5)], "mine")
    assert diagnose(label, Trace(paragraphs().chunks, retrieved, retrieved)) == []
    assert retrieved == [Candidate(answer, 0.5, 1, "mine")]
    assert rrf([retrieved])[0].parts == (Contribution("mine", 1, 0.5),)
    assert rrf([retrieved])[0].score == 1 / (K + 1)
