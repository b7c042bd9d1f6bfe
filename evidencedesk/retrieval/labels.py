"""Labels: questions with exact gold evidence. Invariant: a grade depends on document and text, never on a rank."""

from __future__ import annotations

from dataclasses import dataclass, field

from evidencedesk.retrieval.catalog import Scope
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.samples import KESTREL, kestrel_labels
from evidencedesk.text.normal import holds

DATA = KESTREL
"""The sample's folder: its pages, `labels.json` and `rrf_examples.json`."""


@dataclass(frozen=True, slots=True)
class Gold:
    """One piece of evidence: a section (`<doc_id>#<heading>`), the exact words, and how much they answer.

    `grade` 2 holds the whole answer, 1 a part of it. Entries of one `group` ("" is none) belong together: a prompt
    covers the group with all of them, or with any `alternative` that names it or no group. `doc_id` is the document
    that `section` names: up to its first `#` unless whoever knows the document ids says otherwise.
    """

    section: str
    evidence: str
    grade: int = 2
    doc_id: str = ""
    group: str = field(default="", kw_only=True)
    alternative: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        if not self.doc_id:
            object.__setattr__(self, "doc_id", self.section.split("#", 1)[0])

    @property
    def heading(self) -> str:
        """The heading part of `section`; "" when it names a document only."""
        return self.section[len(self.doc_id) + 1 :]


@dataclass(frozen=True, slots=True)
class Label:
    """A question, whether the knowledge base answers it, and the gold evidence, alternatives last. Key: `id`.

    `ignore` are rule codes suppressed for this label; `scope` overrides the workspace's scope for this question.
    """

    id: str
    question: str
    tags: tuple[str, ...] = ()
    answerable: bool = True
    gold: tuple[Gold, ...] = ()
    reason: str = ""
    ignore: tuple[str, ...] = field(default=(), kw_only=True)
    scope: Scope | None = field(default=None, kw_only=True)

    def grade_of(self, chunk: Chunk) -> int:
        """The best grade among the gold entries that the chunk holds: 2 the whole answer, 1 a part, 0 nothing.

        A chunk holds an entry when it is of the same document and its folded text contains the folded evidence.
        """
        mine = (gold for gold in self.gold if gold.doc_id == chunk.doc_id)
        return max((gold.grade for gold in mine if holds(chunk.text, gold.evidence)), default=0)


def load_labels() -> list[Label]:
    """The labels of the sample knowledge base, in file order."""
    return [
        Label(
            id=entry["id"],
            question=entry["question"],
            tags=tuple(entry["tags"]),
            answerable=entry["answerable"],
            gold=tuple(Gold(gold["section"], gold["evidence"], gold["grade"]) for gold in entry["gold"]),
            reason=entry["reason"],
        )
        for entry in kestrel_labels()
    ]
