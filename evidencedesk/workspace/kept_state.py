"""What an evaluation of a large folder starts from instead of from nothing. Invariant: it changes no result.

Beside the documents (see `reading`) the cache keeps what takes longest to find in them: the pools of all queries that
are asked in every state, headings and questions, and the places of the labels' gold; and which documents they were
found in. An opening makes the index of those documents again, and goes from there to the present ones like any save.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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
from evidencedesk.workspace.reading import document_keys, from_record, read_in_full, to_record

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """What an evaluation is made of; documents in the order of the index."""

    documents: Collection[Source]
    label_files: Collection[Source]
    config: Config


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


@dataclass(frozen=True, slots=True, eq=False)
class _Latest:
    """The state that was kept last, under `key`.

    `documents` are the key and path of each document, in order; `labels` is a hash of the label files; `pools` and
    `places` are keys of records.
    """

    key: bytes
    documents: tuple[tuple[bytes, str], ...]
    labels: bytes
    pools: tuple[bytes, ...]
    places: bytes

    def is_near(self, other: _Latest) -> bool:
        """Whether going from here to the other state is cheaper than writing that one."""
        new = len(set(other.documents) - set(self.documents))
        return (self.key, self.labels) == (other.key, other.labels) and new <= _FEW * len(other.documents)


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """An earlier state to start from: its documents, and whether they are the present ones."""

    documents: Sequence[ChunkedDocument]
    is_present: bool
    pools: Sequence[_Pools]
    places: tuple[_Place, ...]

    def restore(self, sparse: SparseSearcher, dense: DenseSearcher) -> None:
        """Give searchers that were just made of these documents their pools."""
        for pools in self.pools:
            sparse.restore(pools.words)
            dense.restore(pools.vectors)

    def evidence(self, by_id: Mapping[str, ChunkedDocument]) -> Evidence:
        """Where gold stands in these documents, which `by_id` holds."""
        return _evidence(self.places, by_id)


_POOLS: Codec[_Pools] = Codec(_Pools)
_PLACES: Codec[tuple[_Place, ...]] = Codec(tuple[_Place, ...])
_LATEST: Codec[_Latest] = Codec(_Latest)

_FEW = 0.01

# Stands for a text that is not known any more; half of a surrogate pair is in no text that was read.
_GONE = "\ud800 gone"


class KeptState:
    """What a workspace's cache holds of its states."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._is_new = True
        self._newest: _Made | None = None
        self._written: _Latest | None = None

    def begin(self, basis: Basis, documents: Sequence[ChunkedDocument]) -> Start | None:
        """What the first evaluation of a workspace may start from; of later states it knows nothing.

        `documents` are those of `basis`; of the state that was kept, those that are still the same are these objects.
        """
        if not self._is_new:
            return None
        self._is_new = False
        state = self._read(_latest_key(basis.config), _LATEST)
        if state is None:
            return None
        here = dict(zip(document_keys(list(basis.documents), basis.config), documents, strict=True))
        then = [here.get(key) or self._document(key, path) for key, path in state.documents]
        pools = [self._read(key, _POOLS) for key in state.pools]
        if None in then or None in pools:
            return None
        self._written = state
        return Start(
            [document for document in then if document is not None],
            [key for key, _ in state.documents] == list(here),
            [one for one in pools if one is not None],
            self._read(state.places, _PLACES) or (),
        )

    def note(self, basis: Basis, sparse: SparseSearcher, dense: DenseSearcher, evidence: Evidence) -> None:
        """Say what the newest state has come to; only that one can be kept."""
        self._newest = _Made(basis, sparse, dense, evidence)

    def write(self) -> None:
        """Keep the newest state instead of the one before, unless it is much the same; flush the cache afterwards."""
        if self._newest is None:
            return
        basis, sparse, dense, evidence = self._newest
        config = basis.config
        documents = document_keys(list(basis.documents), config)
        settings = config.contract().settings_text(config.chunking_text())
        start = key_of("state", program_hash(), _POOLS.schema, _PLACES.schema, settings, *documents)
        labels = key_of("labels", *(part for one in basis.label_files for part in (one.path, one.text, one.error)))
        names = tuple(zip(documents, (source.path for source in basis.documents), strict=True))
        pools = key_of("headings", start), key_of("questions", start, labels)
        state = _Latest(_latest_key(config), names, labels, pools, key_of("places", start, labels))
        if self._written is not None and self._written.is_near(state):
            return
        for source, key in zip(basis.documents, documents, strict=True):
            if not self._cache.holds(key):
                self._cache.put(key, to_record(read_in_full(source, config), source))
        if self._written is not None:
            for key in (self._written.key, *self._written.pools, self._written.places):
                self._cache.discard(key)
        words, vectors = sparse.kept(), dense.kept()
        # Pools of the configured k are of headings alone, deeper ones of questions and of headings that words miss.
        for key, is_wanted in zip(pools, (config.retrieval.k.__eq__, config.retrieval.k.__ne__), strict=True):
            own_words = tuple(pool for pool in words.pools if is_wanted(pool[0].k))
            own_vectors = tuple(pool for pool in vectors.pools if is_wanted(pool[0].k))
            self._write(key, _POOLS, _Pools(replace(words, pools=own_words), replace(vectors, pools=own_vectors)))
        self._write(state.places, _PLACES, tuple(_places(evidence)))
        self._write(state.key, _LATEST, state)
        self._written = state

    def _document(self, key: bytes, path: str) -> ChunkedDocument | None:
        """What was read of a file whose text is gone; of its parts only chunks and digest are right."""
        record = self._cache.get(key)
        reading = None if record is None else from_record(record, Source(path, _GONE))
        return None if reading is None else reading.document

    def _read(self, key: bytes, codec: Codec[Value]) -> Value | None:
        record = self._cache.get(key)
        try:
            return None if record is None else codec.decode(record)
        except UnreadableError:
            return None

    def _write(self, key: bytes, codec: Codec[Value], value: Value) -> None:
        with suppress(UnwritableError):
            self._cache.put(key, codec.encode(value))


def _latest_key(config: Config) -> bytes:
    settings = config.contract().settings_text(config.chunking_text())
    return key_of("latest", program_hash(), _LATEST.schema, _POOLS.schema, _PLACES.schema, settings)


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
    pages: dict[str, Page] = {}
    for one in places:
        if one.doc_id not in by_id or by_id[one.doc_id].document.text is _GONE:
            continue
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
