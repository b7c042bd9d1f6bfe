"""Files → documents, digests and twin keys. Invariant: the same values, read here, elsewhere or in an earlier run.

What is read of one file is one record of bytes (see `columns`): the cache keeps it, and another process that reads a
part of a large folder sends it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from evidencedesk.documents.document import Defect
from evidencedesk.documents.markdown import parse_document
from evidencedesk.retrieval.digest import ChunkWords, digest
from evidencedesk.retrieval.embedding import Model
from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.retrieval.twin_keys import TripleKeys, TwinKeys, twin_keys
from evidencedesk.text.spans import Span
from evidencedesk.workspace.cache import Cache, key_of, program_hash
from evidencedesk.workspace.column_bytes import Bytes
from evidencedesk.workspace.columns import Codec, UnreadableError, UnwritableError
from evidencedesk.workspace.config import Config
from evidencedesk.workspace.files import Source
from evidencedesk.workspace.sharing import Helpers

MODEL = Model.hashed()
"""What embeds the chunks."""

SOURCES: Codec[tuple[Source, ...]] = Codec(tuple[Source, ...])
"""Writes the files of a batch."""

REMEMBER_FROM = 200_000
"""So many characters take half a second to read."""

HELP_FROM = 2_000_000
"""So many characters take longer to read than another process takes to start."""

_HELPER = "evidencedesk.workspace.reading_helper"
_BATCH = 1 << 16
_MOST_CORES = 4


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What is read of a file. `keys`, and the digest of the document, may be left for those who need them to make."""

    document: ChunkedDocument
    keys: TwinKeys | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """A Reading in full as its record holds it."""

    document: ChunkedDocument
    body: bytes
    texts: NDArray[np.bytes_]
    sizes: NDArray[np.int32]
    triples: TripleKeys


_KEPT: Codec[_Kept] = Codec(_Kept)

Progress = Callable[[int, int], None]
"""Called with the number of documents that are done, and of all."""


def read_document(source: Source, config: Config) -> ChunkedDocument:
    """Text → Document → Chunks."""
    document = parse_document(source.path, source.text, config.field_map(), source.bad)
    if source.error:
        unreadable = Defect("unreadable", Span(0, 0), source.error)
        document = replace(document, defects=(unreadable, *document.defects))
    return ChunkedDocument(document, tuple(config.chunker()(document)))


def read_in_full(source: Source, config: Config) -> Reading:
    """The file with all that the index and the search for twins want of it."""
    document = read_document(source, config)
    chunks = document.chunks
    found = ChunkWords.of(chunks)
    digested = replace(document, digest=digest(chunks, config.text_analysis(), MODEL, found))
    return Reading(digested, twin_keys(document.document, chunks, found.texts))


def is_large(texts: Iterable[str]) -> bool:
    """Whether there is so much to read that remembering it is worth files on the disk."""
    left = REMEMBER_FROM
    return any((left := left - len(text)) <= 0 for text in texts)


