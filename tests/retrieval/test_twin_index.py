"""Twins that are taken over from state to state equal those made afresh, and those of comparing everything."""

from __future__ import annotations

import dataclasses
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunk_making import chunk
from evidencedesk.documents.document import Document
from evidencedesk.retrieval import twin_index, twin_keys
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.key_table import KeyTable
from evidencedesk.retrieval.twin_index import TwinIndex, update_twins
from evidencedesk.retrieval.twin_keys import TwinKeys, text_digest
from evidencedesk.retrieval.twins import NearTwin, Twins
from evidencedesk.text.word_lists import WordLists
from evidencedesk.text.words import words

FOOTER = (
    "was this page any help to you or is there something that we should say in a better way so that the next reader "
    "does not have to ask the same question again and again as you did today"
)
SENTENCES = [
    FOOTER,
    FOOTER.upper(),
    FOOTER + " 7",
    FOOTER + " 8",
    FOOTER.replace("any", "of any"),
    FOOTER.replace("better", "much better"),
    "note " + FOOTER,
    "note " + FOOTER.replace("should", "`should`"),
    "oil the chain often and oil the chain often and oil it",
    "oil the chain often and oil the chain often and oil it again",
    "oil the chain often",
    "",
]
KINDS = ["text", "text", "list", "code"]
# A page: its path, the id that it claims, its chunks, and what else its body says.
CHUNKS = st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from(SENTENCES)), max_size=5)
PAGE = st.tuples(
    st.sampled_from("abcdefgh"), st.sampled_from(["", "", "", "x", "y"]), CHUNKS, st.sampled_from(["", "A"])
)


def page(path: str, doc_id: str, parts: Sequence[tuple[str, str]], body: str) -> TwinKeys:
    name = doc_id or path
    chunks = [
        dataclasses.replace(chunk(f"{name}:c{place}", text), kind=kind) for place, (kind, text) in enumerate(parts)
    ]
    return twin_keys.twin_keys(Document(name, path, body + "\n".join(text for _, text in parts)), chunks)


