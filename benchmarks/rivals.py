"""The obvious alternatives, each as one function. Invariant: they get the same texts and questions, and one thread."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import bm25s
import numpy as np
import tantivy
from markdown_it import MarkdownIt
from numpy.typing import NDArray
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
        self._retrieve(self._questions)

    def ask(self, question: str) -> None:
        """Ask one question."""
        self._retrieve([question])

    def _retrieve(self, questions: Sequence[str]) -> None:
        tokens = bm25s.tokenize(questions, return_ids=False, show_progress=False)
        self._index.retrieve(tokens, k=self._k, show_progress=False)


class MatrixProduct:
    """All cosines of all questions in single precision, and the best `k` of each."""

    def __init__(self, texts: Sequence[str], questions: Sequence[str], k: int) -> None:
        model = Model.hashed()
        parts = [model.embed_batch(texts[start : start + _ROWS]) for start in range(0, len(texts), _ROWS)]
        self.matrix = np.concatenate(parts)
        self._vectors = model.embed_batch(questions)
        self._model = model
        self._k = min(k, len(texts))

    def rank(self) -> None:
        """Score and choose for all questions."""
        with threadpool_limits(1, "blas"):
            for start in range(0, len(self._vectors), _ROWS):
                self._best(self._vectors[start : start + _ROWS])

    def ask(self, question: str) -> None:
        """The same for one question."""
        with threadpool_limits(1, "blas"):
            self._best(self._model.embed_batch([question]))

    def _best(self, vectors: NDArray[np.float32]) -> None:
        scores = vectors @ self.matrix.T
        best = np.argpartition(scores, -self._k, axis=1)[:, -self._k :]
        np.take_along_axis(best, np.argsort(-np.take_along_axis(scores, best, 1), axis=1), 1)


class Tantivy:
    """A committed index on disk, made with one thread."""

    def __init__(self, texts: Sequence[str], k: int) -> None:
        self._k = k
        schema = tantivy.SchemaBuilder().add_text_field("text", stored=False).build()
        self._folder = tempfile.TemporaryDirectory()
        self._index = tantivy.Index(schema, path=self._folder.name)
        writer = self._index.writer(num_threads=1)
        for text in texts:
            writer.add_document(tantivy.Document(text=[text]))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()

    def ask(self, question: str) -> None:
        """Ask one question."""
        query, _ = self._index.parse_query_lenient(question, ["text"])
        self._index.searcher().search(query, self._k)


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