def helpers_here() -> int:
    """How many processes can work beside this one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, _MOST_CORES) - 1


class Reader:
    """`read_document` for many files at once, with a cache and other processes where there are any."""

    def __init__(self, cache: Cache | None = None, helpers: int = 0) -> None:
        """`helpers` is the number of processes that may help when there is much to read."""
        self._cache = cache
        self._helpers = helpers

    def read_all(self, sources: Sequence[Source], config: Config, progress: Progress) -> list[Reading]:
        """The documents, in order. A few are simply read: the states between two keystrokes are not worth keeping."""
        if not is_large(source.text for source in sources):
            return [Reading(read_document(source, config)) for source in sources]
        # Pages share most of their words, and some of their chunks.
        known: dict[str, str] = {}
        cache, places = self._cache, range(len(sources))
        if cache is None:
            found = dict(self._read(sources, places, config, known, progress))
            return [found[place] for place in places]
        keys = document_keys(sources, config)
        missing = [place for place in places if cache.get(keys[place]) is None]
        found = {}
        for place, record in self._records(sources, missing, config, progress):
            if isinstance(record, Reading):
                found[place] = record
            else:
                cache.put(keys[place], record)
        # What was just read is taken from the disk as well: there its arrays lie, instead of in our memory.
        cache.flush()
        for place in places:
            progress(place, len(sources))
            if place not in found:
                kept = cache.get(keys[place])
                reading = None if kept is None else from_record(kept, sources[place], known)
                found[place] = reading or read_in_full(sources[place], config)
        return [found[place] for place in places]

    def _read(
        self,
        sources: Sequence[Source],
        places: Sequence[int],
        config: Config,
        known: dict[str, str],
        progress: Progress,
    ) -> Iterator[tuple[int, Reading]]:
        """What is at these places, as it comes."""
        for place, record in self._shared(sources, places, config, progress):
            reading = from_record(record, sources[place], known) if record else None
            yield place, reading or _with_known(read_in_full(sources[place], config), known)

    def _records(
        self, sources: Sequence[Source], places: Sequence[int], config: Config, progress: Progress
    ) -> Iterator[tuple[int, bytes | Reading]]:
        """The records of what is at these places, as they come; what has no record is given itself."""
        for place, record in self._shared(sources, places, config, progress):
            if record:
                yield place, record
            else:
                reading = read_in_full(sources[place], config)
                yield place, to_record(reading, sources[place]) or reading

    def _shared(
        self, sources: Sequence[Source], places: Sequence[int], config: Config, progress: Progress
    ) -> Iterator[tuple[int, bytes]]:
        """These places with the records that helpers made; the others, with b"", are for this process to read now."""

        def request(batch: range) -> bytes:
            return SOURCES.encode(tuple(sources[places[number]] for number in batch))

        sizes = [len(sources[place].text) for place in places]
        setup = config.model_dump_json().encode()
        helpers = self._helpers if sum(sizes) >= HELP_FROM and _understood(setup, config) else 0
        greeting = program_hash().encode() if helpers else b""
        batches = _batches(sizes)
        done = 0
        with Helpers(_HELPER, helpers, greeting=greeting, setup=setup, batches=batches, request=request) as shared:
            for batch, records in shared.batches():
                for number, record in zip(batch, records or [b""] * len(batch), strict=True):
                    progress(done, len(places))
                    yield places[number], record
                    done += 1


def _with_known(reading: Reading, known: dict[str, str]) -> Reading:
    """The same with each word of the digest as the one object that is `known`."""
    made = reading.document.digest
    if made is None:
        return reading
    vocabulary = tuple(map(known.setdefault, made.words.vocabulary, made.words.vocabulary))
    shared = replace(made, words=replace(made.words, vocabulary=vocabulary))
    return replace(reading, document=replace(reading.document, digest=shared))


def to_record(reading: Reading, source: Source) -> bytes:
    """What was read of a file in full as bytes; none when it holds a value that has no place in them."""
    keys = reading.keys
    if keys is None:
        return b""
    try:
        kept = _Kept(reading.document, keys.body, keys.texts, keys.sizes, keys.triples)
        return _KEPT.encode(kept, (source.text, source.path))
    except UnwritableError:
        return b""


def from_record(record: Bytes, source: Source, known: dict[str, str] | None = None) -> Reading | None:
    """What was read of a file, back; None when these bytes are none of its records. For `known` see `Codec`."""
    try:
        kept = _KEPT.decode(record, (source.text, source.path), known)
    except UnreadableError:
        return None
    document = kept.document
    keys = TwinKeys(document.document, document.chunks, kept.body, kept.texts, kept.sizes, kept.triples)
    return Reading(document, keys)


def document_keys(sources: Sequence[Source], config: Config) -> list[bytes]:
    """By what the readings of these files are remembered: all that they depend on."""
    settings = config.model_dump_json(include={"documents": {"fields"}, "chunking": True, "analysis": True})
    start = key_of("document", program_hash(), _KEPT.schema, settings, MODEL.name)
    return [key_of("document", start, source.path, source.text, repr((source.bad, source.error))) for source in sources]


def _understood(setup: bytes, config: Config) -> bool:
    """Whether a process that is sent these settings reads as this one does."""
    try:
        return Config.model_validate_json(setup) == config
    except ValidationError:
        return False


def _batches(sizes: Sequence[int]) -> list[range]:
    """Neighbours, together some _BATCH characters, so that helpers neither wait for work nor end much later."""
    batches: list[range] = []
    start = size = 0
    for place, own in enumerate(sizes, start=1):
        size += own
        if size >= _BATCH or place == len(sizes):
            batches.append(range(start, place))
            start, size = place, 0
    return batches
