from __future__ import annotations

import random
import unicodedata
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from evidencedesk.retrieval.embedding import Model
from evidencedesk.retrieval.embedding.fixed_point import QUANTUM, unit_rows
from evidencedesk.retrieval.embedding.word_ngrams import WordNgrams
from evidencedesk.text.words import words

MODELS = [pytest.param(Model.hashed, id="hashed"), pytest.param(Model.toy, id="toy")]
TEXTS = st.lists(st.text(max_size=60), min_size=1, max_size=8)


@pytest.mark.parametrize("make", MODELS)
@settings(deadline=None)
@given(texts=TEXTS)
def test_a_vector_does_not_depend_on_its_batch(make: Callable[[], Model], texts: list[str]) -> None:
    model = make()
    together = model.embed_batch(texts)
    assert together.shape == (len(texts), model.dim)
    assert together.dtype == np.float32
    for row, text in enumerate(texts):
        np.testing.assert_array_equal(together[row], model.embed_batch([text])[0])
        np.testing.assert_array_equal(together[row], model.embed_batch(texts[row:])[0])


@pytest.mark.parametrize("make", MODELS)
def test_no_texts_give_no_rows(make: Callable[[], Model]) -> None:
    assert make().embed_batch([]).shape == (0, make().dim)


@settings(deadline=None)
@given(
    hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=40), elements=st.floats(-1e6, 1e6)),
)
def test_unit_rows_have_length_one_on_the_grid(vectors: np.ndarray) -> None:
    rows = unit_rows(vectors)
    lengths = np.sqrt(np.square(rows.astype(np.float64)).sum(axis=1))
    usable = np.abs(vectors).max(axis=1) > 1e-100
    assert np.all(np.abs(lengths[usable] - 1) <= np.sqrt(vectors.shape[1]) * QUANTUM / 2 + 1e-12)
    assert np.array_equal(rows / QUANTUM, np.rint(rows / QUANTUM))


@pytest.mark.parametrize("bad", [0.0, np.nan, np.inf, -np.inf])
def test_a_row_without_a_direction_is_zeros(bad: float) -> None:
    rows = unit_rows(np.array([[bad, 0.0], [3.0, 4.0]]))
    assert not rows[0].any()
    np.testing.assert_allclose(rows[1], [0.6, 0.8], atol=QUANTUM)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([64, 256, 1024]))
def test_dot_products_have_the_same_bits_in_any_order_and_batch(seed: int, dim: int) -> None:
    rng = np.random.default_rng(seed)
    passages = unit_rows(rng.standard_normal((60, dim)))
    queries = unit_rows(passages[:7] + 0.1 * rng.standard_normal((7, dim)))
    together = queries @ passages.T
    shuffled = rng.permutation(dim)
    permuted = np.ascontiguousarray(queries[:, shuffled]) @ np.ascontiguousarray(passages[:, shuffled]).T
    one_by_one = np.array([[np.dot(passage, query) for passage in passages] for query in queries])
    naive = np.zeros((7, 60), dtype=np.float32)
    for place in range(dim):
        naive += np.outer(queries[:, place], passages[:, place])
    for other in (permuted, one_by_one, naive, (passages[5:9] @ queries.T).T):
        expected = together[:, 5:9] if other.shape == (7, 4) else together
        np.testing.assert_array_equal(other, expected)


@settings(deadline=None)
@given(st.lists(TEXTS | st.just(["one two two", "two one two", "three"]), min_size=1, max_size=6), st.integers(0, 60))
def test_what_the_hashed_model_has_met_before_does_not_show(batches: list[list[str]], limit: int) -> None:
    experienced = WordNgrams(limit)
    for texts in batches:
        np.testing.assert_array_equal(experienced.embed(texts), WordNgrams().embed(texts))


@settings(deadline=None)
@given(st.text(st.sampled_from("ab c-é日"), max_size=40))
def test_a_hashed_row_is_the_sum_of_its_words_each_by_the_root_of_its_count(text: str) -> None:
    counts = Counter(words(text))
    alone = {word: WordNgrams().embed([word])[0] for word in counts}
    expected = sum((row * np.sqrt(counts[word]) for word, row in alone.items()), np.zeros(Model.hashed().dim))
    # Each row is rounded to a whole number by itself.
    tolerance = 0.5 + sum(0.5 * np.sqrt(count) for count in counts.values())
    np.testing.assert_allclose(WordNgrams().embed([text])[0], expected, atol=tolerance)


def test_a_toy_vector_is_signed_hashed_trigrams() -> None:
    vector = Model.toy().embed_batch(["Hi", "  hi \n", "", "a"])
    assert {int(place): round(float(vector[0, place]), 3) for place in vector[0].nonzero()[0]} == {
        161: -0.707,
        172: -0.707,
    }
    np.testing.assert_array_equal(vector[0], vector[1])
    assert not vector[2].any()
    assert vector[3].nonzero()[0].tolist() == [220]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Returned BIKES", "returned bikes"),
        ("café ফেরত পাওয়া", unicodedata.normalize("NFD", "café ফেরত পাওয়া")),
        ("returned, bikes!", "returned\n\tbikes"),
    ],
)
def test_the_hashed_model_sees_words_not_their_form(one: str, other: str) -> None:
    np.testing.assert_array_equal(*Model.hashed().embed_batch([one, other]))


@pytest.mark.parametrize("text", ["", " \n", "?!… —", "\ufeff"])
def test_the_hashed_model_gives_zeros_for_a_text_without_words(text: str) -> None:
    assert not Model.hashed().embed_batch([text]).any()


def test_inflected_words_are_near_and_stop_words_weigh_little() -> None:
    query, inflected, unrelated, padded = Model.hashed().embed_batch(
        ["returning bicycles", "the return of a bicycle", "torque of stem bolts", "what is it that they have been"]
    )
    assert query @ inflected > 0.4
    assert abs(query @ unrelated) < 0.15
    with_stop_words = Model.hashed().embed_batch(["what is it with returning bicycles"])[0]
    assert query @ with_stop_words > 0.95
    assert abs(query @ padded) < 0.15


def test_hashed_vectors_are_the_same_on_every_machine() -> None:
    """The first buckets of one sentence, written down: another result is another model and needs another name."""
    vector = Model.hashed().embed_batch(["Stem bolts: 5 Nm, ফেরত"])[0]
    steps = np.rint(vector / QUANTUM).astype(int)
    assert {int(place): int(steps[place]) for place in steps.nonzero()[0][:8]} == {
        38: -180,
        56: 180,
        61: 718,
        74: -202,
        119: 172,
        143: -90,
        219: 359,
        246: 86,
    }


def test_long_words_and_odd_characters_are_embedded() -> None:
    rng = random.Random(5)
    long_word = "".join(rng.choice("abcdefgh") for _ in range(50_000))
    rows = Model.hashed().embed_batch([long_word, "\U0010ffff a", "\ud800 b", "a" * 3])
    assert np.isfinite(rows).all()
    assert rows.any(axis=1).all()
