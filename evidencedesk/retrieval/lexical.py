"""Search by stems, synonyms and the densest passage. Invariant: every score comes from one PassageIndex."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from evidencedesk.documents.markdown import parse_document
from evidencedesk.retrieval.chunking import make_chunker
from evidencedesk.retrieval.passages import Entry, PassageIndex, RetrievalConfig, sentences
from evidencedesk.samples import plotva_documents, plotva_synonyms
from evidencedesk.text.analysis import StemmingAnalyzer
from evidencedesk.text.stop_words import STOP_WORDS_BY_LANG
from evidencedesk.text.synonyms import Synonyms

__all__ = [
    "BM25Index",
    "Hit",
    "RagConfig",
    "RetrievalConfig",
    "SynonymExpander",
    "get_index",
    "retrieve",
    "sentences",
    "tokens",
]

_WORD = re.compile(r"[а-яёa-z0-9]+(?:-[а-яёa-z0-9]+)*")


def _russian(synonyms: Iterable[Iterable[str]] = ()) -> StemmingAnalyzer:
    groups = tuple(tuple(group) for group in synonyms)
    return StemmingAnalyzer("russian", STOP_WORDS_BY_LANG["ru"], groups, _WORD.findall)


_RUSSIAN = _russian()


def tokens(text: str) -> list[str]:
    """Stems of the Russian, Latin and numeric words of `text`, without stop words.

    See `StemmingAnalyzer`; words are runs of Russian and ASCII letters and digits with inner hyphens.
    """
    return _RUSSIAN.terms(text)


class SynonymExpander(Synonyms):
    """Groups of Russian phrases that mean the same; see Synonyms."""

    def __init__(self, groups: Iterable[Iterable[str]]) -> None:
        super().__init__([[tokens(phrase) for phrase in group] for group in groups])


@dataclass(frozen=True, slots=True)
class RagConfig:
    """How the index searches, and which phrases mean the same."""

    retrieval: RetrievalConfig = field(default_factory=RetrievalConfig)
    synonyms: Sequence[Sequence[str]] = ()


class Doc(Protocol):
    """What a chunk says of its document."""

    @property
    def id(self) -> str:
        """The document's id."""

    @property
    def audiences(self) -> Iterable[str]:
        """Who may read it."""


class LexicalChunk(Protocol):
    """What the index reads of a chunk."""

    @property
    def doc(self) -> Doc:
        """The document it is of."""

    @property
    def section(self) -> str:
        """The title of its section."""

    @property
    def text(self) -> str:
        """What it says."""


C = TypeVar("C", bound=LexicalChunk)


@dataclass(frozen=True, slots=True)
class Hit(Generic[C]):
    """A chunk with its final and its BM25 score, and the passage that speaks most about the question."""

    chunk: C
    score: float
    bm25: float
    passage: str


class BM25Index(Generic[C]):
    """Russian chunks, searched by stems; ties go to the earlier chunk."""

    def __init__(self, chunks: Sequence[C], config: RagConfig | None = None) -> None:
        self.chunks = chunks
        self.config = config or RagConfig()
        self._analyzer = _russian(self.config.synonyms)
        entries = [Entry(chunk.text, chunk.section, self._analyzer.terms) for chunk in chunks]
        self._index = PassageIndex(entries, self.config.retrieval)

    @property
    def idf(self) -> Mapping[str, float]:
        """The weight of every stem in the index."""
        return self._index.idf

    @property
    def lengths(self) -> Sequence[int]:
        """The number of stems per chunk, those of the section's title `title_weight` times."""
        lengths: list[int] = self._index.bm25.lengths.tolist()
        return lengths

    @property
    def avg_len(self) -> float:
        """The mean of `lengths`, 0 without chunks."""
        return self._index.bm25.avg_len

    def tf(self, row: int, term: str) -> int:
        """How often the chunk at `row` holds a stem, counted as for `lengths`."""
        rows, counts = self._index.bm25.postings(term)
        return int(counts[rows == row].sum())

    def query_terms(self, query: str) -> dict[str, float]:
        """The stems of a question and of what stands for them, with their weights."""
        return self._analyzer.expand(self._analyzer.content(query))

    def search(
        self,
        query: str,
        *,
        audience: str | None = None,
        docs: Iterable[str] | None = None,
        top_k: int | None = None,
        min_score: float | None = None,
    ) -> list[Hit[C]]:
        """The best chunks that `audience` may read (None: all), of the documents `docs` (None: all, empty: none).

        `top_k` and `min_score` are those of the configuration when None, `top_k` also when 0; a `top_k` given also
        widens the pool of candidates. See `PassageIndex.rank` for the score.
        """
        settings = self.config.retrieval
        wanted = None if docs is None else frozenset(docs)
        allowed = np.fromiter((self._may(chunk, audience, wanted) for chunk in self.chunks), np.bool_, len(self.chunks))
        found = self._index.rank(
            self.query_terms(query),
            max(settings.rerank_candidates, top_k or 0),
            settings.min_score if min_score is None else min_score,
            allowed,
            lambda row: self.boost(self.chunks[row], audience),
        )
        return [Hit(self.chunks[one.row], one.score, one.bm25, one.passage) for one in found][
            : max(0, top_k or settings.top_k)
        ]

    def boost(self, chunk: C, audience: str | None) -> float:
        """The factor of a chunk's section for an audience: the first beginning that fits, 1 when none does."""
        prefixes = self.config.retrieval.section_boost.get(audience or "", {})
        return next((factor for prefix, factor in prefixes.items() if chunk.section.startswith(prefix)), 1.0)

    def overlap(self, text: str, terms: Mapping[str, float] | Iterable[str]) -> float:
        """The sum of `idf · weight` over the `terms` (without weights: 1 each) that the text holds."""
        weights = terms if isinstance(terms, Mapping) else dict.fromkeys(terms, 1.0)
        return self._index.overlap(frozenset(self._analyzer.terms(text)), weights)

    def coverage(self, text: str, query: str) -> float:
        """How much of the question the text speaks about, from 0 to 1; see `PassageIndex.coverage`.

        Stems of one and the same phrase are related too, so that half a phrase in the text speaks for the other half.
        """
        return self._index.coverage(
            frozenset(self._analyzer.terms(text)), self._analyzer.content(query), self._analyzer.related
        )

    @staticmethod
    def _may(chunk: C, audience: str | None, docs: AbstractSet[str] | None) -> bool:
        return (audience is None or audience in chunk.doc.audiences) and (docs is None or chunk.doc.id in docs)


@dataclass(frozen=True, slots=True)
class SampleDoc:
    """A page of the sample and who may read it."""

    id: str
    audiences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SampleChunk:
    """A paragraph of the sample."""

    doc: SampleDoc
    section: str
    text: str


@cache
def get_index() -> BM25Index[SampleChunk]:
    """The Russian sample knowledge base, cut by paragraphs, with its synonyms and the default settings."""
    cut = make_chunker("paragraph")
    chunks = []
    for path, text in plotva_documents():
        document = parse_document(path, text)
        doc = SampleDoc(document.doc_id, (document.audience,))
        chunks += [SampleChunk(doc, chunk.section, chunk.text) for chunk in cut(document)]
    return BM25Index(chunks, RagConfig(synonyms=plotva_synonyms()))


def retrieve(query: str, **kw: Any) -> list[Hit[SampleChunk]]:
    """`get_index().search(query, **kw)`."""
    return get_index().search(query, **kw)
