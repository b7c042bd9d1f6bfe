"""What an evaluation of a large folder starts from instead of from nothing. Invariant: it changes no result.

Beside the documents (see `reading`) the cache keeps what takes longest to find in them: the pools of all queries that
are asked in every state, headings and questions, and the places of the labels' gold. Each is one record, by a hash of
all it was computed from; what does not fit exactly is computed anew.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from evidencedesk.retrieval.dense_searcher import DenseSearcher
from evidencedesk.retrieval.evaluation import GoldPlace
from evidencedesk.retrieval.evidence import Evidence, Page
from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.retrieval.kept_pools import KeptVectors, KeptWords
from evidencedesk.retrieval.labels import Gold
from evidencedesk.retrieval.sparse_searcher import SparseSearcher
from evidencedesk.text.normal import Match
from evidencedesk.workspace.cache import Cache, key_of, program_hash
from evidencedesk.workspace.columns import Codec, UnreadableError, UnwritableError
from evidencedesk.workspace.config import Config
from evidencedesk.workspace.files import Source
from evidencedesk.workspace.reading import document_keys

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """What an evaluation is made of; documents in the order of the index."""

    documents: Collection[Source]
    label_files: Collection[Source]
    config: Config


class _Keys(NamedTuple):
    headings: bytes
    questions: bytes
    places: bytes


class _Made(NamedTuple):
    basis: Basis
    sparse: SparseSearcher
    dense: DenseSearcher
    evidence: Evidence


@dataclass(frozen=True, slots=True, eq=False)
class _Pools:
    words: KeptWords
    vectors: KeptVectors


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """A GoldPlace; sections by their number in the document, and matches in sections by their number in `matches`."""

    doc_id: str
    asked: Gold
    gold: Gold
    sections: tuple[int, ...]
    matches: tuple[Match, ...]
    in_section: tuple[int, ...]
    holders: tuple[str, ...]


_POOLS: Codec[_Pools] = Codec(_Pools)
_PLACES: Codec[tuple[_Place, ...]] = Codec(tuple[_Place, ...])


class KeptState:
    """What a workspace's cache holds of states."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._is_new = True
        self._newest: _Made | None = None
        self._known: tuple[Basis, _Keys] | None = None

    def begin(
        self, basis: Basis, sparse: SparseSearcher, dense: DenseSearcher, by_id: Mapping[str, ChunkedDocument]
    ) -> Evidence | None:
        """Give the first searchers of a workspace the pools that are kept for them.

        Returns where the labels' gold stands, if that is kept; of later states it knows nothing.
        """
        if not self._is_new:
            return None
        self._is_new = False
        keys = self._keys(basis)
        for key in (keys.headings, keys.questions):
            pools = self._read(key, _POOLS)
            if pools is not None:
                sparse.restore(pools.words)
                dense.restore(pools.vectors)
        places = self._read(keys.places, _PLACES)
        try:
            return None if places is None else _evidence(places, by_id)
        except LookupError:
            return None

    def note(self, basis: Basis, sparse: SparseSearcher, dense: DenseSearcher, evidence: Evidence) -> None:
        """Say what the newest state has come to; only that one can be kept."""
        self._newest = _Made(basis, sparse, dense, evidence)

    def write(self) -> None:
        """Keep the newest state; it is on disk after the cache is flushed."""
        if self._newest is None:
            return
        basis, sparse, dense, evidence = self._newest
        k = basis.config.retrieval.k
        keys = self._keys(basis)
        if not (self._cache.holds(keys.headings) and self._cache.holds(keys.questions)):
            words, vectors = sparse.kept(), dense.kept()
            # Headings are tried with the configured k, questions are mostly asked for more.
            for key, is_wanted in ((keys.headings, k.__eq__), (keys.questions, k.__ne__)):
                own_words = tuple(pool for pool in words.pools if is_wanted(pool[0].k))
                own_vectors = tuple(pool for pool in vectors.pools if is_wanted(pool[0].k))
                self._write(key, _POOLS, _Pools(replace(words, pools=own_words), replace(vectors, pools=own_vectors)))
        if not self._cache.holds(keys.places):
            self._write(keys.places, _PLACES, tuple(_places(evidence)))

    def _keys(self, basis: Basis) -> _Keys:
        """Documents count with all that is read of them, label files with their texts."""
        if self._known is not None and self._known[0] is basis:
            return self._known[1]
        config = basis.config
        settings = config.contract().settings_text(config.chunking_text())
        documents = document_keys(list(basis.documents), config)
        start = key_of("state", program_hash(), _POOLS.schema, _PLACES.schema, settings, *documents)
        labels = [text for source in basis.label_files for text in (source.path, source.text, source.error)]
        keys = _Keys(key_of("headings", start), key_of("questions", start, *labels), key_of("places", start, *labels))
        self._known = basis, keys
        return keys

    def _read(self, key: bytes, codec: Codec[Value]) -> Value | None:
        record = self._cache.get(key)
        try:
            return None if record is None else codec.decode(record)
        except UnreadableError:
            return None

    def _write(self, key: bytes, codec: Codec[Value], value: Value) -> None:
        with suppress(UnwritableError):
            self._cache.put(key, codec.encode(value))


def _places(evidence: Evidence) -> Iterator[_Place]:
    for doc_id, page in evidence.pages.items():
        sections = page.chunked.document.sections
        for asked, place in page.places.items():
            yield _Place(
                doc_id,
                asked,
                place.gold,
                tuple(sections.index(section) for section in place.sections),
                place.matches,
                tuple(place.matches.index(match) for match in place.in_section),
                place.holders,
            )


def _evidence(places: Iterable[_Place], by_id: Mapping[str, ChunkedDocument]) -> Evidence:
    """Raises LookupError when the documents are others."""
    pages: dict[str, Page] = {}
    for one in places:
        document = by_id[one.doc_id].document
        place = GoldPlace(
            one.gold,
            document,
            tuple(document.sections[number] for number in one.sections),
            one.matches,
            tuple(one.matches[number] for number in one.in_section),
            one.holders,
        )
        pages.setdefault(one.doc_id, Page(by_id[one.doc_id])).places[one.asked] = place
    return Evidence(by_id, pages)
