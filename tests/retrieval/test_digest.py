from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunk_making import chunk
from evidencedesk.retrieval.digest import ChunkWords, bags, digest
from evidencedesk.retrieval.embedding import Model
from evidencedesk.retrieval.embedding.fixed_point import from_units
from evidencedesk.text.analysis import Analysis, StemmingAnalyzer
from evidencedesk.text.word_lists import WordLists
from evidencedesk.text.words import words

TEXTS = st.lists(st.lists(st.sampled_from(["bike", "stem", "bolt", "খরচ", "nm"]), max_size=8), max_size=6)


@settings(deadline=None)
@given(TEXTS)
def test_bags_hold_what_the_texts_hold(texts: list[list[str]]) -> None:
    made = bags(WordLists.of(texts))
    assert made.lengths.tolist() == [len(text) for text in texts]
    assert list(made.vocabulary) == list(dict.fromkeys(token for text in texts for token in text))
    for row, text in enumerate(texts):
        part = slice(made.starts[row], made.starts[row + 1])
        terms = made.terms[part].tolist()
        assert terms == sorted(terms)
        held = {made.vocabulary[term]: count for term, count in zip(terms, made.counts[part].tolist(), strict=True)}
        assert held == Counter(text)


def test_a_digest_reads_each_chunk_in_its_language_and_embeds_its_passage() -> None:
    chunks = [
        replace(chunk("a:c0", "Wheels and wheels.", title="Care"), lang="en"),
        replace(chunk("a:c1", "Räder, Wheels"), lang="de"),
    ]
    made = digest(chunks, Analysis({"en": StemmingAnalyzer("english", frozenset({"and"}))}), Model.toy())
    assert made.words.vocabulary == ("wheel", "räder", "wheels")
    assert made.words.lengths.tolist() == [2, 2]
    expected = Model.toy().embed_batch([one.to_passage().text for one in chunks])
    assert from_units(made.units).tolist() == expected.tolist()
    assert digest([], Analysis(), Model.toy()).units.shape == (0, 256)


@pytest.mark.parametrize("analysis", [Analysis(), Analysis({"en": StemmingAnalyzer("english")})])
def test_words_that_are_known_give_the_same_digest(analysis: Analysis) -> None:
    texts = {"en": "Wheels and wheels.", "de": "Räder, Wheels"}
    chunks = [replace(chunk(f"a:{lang}", text), lang=lang, title="Räder") for lang, text in texts.items()]
    for model in (Model.toy(), Model.hashed()):
        made, expected = (digest(chunks, analysis, model, found) for found in (ChunkWords.of(chunks), None))
        assert made.words.vocabulary == expected.words.vocabulary
        assert made.words.terms.tolist() == expected.words.terms.tolist()
        assert made.words.counts.tolist() == expected.words.counts.tolist()
        assert made.units.tolist() == expected.units.tolist()


LINES = st.text(st.sampled_from("aB- é\u0301\u0345ß中\u2011\u200b.") | st.characters(), max_size=6)


@given(st.lists(st.tuples(st.sampled_from(["", "A-", "é"]), LINES, LINES), max_size=5))
def test_a_passage_has_the_words_of_its_heading_and_those_of_its_text(parts: list[tuple[str, str, str]]) -> None:
    chunks = [
        replace(chunk(f"a:c{number}", text, title=title), section=section)
        for number, (title, section, text) in enumerate(parts)
    ]
    found = ChunkWords.of(chunks)
    for made, texts in (
        (found.texts, [one.text for one in chunks]),
        (found.passages, [one.to_passage().text for one in chunks]),
    ):
        flat = iter(made.numbers.tolist())
        assert [[made.vocabulary[next(flat)] for _ in range(size)] for size in made.lengths] == list(map(words, texts))
    assert found.texts.vocabulary == tuple(dict.fromkeys(word for one in chunks for word in words(one.text)))
