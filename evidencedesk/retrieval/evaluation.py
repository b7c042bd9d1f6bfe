"""What evaluating one question gives: where its gold stands, who ranked where, and what went wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evidencedesk.documents.document import Document, Section
from evidencedesk.retrieval.candidates import RankedList
from evidencedesk.retrieval.catalog import Scope
from evidencedesk.retrieval.label_file import LabelSource
from evidencedesk.retrieval.labels import Gold, Label
from evidencedesk.retrieval.taxonomy import Finding, Trace
from evidencedesk.text.normal import Match


@dataclass(frozen=True, slots=True)
class Contract:
    """What a figure means: the settings under which every ranking of a snapshot was made.

    `searcher` is the configured one (`sparse`, `dense`, `hybrid`); `k` chunks are retrieved and those with
    `score >= floor` enter the prompt (all when `floor` is None); each leg of a fusion is asked for `max(k, depth)`.
    """

    searcher: str = "hybrid"
    k: int = 5
    depth: int = 20
    floor: float | None = None
    rrf_k: int = 60
    scope: Scope = field(default_factory=Scope)

    def settings_text(self, chunking: str) -> str:
        """The settings in words, with the chunking they were used over."""
        floor = "no floor" if self.floor is None else f"floor {self.floor}"
        langs = "any" if self.scope.langs is None else _listed(self.scope.langs)
        return (
            f"{self.searcher} over {chunking}, k = {self.k}, {floor}, each leg asked for {max(self.k, self.depth)}, "
            f"RRF constant {self.rrf_k}; scope: status {_listed(self.scope.statuses)}, "
            f"audience {_listed(self.scope.audiences)}, language {langs}"
        )


def _listed(names: frozenset[str]) -> str:
    return ", ".join(sorted(names)) or "none"


@dataclass(frozen=True, slots=True)
class GoldPlace:
    """Where one gold entry of a label stands in the knowledge base.

    `document` is None when no document has the id; `sections` are those the heading may mean (none: unknown, several:
    ambiguous); `matches` are all occurrences of the evidence in the document, in order; `in_section` those of them
    inside `sections`; `holders` are the ids of the document's chunks that hold the evidence whole.
    """

    gold: Gold
    document: Document | None
    sections: tuple[Section, ...]
    matches: tuple[Match, ...]
    in_section: tuple[Match, ...]
    holders: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """How one question fares, in the few values that a baseline keeps and a regression compares.

    `rank` is the rank of the first chunk that holds the whole answer, None when not in the top k; `whole` whether any
    chunk holds it; `in_context` whether it reached the prompt; `top` the id of the chunk at rank 1 ("" for none).
    """

    rank: int | None
    whole: bool
    in_context: bool
    top: str


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One label against one state of the knowledge base; `source` says where the label is written.

    `rankings` maps searcher names to their ranked lists (scope filter applied, best first, up to `max(k, depth)`);
    `unfiltered` is the configured searcher's top k had there been no scope filter.
    """

    label: Label
    source: LabelSource
    contract: Contract
    places: tuple[GoldPlace, ...]
    rankings: Mapping[str, RankedList]
    unfiltered: RankedList
    trace: Trace
    findings: tuple[Finding, ...]
    standing: Standing

    @property
    def retrieved(self) -> RankedList:
        """The configured searcher's top k."""
        return self.rankings[self.contract.searcher][: self.contract.k]
