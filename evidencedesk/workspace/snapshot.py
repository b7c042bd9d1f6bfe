"""A Snapshot: everything known about one state of a workspace. Invariant: immutable, and equal for equal input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.candidates import RankedList
from evidencedesk.retrieval.catalog import Chunk
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.label_file import LabelSource
from evidencedesk.retrieval.labels import Label
from evidencedesk.retrieval.taxonomy import Finding
from evidencedesk.rule import Problem


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`facts` is what was found, `problems` what the rules make of it, ordered by path, place and code.

    `texts` holds the text of every file that a problem can stand in.
    """

    revision: int
    facts: Facts
    problems: tuple[Problem, ...]
    texts: Mapping[str, str]

    @property
    def documents(self) -> tuple[Document, ...]:
        """All documents in path order."""
        return tuple(chunked.document for chunked in self.facts.documents.values())

    @property
    def chunks(self) -> list[Chunk]:
        """All chunks, documents in path order."""
        return self.facts.catalog.chunks

    @property
    def label_sources(self) -> tuple[LabelSource, ...]:
        """Every readable entry of every label file, with its place."""
        return tuple(entry for file in self.facts.label_files.values() for entry in file.entries)

    @property
    def labels(self) -> tuple[Label, ...]:
        """All labels, files in path order."""
        return tuple(source.label for source in self.label_sources)

    @property
    def evaluations(self) -> Mapping[str, Evaluation]:
        """Per label id."""
        return self.facts.evaluations

    @property
    def rankings(self) -> Mapping[str, Mapping[str, RankedList]]:
        """Per label id, per searcher name: the ranked list with scores and parts."""
        return {label: evaluation.rankings for label, evaluation in self.facts.evaluations.items()}

    @property
    def findings(self) -> Mapping[str, tuple[Finding, ...]]:
        """Per label id: what went wrong in retrieval."""
        return {label: evaluation.findings for label, evaluation in self.facts.evaluations.items()}
