"""The obvious alternatives, each as one function. Invariant: they get the same texts and questions, and one thread."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import bm25s
import numpy as np
import tantivy
from markdown_it import MarkdownIt
from threadpoolctl import threadpool_limits

from evidencedesk.retrieval.embedding import Model
from evidencedesk.workspace.snapshot import Snapshot

_ROWS = 256


class Bm25s:
    """bm25s with its compiled backend: words as it makes them, index, and the best `k` chunks of every question."""

    def __init__(self, texts: Sequence[str], questions: Sequence[str], k: int) -> None:
        self._texts, self._questions, self._k = texts, questions, min(k, len(texts))
        self.index()
        self.retrieve()  # compiles

    def index(self) -> None:
        """Words and index anew."""
        tokens = bm25s.tokenize(self._texts, show_progress=False)
        self._index = bm25s.BM25(method="lucene", backend="numba")
        self._index.index(tokens, show_progress=False)

    def retrieve(self) -> None:
        """Ask all questions of the present index."""
        tokens = bm25s.tokenize(self._questions, return_ids=False, show_progress=False)
        self._index.retrieve(tokens, k=self._k, show_progress=False)


class MatrixProduct:
    """All cosines of all questions in single precision, and the best `k` of each."""

    def __init__(self, texts: Sequence[str], questions: Sequence[str], k: int) -> None:
        model = Model.hashed()
        parts = [model.embed_batch(texts[start : start + _ROWS]) for start in range(0, len(texts), _ROWS)]
        self.matrix = np.concatenate(parts)
        self._vectors = model.embed_batch(questions)
        self._k = min(k, len(texts))

    def rank(self) -> None:
        """Score and choose."""
        with threadpool_limits(1, "blas"):
            for start in range(0, len(self._vectors), _ROWS):
                scores = self._vectors[start : start + _ROWS] @ self.matrix.T
                best = np.argpartition(scores, -self._k, axis=1)[:, -self._k :]
                np.take_along_axis(best, np.argsort(-np.take_along_axis(scores, best, 1), axis=1), 1)


def depth_of(snapshot: Snapshot) -> int:
    """How many chunks each leg is asked for."""
    return max(snapshot.facts.contract.k, snapshot.facts.contract.depth)


def parse_with_markdown_it(paths: Sequence[Path]) -> None:
    """Read files and find their blocks."""
    parser = MarkdownIt("commonmark").enable("table").disable("inline")
    for path in paths:
        parser.parse(path.read_text(encoding="utf-8", errors="replace"))


def index_with_bm25s(texts: Sequence[str]) -> None:
    """Words and index."""
    bm25s.BM25(method="lucene").index(bm25s.tokenize(texts, show_progress=False), show_progress=False)


def index_with_tantivy(texts: Sequence[str]) -> None:
    """A committed index on disk, as tantivy makes one, with one thread."""
    schema = tantivy.SchemaBuilder().add_text_field("text", stored=False).build()
    with tempfile.TemporaryDirectory() as folder:
        index = tantivy.Index(schema, path=folder)
        writer = index.writer(num_threads=1)
        for text in texts:
            writer.add_document(tantivy.Document(text=[text]))
        writer.commit()
        writer.wait_merging_threads()