def by_definition(pages: Sequence[TwinKeys]) -> Twins:
    """Every chunk beside every other, for texts without names."""
    chunks: dict[str, Chunk] = {}
    for one in pages:
        for own in one.chunks:
            chunks.setdefault(own.id, own)

    def groups(texts: list[tuple[str, str]]) -> list[tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for name, text in texts:
            found.setdefault(" ".join(unicodedata.normalize("NFC", text).casefold().split()), []).append(name)
        return [tuple(group) for key, group in found.items() if key]

    texts = groups([(name, own.text) for name, own in chunks.items()])
    near = []
    firsts = [chunks[group[0]] for group in texts if chunks[group[0]].kind in ("text", "list")]
    for first, second in combinations(firsts, 2):
        one, other = words(first.text), words(second.text)
        mine, theirs = (set(zip(text, text[1:], text[2:], strict=False)) for text in (one, other))
        numbers = [Counter(word for word in text if word.isdigit()) for text in (one, other)]
        code = [set(words(" ".join(text.split("`")[1::2]))) for text in (first.text, second.text)]
        if (
            min(len(one), len(other)) >= 8
            and len(mine & theirs) >= 0.8 * len(mine | theirs)
            and numbers[0] == numbers[1]
            and code[0] <= set(other)
            and code[1] <= set(one)
        ):
            near.append(NearTwin(first.id, second.id, len(mine & theirs) / len(mine | theirs)))
    bodies = groups([(one.document.path, one.document.text) for one in pages])
    return Twins(
        tuple(group for group in texts if len(group) > 1),
        tuple(near),
        tuple(group for group in bodies if len(group) > 1),
    )


@pytest.fixture(params=["keys", "equal keys"])
def collisions(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second time nearly all triples share their keys."""
    if request.param == "equal keys":
        monkeypatch.setattr(twin_keys, "_mixed", lambda values: values % np.uint64(3) << np.uint64(32))


@pytest.mark.usefixtures("collisions")
@pytest.mark.parametrize("spare", [0, 1000])
def test_twins_are_the_same_whatever_was_there_before(spare: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(twin_index, "_SPARE_ROWS", spare)

    @settings(deadline=None, max_examples=150)
    @given(st.lists(PAGE, max_size=12), st.lists(st.tuples(st.sampled_from("+++~-"), PAGE), min_size=1, max_size=12))
    def run(first: list[tuple[str, str, list[tuple[str, str]], str]], steps: list) -> None:
        pages = {path: page(path, *rest) for path, *rest in first}
        index: TwinIndex | None = None
        for change, (path, *rest) in [("-", ("nothing", "", [], "")), *steps]:
            if change == "-":
                pages.pop(path, None)
            elif change == "~":
                pages = {path: pages[path] for path in reversed(pages)}
            else:
                pages[path] = page(path, *rest)
            now = [pages[path] for path in (pages if change == "~" else sorted(pages))]
            index = update_twins(index, now)
            assert index.twins == by_definition(now)
            assert index.twins == update_twins(None, now).twins

    run()


def test_what_did_not_change_is_the_same_object() -> None:
    pages = [page(path, "", [("text", FOOTER), ("text", f"of {path} " * 9)], path) for path in "abc"]
    before = update_twins(None, pages)
    assert update_twins(before, pages) is before
    after = update_twins(before, [*pages[:2], page("c", "", [("text", FOOTER), ("text", "other words")], "c")])
    assert after.twins is before.twins
    assert after.pages != before.pages
    more = [*after.pages, page("d", "", [("text", SENTENCES[4])], ""), page("e", "", [("text", SENTENCES[4])], "")]
    assert [group is before.twins.equal[0] for group in update_twins(after, more).twins.equal] == [True, False]


def test_an_older_index_stays_as_it_was() -> None:
    pages = [page(path, "", [("text", FOOTER)], path) for path in "abc"]
    before = update_twins(None, pages)
    update_twins(before, pages[1:])
    update_twins(before, [page("a", "", [("text", SENTENCES[4])], ""), *pages[1:]])
    more = [*pages, page("d", "", [("text", SENTENCES[5])], "")]
    assert update_twins(before, more).twins == by_definition(more)
    assert update_twins(before, list(pages)) is before


def test_the_first_of_an_equal_group_stands_for_it_in_near_pairs() -> None:
    texts = {"a": FOOTER, "b": SENTENCES[4], "c": SENTENCES[4]}
    pages = [page(path, "", [("text", text)], path) for path, text in texts.items()]
    first = update_twins(None, pages)
    assert [(pair.first, pair.second) for pair in first.twins.near] == [("a:c0", "b:c0")]
    second = update_twins(first, [pages[0], pages[2]])
    assert [(pair.first, pair.second) for pair in second.twins.near] == [("a:c0", "c:c0")]


def test_lookups_lead_to_the_groups() -> None:
    pages = [page("a", "", [("text", FOOTER)], ""), page("b", "", [("text", FOOTER), ("text", SENTENCES[4])], "")]
    pages.append(page("c", "", [("text", FOOTER)], ""))
    twins = update_twins(None, pages).twins
    assert twins.equal_of["b:c0"] == ("a:c0", "b:c0", "c:c0")
    assert "b:c1" not in twins.equal_of
    assert (
        [pair.second for pair in twins.near_of["a:c0"]] == ["b:c1"] == [pair.second for pair in twins.near_of["b:c1"]]
    )
    assert dict(twins.pages_of) == {"a": ("a", "c"), "c": ("a", "c")}


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 6), st.booleans()), max_size=6), max_size=8), st.lists(st.integers(0, 6))
)
def test_a_key_table_finds_the_live_rows_of_each_key(steps: list[list[tuple[int, bool]]], wanted: list[int]) -> None:
    table: KeyTable[np.uint32] = KeyTable()
    pairs = [pair for step in steps for pair in step]
    live = np.array([is_live for _, is_live in pairs], dtype=np.bool_)
    row = 0
    for step in steps:
        keys = np.array([key for key, _ in step], dtype=np.uint32)
        table = table.add(keys, np.arange(row, row + len(step), dtype=np.int32), live)
        row += len(step)
    places, rows = table.find(np.array(wanted, dtype=np.uint32))
    found = sorted((place, row) for place, row in zip(places.tolist(), rows.tolist(), strict=True) if live[row])
    assert found == [
        (place, row)
        for place, key in enumerate(wanted)
        for row, (other, is_live) in enumerate(pairs)
        if is_live and key == other
    ]


@given(st.text(alphabet="aAéE\u0301ßſK\u0130iı\u0345ΙÅ \n\u00a0\u200b-7", max_size=12))
def test_texts_with_one_digest_have_the_same_words(text: str) -> None:
    for other in (text.upper(), text.casefold(), unicodedata.normalize("NFD", text), text.replace(" ", "\n ")):
        if text_digest(text) == text_digest(other):
            assert words(text) == words(other)


@given(st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from(SENTENCES)), max_size=6))
def test_words_that_are_known_give_the_same_keys(parts: list[tuple[str, str]]) -> None:
    made = page("a", "", parts, "")
    known = WordLists.of(words(text) for _, text in parts)
    again = twin_keys.twin_keys(made.document, made.chunks, known)
    assert (again.sizes.tolist(), again.triples.tolist()) == (made.sizes.tolist(), made.triples.tolist())


def test_only_texts_up_to_a_length_are_compared() -> None:
    text = " ".join(f"w{number}" for number in range(twin_keys.MAX_WORDS))
    pages = [page(path, "", [("text", text + end)], "") for path, end in (("a", ""), ("b", " "), ("c", " more"))]
    assert [one.sizes[0] > 0 for one in pages] == [True, True, False]


def test_a_page_of_many_words_is_read_in_batches() -> None:
    texts = [" ".join(f"{letter}{number}" for number in range(40_000)) for letter in "klm"]
    whole = page("a", "", [("text", text) for text in texts], "")
    parts = [page("a", "", [("text", text)], "") for text in texts]
    assert whole.sizes.tolist() == [39_998] * 3
    assert whole.triples.tolist() == [key for part in parts for key in part.triples.tolist()]
