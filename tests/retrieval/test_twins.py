from __future__ import annotations

import dataclasses
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunk_making import chunk
from evidencedesk.documents.document import Document, FrontMatter
from evidencedesk.retrieval.chunk import Chunk, ChunkKind
from evidencedesk.retrieval.twin_index import find_twins
from evidencedesk.retrieval.twins import NearTwin, Twins
from evidencedesk.text.spans import Span
from evidencedesk.text.words import words

NOTICE = "Please tell the road crew two days before you close the {} road, so that they can put up the signs in time."
LONG = NOTICE + " They will call back on the same day and say when the work can begin and how long it is going to take."


def twins(*texts: str) -> Twins:
    return find_twins([(Document("d", "d.md", ""), [chunk(f"d:c{place}", text) for place, text in enumerate(texts)])])


def pages(**bodies: str) -> tuple[tuple[str, ...], ...]:
    return find_twins([(Document(path, path, body), ()) for path, body in bodies.items()]).pages


def near_by_definition(chunks: list[Chunk]) -> list[NearTwin]:
    """Every pair compared, for texts without names: Jaccard of word triples, and the same numbers as often."""
    found = []
    for first, second in combinations(chunks, 2):
        one, other = words(first.text), words(second.text)
        if min(len(one), len(other)) < 8 or one == other:
            continue
        mine, theirs = (set(zip(text, text[1:], text[2:], strict=False)) for text in (one, other))
        similarity = len(mine & theirs) / len(mine | theirs)
        numbers = [Counter(word for word in text if word.isdigit()) for text in (one, other)]
        if similarity >= 0.8 and numbers[0] == numbers[1]:
            found.append(NearTwin(first.id, second.id, similarity))
    return found


@settings(deadline=None)
@given(st.data())
def test_near_twins_are_those_that_comparing_every_pair_finds(data: st.DataObject) -> None:
    base = data.draw(st.lists(st.sampled_from(["oil", "the", "chain", "often", "7", "12"]), min_size=6, max_size=40))
    texts: dict[str, None] = {}
    for _ in range(data.draw(st.integers(2, 8))):
        text = base.copy()
        for _ in range(data.draw(st.integers(0, 2))):
            place = data.draw(st.integers(0, len(text) - 1))
            text[place] = data.draw(st.sampled_from(["oil", "brake", "7", "and"]))
        texts[" ".join(text[data.draw(st.integers(0, 2)) :])] = None
    assert list(twins(*texts).near) == near_by_definition(
        [chunk(f"d:c{place}", text) for place, text in enumerate(texts)]
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Returns within 30 days", "returns  within\n30 DAYS"),
        ("caf\u00e9", "cafe\u0301"),
        ("a b", "a\u00a0b"),
    ],
)
def test_texts_are_equal_whatever_case_space_and_unicode_form(one: str, other: str) -> None:
    assert twins(one, "something else", other).equal == (("d:c0", "d:c2"),)


def test_blank_texts_are_no_twins() -> None:
    assert twins("", " \n", "\ufeff") == Twins((), (), ())


def test_equal_texts_are_no_near_twins_and_their_first_stands_for_them() -> None:
    text = NOTICE.format("northern")
    found = twins(text, text.upper(), text.replace("Please tell", "Tell"))
    assert found.equal == (("d:c0", "d:c1"),)
    assert [(near.first, near.second) for near in found.near] == [("d:c0", "d:c2")]


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        pytest.param("northern", "northern ", True, id="another space is equal, not near"),
        pytest.param("old northern", "northern", True, id="one word more"),
        pytest.param("FM 1506", "FM 1507", False, id="another number"),
        pytest.param("Bastrop county", "Travis county", False, id="another name"),
        pytest.param("`north_1`", "`north_2`", False, id="another number in code"),
        pytest.param("`north`", "`south`", False, id="another word of code"),
        pytest.param("`north`", "north", True, id="the same word, once as code"),
        pytest.param("north", "south", True, id="another plain word"),
    ],
)
def test_near_twins_agree_in_numbers_and_names(one: str, other: str, near: bool) -> None:
    found = twins(LONG.format(one), LONG.format(other))
    assert bool(found.near or found.equal) is near


def test_ten_pages_that_differ_in_a_road_and_a_county_are_no_twins() -> None:
    counties = ["Travis", "Bastrop", "Hays", "Burnet", "Blanco", "Llano", "Milam", "Lee", "Fayette", "Bell"]
    texts = [
        LONG.format(f"FM {1500 + place}") + f" The works in {county} county take a week."
        for place, county in enumerate(counties)
    ]
    assert twins(*texts) == Twins((), (), ())


def test_a_name_in_a_script_without_spaces_tells_texts_apart() -> None:
    text = "次のコマンドは、{}サービスを計装するために構成された基本的なリソースを作成します"
    assert twins(text.format("Go"), text.format("Java")).near == ()


def test_short_texts_are_no_near_twins() -> None:
    assert twins("See the table below for it.", "See the table below for them.").near == ()


@pytest.mark.parametrize(("kind", "near"), [("text", 1), ("list", 1), ("code", 0), ("table", 0)])
def test_only_prose_has_near_twins(kind: ChunkKind, near: int) -> None:
    text = NOTICE.format("north")
    chunks = [dataclasses.replace(chunk(f"d:c{place}", text + end), kind=kind) for place, end in enumerate(["", " ;"])]
    assert len(find_twins([(Document("d", "d.md", ""), chunks)]).near) == near


def test_the_same_words_with_other_markup_are_near_twins_of_similarity_one() -> None:
    text = NOTICE.format("north")
    assert [near.similarity for near in twins(text, text.replace("signs", "**signs**")).near] == [1.0]


def test_pages_are_compared_without_their_front_matter() -> None:
    fenced = "---\nid: {}\n---\n"
    documents = []
    for name in ("a", "b"):
        front = FrontMatter(Span(0, len(fenced.format(name))), {})
        text = fenced.format(name) + "# Returns\n\nWithin 30 days."
        documents.append((Document(name, f"{name}.md", text, front=front), ()))
    assert find_twins(documents).pages == (("a.md", "b.md"),)


def test_pages_without_a_body_are_no_twins() -> None:
    assert pages(a="", b="  \n", c="text", d="Text") == (("c", "d"),)


def test_chunks_that_share_an_id_count_once() -> None:
    twice = [(Document("d", path, ""), [chunk("d:c0", "Within 30 days.")]) for path in ("a.md", "b.md")]
    assert find_twins(twice).equal == ()
