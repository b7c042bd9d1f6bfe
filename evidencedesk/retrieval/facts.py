"""All that the rules may read about one state of a workspace. Invariant: immutable; no rule sees a file or a clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, NamedTuple

from evidencedesk.documents.document import Document
from evidencedesk.documents.versions import Versions
from evidencedesk.retrieval.calibration import Calibration
from evidencedesk.retrieval.catalog import Catalog
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.digest import Digest
from evidencedesk.retrieval.evaluation import Contract, Evaluation, Standing
from evidencedesk.retrieval.label_file import LabelFile
from evidencedesk.retrieval.run_file import RunFile
from evidencedesk.retrieval.twins import Twins
from evidencedesk.text.normal import Match
from evidencedesk.text.spans import Span


class ChunkSize(NamedTuple):
    """A number of `characters` or `words`."""

    number: int
    unit: Literal["characters", "words"]


@dataclass(frozen=True, slots=True)
class ChunkedDocument:
    """A document and its chunks, in source order; `digest` is what they contribute to the index, where it is known."""

    document: Document
    chunks: tuple[Chunk, ...]
    digest: Digest | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class UnfindableSection:
    """A section that its own title and heading do not retrieve: the query tried and the ids that came instead."""

    path: str
    anchor: str
    query: str
    winners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConfigDefect:
    """What is wrong at one place of a configuration file; `message` is a sentence that says what is accepted."""

    path: str
    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class UnusedSuppression:
    """A suppressed code that suppressed nothing: `span` covers the code, `whole` the comment or array that holds it."""

    path: str
    code: str
    span: Span
    whole: Span


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that holds a text, and the first place in its body where it does."""

    document: Document
    match: Match


class EqualChunks(NamedTuple):
    """Ids of two or more chunks that say the same and matter to an author (see `repeats`), and their pages."""

    ids: tuple[str, ...]
    paths: tuple[str, ...]


class SimilarChunks(NamedTuple):
    """The same of chunks that are linked by near twins, directly or through others.

    `copied` is whether their pages share equal chunks as well.
    """

    ids: tuple[str, ...]
    paths: tuple[str, ...]
    copied: bool


class EqualPages(NamedTuple):
    """A page, and all pages with the same body, in path order."""

    path: str
    paths: tuple[str, ...]


class UnfindablePage(NamedTuple):
    """The sections of one page that are not found."""

    path: str
    sections: tuple[UnfindableSection, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """One state of the workspace, before rules.

    `documents` and `label_files` are keyed by path, in path order; `by_id` holds the first document (in path order) of
    each id; `evaluations` are keyed by label id (first in path order when two labels share one). `chunking` is the
    configured strategy in words, such as `fixed(size=200, overlap=40)`; `word_limit` the number of words that the
    configured model reads of a passage (None: no limit). `before` holds what each question's standing is compared
    with, and `before_name` says what that is ("the baseline", "the last saved state"). `rule_codes` are all that exist.
    `chunk_size` is the largest size of a chunk that is configured (None: the strategy knows none). `run_files` are the
    recorded runs, by path, in path order. `elsewhere` says, for each gold evidence that is not in the document its
    label names, which document holds it (None: none does). `equal_chunks` and `similar_chunks` hold what of the groups
    of `twins` matters, by the first chunk's id, `equal_pages` and `unfindable_pages` groups by each page's path.
    """

    documents: Mapping[str, ChunkedDocument]
    by_id: Mapping[str, ChunkedDocument]
    label_files: Mapping[str, LabelFile]
    catalog: Catalog
    contract: Contract
    chunking: str
    evaluations: Mapping[str, Evaluation]
    twins: Twins
    word_limit: int | None
    before: Mapping[str, Standing]
    before_name: str
    config_defects: tuple[ConfigDefect, ...]
    rule_codes: frozenset[str]
    today: date
    chunk_size: ChunkSize | None = None
    run_files: Mapping[str, RunFile] = field(default_factory=dict)
    elsewhere: Mapping[str, Hit | None] = field(default_factory=dict)
    calibration: Calibration = field(default_factory=Calibration)
    versions: Versions = field(default_factory=lambda: Versions(()))
    equal_chunks: Mapping[str, EqualChunks] = field(default_factory=dict)
    similar_chunks: Mapping[str, SimilarChunks] = field(default_factory=dict)
    equal_pages: Mapping[str, EqualPages] = field(default_factory=dict)
    unfindable_pages: Mapping[str, UnfindablePage] = field(default_factory=dict)
