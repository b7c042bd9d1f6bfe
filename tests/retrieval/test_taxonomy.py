from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from chunk_making import chunk
from evidencedesk.retrieval.candidates import RankedList, ranked
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.taxonomy import LABELS, STAGES, Trace, diagnose, supports


@dataclass(frozen=True)
class Asked:
    """A label whose gold is a set of chunk ids that hold the whole answer, or a part of it."""

    whole: frozenset[str] = frozenset({"gold"})
    part: frozenset[str] = frozenset({"part"})
    answerable: bool = True

    def grade_of(self, chunk: Chunk) -> int:
        return 2 if chunk.id in self.whole else 1 if chunk.id in self.part else 0


CHUNKS = {
    "gold": chunk("gold", "You can return a bike within 30 days of delivery."),
    "part": chunk("part", "Bikes can be returned."),
    "other": chunk("other", "Stem bolts take 5 Nm."),
    "old": chunk("old", "You can return a bike within 14 days.", status="superseded"),
    "copy": chunk("copy", "stem bolts  take **5** Nm."),
}


def some(names: str) -> RankedList:
    return ranked([(CHUNKS[name], 1.0) for name in names.split()], "sparse")


@dataclass(frozen=True)
class Case:
    name: str
    retrieved: str
    expected: Sequence[tuple[str, str, str]]
    context: str | None = None
    label: Asked = field(default_factory=Asked)
    indexed: str = "gold part other old copy"
    answer: str | None = None
    cited: tuple[str, ...] = ()


UNANSWERABLE = Asked(frozenset(), frozenset(), answerable=False)
ANSWER = "Within 30 days of delivery."
MISSED, OUTRANKED, STALE = "missed_evidence", "irrelevant_match", "stale_document"

CASES = [
    Case("all is well", "gold other", []),
    Case(
        "not indexed, and nothing else said",
        "old other",
        [("ingestion", MISSED, "no indexed chunk holds the whole answer")],
        indexed="part other old",
    ),
    Case(
        "not retrieved",
        "other part copy",
        [("retrieval", MISSED, "answer not in the top 3; rank 1 is other")],
        context="other part",
    ),
    Case("nothing retrieved", "", [("retrieval", MISSED, "nothing was retrieved")]),
    Case("outranked", "other gold", [("retrieval", OUTRANKED, "answer outranked: at rank 2, rank 1 is other")]),
    Case(
        "a part of the answer first",
        "part gold",
        [("retrieval", OUTRANKED, "answer outranked: at rank 2, rank 1 is part")],
    ),
    Case("stale below the answer", "gold old", [("retrieval", STALE, "old is of a document that is superseded")]),
    Case(
        "outranked by a stale page",
        "old gold",
        [
            ("retrieval", OUTRANKED, "answer outranked: at rank 2, rank 1 is old"),
            ("retrieval", STALE, "old is of a document that is superseded"),
        ],
    ),
    Case(
        "dropped before the prompt",
        "other gold",
        [
            ("retrieval", OUTRANKED, "answer outranked: at rank 2, rank 1 is other"),
            ("context", MISSED, "retrieved at rank 2 but dropped before the prompt"),
        ],
        context="other",
    ),
    Case("unanswerable and silent", "", [], label=UNANSWERABLE),
    Case("unanswerable, retrieved but dropped", "other", [], context="", label=UNANSWERABLE),
    Case(
        "unanswerable with junk",
        "other part",
        [("context", "irrelevant_match", "2 chunk(s) in the prompt; the corpus has no answer")],
        label=UNANSWERABLE,
    ),
    Case(
        "the same text twice in the prompt",
        "gold other copy",
        [("context", "duplicate_chunks", "copy says the same as other")],
    ),
    Case("the same text twice, one of them dropped", "gold other copy", [], context="gold other"),
    Case("a supported and cited answer", "gold", [], answer=ANSWER, cited=("gold",)),
    Case("a blank answer claims nothing", "gold", [], answer=" "),
    Case(
        "another number",
        "gold",
        [("generation", "unsupported_answer", "the prompt does not support the answer")],
        answer="Within 60 days of delivery.",
        cited=("elsewhere",),
    ),
    Case(
        "other words",
        "gold",
        [("generation", "unsupported_answer", "the prompt does not support the answer")],
        answer="Electric scooters cost 30 euros.",
        cited=("gold",),
    ),
    Case("nothing cited", "gold", [("citation", "unsupported_answer", "the answer cites nothing")], answer=ANSWER),
    Case(
        "a citation from outside the prompt",
        "gold",
        [("citation", "unsupported_answer", "old is cited but was not in the prompt")],
        answer=ANSWER,
        cited=("gold", "old"),
    ),
    Case(
        "a citation that does not say so",
        "gold other",
        [("citation", "unsupported_answer", "other does not support the answer")],
        answer=ANSWER,
        cited=("other",),
    ),
    Case("one of two citations says so", "gold other", [], answer=ANSWER, cited=("other", "gold")),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_diagnosis(case: Case) -> None:
    trace = Trace(
        indexed=[CHUNKS[name] for name in case.indexed.split()],
        retrieved=some(case.retrieved),
        context=some(case.retrieved if case.context is None else case.context),
        answer=case.answer,
        cited=case.cited,
    )
    findings = diagnose(case.label, trace)
    assert [(found.stage, found.label, found.detail) for found in findings] == list(case.expected)
    assert all(found.stage in STAGES and found.label in LABELS for found in findings)


def test_a_copy_of_the_answer_counts_as_the_answer() -> None:
    copied = dataclasses.replace(CHUNKS["gold"], id="gold-copy")
    label = Asked(whole=frozenset({"gold", "gold-copy"}))
    assert diagnose(label, Trace([copied], ranked([(copied, 1.0)], "sparse"), [])) != []
    assert diagnose(label, Trace([copied], *[ranked([(copied, 1.0)], "sparse")] * 2)) == []


@pytest.mark.parametrize(
    ("answer", "supported"),
    [
        ("30 days", True),
        ("Thirty days", True),
        ("30 days and 5 euros", False),
        ("You can return a bike", True),
        ("Bike shops sell helmets", False),
        ("Yes, you can.", True),
        ("৩০ দিন", False),
    ],
)
def test_support_needs_every_number_and_half_of_the_words(answer: str, supported: bool) -> None:
    assert supports([CHUNKS["gold"].text], answer) is supported
