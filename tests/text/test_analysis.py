"""What a question is searched by."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.text.analysis import (
    PLAIN,
    STOP_WORDS,
    Analysis,
    StemmingAnalyzer,
    index_terms,
    query_terms,
    snowball,
    weigh,
)
from evidencedesk.text.stemming import ALGORITHMS, stemmer
from evidencedesk.text.stop_words import STOP_WORDS_BY_LANG
from evidencedesk.text.words import words


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("How do I get my money back?", ["money", "back"]),
        ("Do you sell electric scooters?", ["sell", "electric", "scooters"]),
        ("What's the torque, the TORQUE of RD2-24?", ["torque", "rd2-24"]),
        ("আমি কীভাবে টাকা ফেরত পাব?", ["টাকা", "ফেরত", "পাব"]),
        ("When can they not be there?", []),
    ],
)
def test_a_query_keeps_its_distinct_content_words_in_order(question: str, terms: list[str]) -> None:
    assert query_terms(question) == terms


def test_the_index_keeps_every_word() -> None:
    assert index_terms("The bike and the bell") == ["the", "bike", "and", "the", "bell"]


def test_words_that_questions_are_about_are_no_stop_words() -> None:
    assert STOP_WORDS.isdisjoint({"back", "money", "return", "time", "free", "new", "open", "first", "last", "days"})


@pytest.mark.parametrize(
    ("lang", "text", "terms"),
    [
        ("ru", "Ёлки и велосипеды", ["елк", "велосипед"]),
        ("ru", "Научно-популярный журнал", ["научн-популярн", "научн", "популярн", "журна"]),
        ("en", "The bikes of a rider", ["bike", "rider"]),
        ("en", "RD2-24 and B-12", ["rd2-24", "rd2", "24", "12"]),
        ("de", "Die Fahrräder", ["die", "fahrrad"]),
        ("xx", "Any words stand", ["any", "words", "stand"]),
    ],
)
def test_a_language_is_read_by_its_stems_without_its_stop_words(lang: str, text: str, terms: list[str]) -> None:
    assert snowball(lang).terms(text) == terms


def test_a_decomposed_letter_is_the_same_word() -> None:
    assert snowball("ru").terms("чай й") == snowball("ru").terms(unicodedata.normalize("NFD", "чай й")) == ["ча"]


def test_an_analyzer_without_settings_keeps_every_word_longer_than_a_letter() -> None:
    assert StemmingAnalyzer().terms("The bikes a 7") == ["the", "bikes", "7"]


@pytest.mark.parametrize(
    ("lang", "named"), [("ru", True), ("ru-RU", True), ("RU_ru", True), ("uk", False), ("", False)]
)
def test_a_language_is_looked_up_by_code_and_then_by_its_base(lang: str, named: bool) -> None:
    russian = snowball("ru")
    assert Analysis({"ru": russian}).of(lang) is (russian if named else PLAIN)


def test_a_question_is_read_in_every_language_and_terms_keep_their_greatest_weight() -> None:
    russian = StemmingAnalyzer("russian", synonyms=(("вернуть", "возврат"),))
    plain_first = weigh("возврат возврат", [PLAIN, russian, russian], repeats=True)
    assert plain_first == {"возврат": 2.0, "вернут": 0.7}
    assert weigh("возврат возврат", [PLAIN, russian]) == {"возврат": 1.0, "вернут": 0.7}
    assert weigh("возврат", []) == {}


WORDS = st.sampled_from(["велосипед", "велосипеды", "вернуть", "не", "и", "rd2-24", "7", "ёлка"])


@given(st.lists(WORDS))
def test_a_question_that_repeats_the_text_finds_all_its_terms(text: list[str]) -> None:
    for analyzer in (snowball("ru"), snowball("en")):
        said = " ".join(text)
        assert set(weigh(said, [analyzer])) == set(analyzer.terms(said))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_stems_alike_however_often_it_is_asked(algorithm: str) -> None:
    stem = stemmer(algorithm)
    asked = ["running", "велосипедами", "ποδήλατα", "ë", "x"]
    assert [stem(word) for word in asked] == [stem(word) for word in reversed(asked)][::-1]
    assert stemmer(algorithm) is stem


def test_stop_words_are_single_words_as_a_text_gives_them() -> None:
    for lang, listed in STOP_WORDS_BY_LANG.items():
        assert listed and all(words(word) == [word] for word in listed), lang
    assert not any("ё" in word for word in STOP_WORDS_BY_LANG["ru"])
    assert STOP_WORDS_BY_LANG["en"] | STOP_WORDS_BY_LANG["bn"] == STOP_WORDS
