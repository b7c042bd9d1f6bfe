"""Which labels speak of which places: Snapshot → Mentions by file. Invariant: pure; nothing is searched for anew."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from evidencedesk.documents.document import Document, Section
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.evaluation import Evaluation, GoldPlace
from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.retrieval.label_file import LabelFile, LabelSource
from evidencedesk.retrieval.places import occurrence, section_at
from evidencedesk.text.json_strings import part_of_string
from evidencedesk.text.spans import Span
from evidencedesk.workspace.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Mention:
    """Gold entry `number` of an evaluated label, and where it stands; the spans are values in the label's file."""

    evaluation: Evaluation
    number: int
    place: GoldPlace
    section: Span | None
    evidence: Span | None

    @property
    def path(self) -> str:
        """The label's file."""
        return self.evaluation.source.path

    def homes(self) -> tuple[Section, ...]:
        """The section that holds the evidence where it is shown; those that are named, when it is nowhere."""
        shown = occurrence(self.place)
        if shown is None or self.place.document is None:
            return self.place.sections
        home = section_at(self.place.document, shown.span.start)
        return (home,) if home else ()


class Mentions:
    """Mentions by the path of the document that they are `about`, and of the label file that they are `made_in`.

    `superseding` are the documents that supersede an id.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.about: dict[str, list[Mention]] = defaultdict(list)
        self.made_in: dict[str, list[Mention]] = defaultdict(list)
        self.superseding: dict[str, list[Document]] = defaultdict(list)
        for evaluation in snapshot.evaluations.values():
            spans = evaluation.source.spans
            for number, place in enumerate(evaluation.places):
                key = f"gold[{number}]"
                mention = Mention(evaluation, number, place, spans.get(f"{key}.section"), spans.get(f"{key}.evidence"))
                self.made_in[mention.path].append(mention)
                if place.document is not None:
                    self.about[place.document.path].append(mention)
        for document in snapshot.documents:
            for older in document.supersedes:
                self.superseding[older].append(document)


def own_evaluation(snapshot: Snapshot, entry: LabelSource) -> Evaluation | None:
    """The evaluation of a label where it is written; None for a later label with an id that is taken."""
    evaluation = snapshot.evaluations.get(entry.label.id)
    return evaluation if evaluation is not None and evaluation.source == entry else None


def chunks_by_heading(chunked: ChunkedDocument) -> dict[Span, list[Chunk]]:
    """The chunks that start under each heading, without those under its subheadings."""
    found: dict[Span, list[Chunk]] = defaultdict(list)
    for chunk in chunked.chunks:
        found[chunk.location.heading].append(chunk)
    return found


def value_inside(file: LabelFile, string: Span, value: str) -> Span:
    """The letters of a JSON string, without its quotation marks."""
    return part_of_string(file.text, string, Span(0, len(value)))
