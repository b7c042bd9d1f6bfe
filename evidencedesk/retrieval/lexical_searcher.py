"""Search by stems, synonyms and the densest passage. Invariant: a chunk is read in its own language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from evidencedesk.retrieval.analyzers import Analyzers
from evidencedesk.retrieval.candidates import Candidate, RankedList
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.corpus import Corpus, Part
from evidencedesk.retrieval.digest import Bags, Digest, bags, digest_nothing
from evidencedesk.retrieval.passages import Entry, PassageIndex, RetrievalConfig, Sentences, entry_terms, formula_of
from evidencedesk.retrieval.searcher import Allowed, untold
from evidencedesk.retrieval.word_search import WordSearch
from evidencedesk.text.analysis import Analysis, snowball, weigh
from evidencedesk.text.word_lists import WordLists


class LexicalSearcher:
    """BM25 over stems and synonyms, then a second look at the passages of the best `max(k, depth)` chunks.

    See PassageIndex; a chunk's section is its title, and its candidate names the passage. A language that the analysis
    does not name is read by its Snowball algorithm and stop words, where it has them; a text of no language as
    English. Only positive scores are returned, ties by BM25, then by chunk id. The index is built when first searched.
    """

    name = "lexical"

    def __init__(
        self,
        chunks: Sequence[Chunk],
        analysis: Analysis | None = None,
        *,
        depth: int = 20,
        config: RetrievalConfig | None = None,
    ) -> None:
        self._begin(Corpus.of_chunks(chunks, digest_nothing), analysis or Analysis(), depth, config)

    @classmethod
    def over(
        cls, corpus: Corpus, analysis: Analysis, depth: int, before: LexicalSearcher | None = None
    ) -> LexicalSearcher:
        """The searcher of a corpus; of its digests nothing is read.

        `before`, that of the corpus before, gives its terms if it was searched; this changes no result.
        """
        made = cls.__new__(cls)
        made._begin(corpus, analysis, depth, None)
        if before and corpus.follows(before._corpus) and before._analysis == analysis and before._built:
            made._follow(before, before._built)
        return made

    def _begin(self, corpus: Corpus, analysis: Analysis, depth: int, config: RetrievalConfig | None) -> None:
        self.depth = depth
        self._corpus = corpus
        self._analysis = analysis
        self._analyzers = Analyzers(corpus.langs, Analysis(analysis.by_lang, lambda lang: snowball(lang or "en")))
        self._config = config or RetrievalConfig()
        self._built: WordSearch | None = None
        self._bags: Mapping[Digest, Bags] = {}
        self._sentences: Sentences = {}
        self._held: dict[tuple[str, str], frozenset[str]] = {}

    def _follow(self, before: LexicalSearcher, words: WordSearch) -> None:
        if self._corpus.step.moved is None:
            self._sentences, self._held = before._sentences, before._held
        if before._analyzers.present != self._analyzers.present:
            words.forget()
        self._build(before._bags, words)

    def _build(self, known: Mapping[Digest, Bags], words: WordSearch | None) -> WordSearch:
        parts = self._corpus.parts.values()
        self._bags = own = {part.digest: known.get(part.digest) or self._bags_of(part) for part in parts}
        self._built = WordSearch(
            self._corpus, lambda part: own.get(part.digest) or known[part.digest], formula_of(self._config), words
        )
        return self._built

    def _bags_of(self, part: Part) -> Bags:
        return bags(WordLists.of(entry_terms(self._entry_of(chunk), self._config) for chunk in part.chunks))

    def _entry_of(self, chunk: Chunk) -> Entry:
        return Entry(chunk.text, chunk.section, self._analyzers.of(chunk.lang).terms, chunk.lang)

    @property
    def _words(self) -> WordSearch:
        return self._built or self._build({}, None)

    @cached_property
    def index(self) -> PassageIndex:
        """The chunks by their slots."""
        return PassageIndex.over(
            self._words.bm25, self._config, lambda slot: self._entry_of(self._corpus.chunks[slot]), self._sentences
        )

    def search(self, query: str, k: int = 5, allowed: Allowed = None) -> RankedList:
        """See Searcher. Any thread may call it."""
        best = self._words.scan([query], self._weights, max(k, self.depth), allowed, self.name)
        return self._look_again(query, best.slots[0].tolist(), best.scores[0].tolist())[: max(k, 0)]

    def search_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None) -> list[RankedList]:
        """See Searcher."""
        best = self._words.best(queries, self._weights, max(k, self.depth), allowed, untold, self.name)
        found = zip(best.slots.tolist(), best.scores.tolist(), strict=True)
        return [self._look_again(query, *one)[: max(k, 0)] for query, one in zip(queries, found, strict=True)]

    def _weights(self, query: str) -> dict[str, float]:
        return weigh(query, self._analyzers.present, repeats=True)

    def _look_again(self, query: str, slots: Sequence[int], scores: Sequence[float]) -> RankedList:
        pairs = [(slot, score) for slot, score in zip(slots, scores, strict=True) if slot >= 0]
        return [
            Candidate(self._corpus.chunks[one.row], one.score, rank, self.name, passage=one.passage)
            for rank, one in enumerate(self.index.look_again(pairs, self._weights(query)), start=1)
        ]

    def coverage(self, query: str, chunk: Chunk) -> float:
        """How much of a question, as the chunk's language reads it, the chunk with its title and section speaks about.

        From 0 to 1; see `PassageIndex.coverage`.
        """
        analyzer = self._analyzers.of(chunk.lang)
        text = chunk.to_passage().text
        key = chunk.lang, text
        if key not in self._held:
            self._held[key] = frozenset(analyzer.terms(text))
        return self.index.coverage(self._held[key], analyzer.content(query), analyzer.related)

    def rarity(self, word: str) -> float:
        """The weight in the index of what a word is searched by; 0 for a stop word of some language."""
        weighed = (map(self.index.weight, analyzer.content(word)) for analyzer in self._analyzers.present)
        return min((max(weights, default=0.0) for weights in weighed), default=0.0)

    def best_coverage(self, query: str, found: RankedList) -> float:
        """The greatest coverage that one of the candidates reaches, 0 without any."""
        return max((self.coverage(query, candidate.chunk) for candidate in found), default=0.0)
