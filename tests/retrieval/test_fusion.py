from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidencedesk.retrieval.candidates import RankedList, ids, ranked
from evidencedesk.retrieval.fusion import rrf


@dataclass(frozen=True)
class Named:
    """A stand-in for a chunk: fusion reads nothing but the id."""

    id: str


def ranking(names: list[str], source: str = "leg") -> RankedList:
    return ranked([(Named(name), 0.0) for name in names], source)  # type: ignore[misc]


def fractions(lists: list[list[str]], k: int) -> list[tuple[str, Fraction]]:
    """Fusion as its definition reads."""
    totals: dict[str, Fraction] = {}
    best: dict[str, int] = {}
    for names in lists:
        for position, name in enumerate(names, start=1):
            totals[name] = totals.get(name, Fraction(0)) + Fraction(1, k + position)
            best[name] = min(best.get(name, position), position)
    order = sorted(totals, key=lambda name: (-totals[name], best[name], name))
    return [(name, totals[name]) for name in order]


@settings(deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=9), max_size=5),
    st.integers(min_value=0, max_value=70),
)
def test_fusion_equals_its_definition_in_fractions(lists: list[list[str]], k: int) -> None:
    fused = rrf([ranking(names) for names in lists], k=k)
    expected = fractions(lists, k)
    assert [(found.chunk.id, found.score) for found in fused] == [(name, float(total)) for name, total in expected]
    assert [found.rank for found in fused] == list(range(1, len(expected) + 1))


@pytest.mark.parametrize(
    ("lists", "k", "expected"),
    [
        ([["d1", "d2", "d3"], ["d3", "d1", "d4"]], 60, ["d1", "d3", "d2", "d4"]),
        ([["p", "q"], ["r", "q"]], 60, ["q", "p", "r"]),
        ([["9", "5"], ["7", "5"]], 0, ["7", "9", "5"]),
        ([["a"], []], 60, ["a"]),
        ([], 60, []),
        # Ranks {7, 1, 2} and {1, 2, 7}: a true tie that sums of floats break the wrong way.
        (
            [["b", "w", "w1", "w2", "w3", "w4", "a"], ["a", "b"], ["x", "a", "x1", "x2", "x3", "x4", "b"]],
            60,
            ["a", "b"],
        ),
    ],
)
def test_known_fusions(lists: list[list[str]], k: int, expected: list[str]) -> None:
    assert ids(rrf([ranking(names) for names in lists], k=k))[: len(expected)] == expected


def test_two_thirds_of_agreement_beat_two_first_places() -> None:
    fused = rrf([ranking(["X", "a", "Y"], "dense"), ranking(["b", "c", "Y"], "sparse")])
    assert fused[0].chunk.id == "Y"
    assert round(fused[0].score, 6) == 0.031746
    assert [(part.source, part.rank) for part in fused[0].parts] == [("dense", 3), ("sparse", 3)]


def test_totals_that_floats_cannot_tell_apart_are_ordered_exactly() -> None:
    # Ranks {2, 2, 6} give more than {1, 4, 5}, by 2e-27 under this k; as floats they tie, and the best rank would win.
    lists = [["q", "p"], ["a", "p", "b", "q"], ["a", "b", "c", "d", "q", "p"]]
    fused = rrf([ranking(names) for names in lists], k=10**9)
    scores = {found.chunk.id: found.score for found in fused}
    assert scores["p"] == scores["q"]
    assert ids(fused).index("p") < ids(fused).index("q")


def test_a_chunk_comes_from_the_first_list_that_has_it() -> None:
    mine, other = Named("a"), Named("a")
    fused = rrf([[], ranked([(mine, 1.0)], "x"), ranked([(other, 2.0)], "y")])  # type: ignore[list-item]
    assert fused[0].chunk is mine
    assert [(part.source, part.score) for part in fused[0].parts] == [("x", 1.0), ("y", 2.0)]


def test_the_position_in_the_list_counts_not_the_rank_a_candidate_claims() -> None:
    assert rrf([ranking(["a", "b"])[1:]])[0].score == 1 / 61


def test_top_cuts_and_source_names() -> None:
    fused = rrf([ranking(["a", "b", "c"])], top=2, source="mine")
    assert [(found.chunk.id, found.source) for found in fused] == [("a", "mine"), ("b", "mine")]


def test_a_negative_k_is_refused() -> None:
    with pytest.raises(ValueError, match="k must not be negative"):
        rrf([], k=-1)
