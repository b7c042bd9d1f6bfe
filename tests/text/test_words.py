"""Words in every script, independent of case, Unicode form and invisible characters."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.text.words import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("RD2-24 and RD2-24-00417.", ["rd2-24", "and", "rd2-24-00417"]),
        ("-a- b--c d\u2011e f—g", ["a", "b", "c", "d-e", "f", "g"]),
        ("snake_case é_è", ["snake", "case", "é", "è"]),
        ("C# 24/7 it's 1,200.5", ["c", "24", "7", "it", "s", "1", "200", "5"]),
        ("Straße STRASSE ﬁn", ["strasse", "strasse", "fin"]),
        ("ফেরত দেওয়া যায় ২৪", ["ফেরত", "দেওয়া", "যায়", "২৪"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("عَرَبِيّ", ["عَرَبِيّ"]),
        ("日本語", ["日本", "本語"]),
        ("Kubernetes集群 3月 的", ["kubernetes", "集群", "3", "月", "的"]),
        ("テスト-abc", ["テス", "スト", "abc"]),
        ("สวัสดี ๑๒", ["สว", "วั", "ัส", "สด", "ดี", "๑๒"]),
        ("កម្ពុជា", ["កម", "ម្", "្ព", "ពុ", "ុជ", "ជា"]),
        ("한국어 배송", ["한국어", "배송"]),
        ("I ❤\ufe0f it 1\ufe0f\u20e3", ["i", "it", "1\u20e3"]),
        ("𝐀𝐁 𠀀𠀁𠀂", ["𝐀𝐁", "𠀀𠀁", "𠀁𠀂"]),
        ("co\xadop ze\u200bro র\u200d\u09cdয", ["coop", "zero", "র্য"]),
    ],
)
def test_words_are_runs_of_letters_marks_and_digits(text: str, expected: list[str]) -> None:
    assert words(text) == [unicodedata.normalize("NFC", word) for word in expected]


@given(st.text(st.characters(exclude_categories=["Cs", "Cn"])))
def test_words_hold_letters_marks_digits_and_inner_hyphens_only(text: str) -> None:
    for word in words(text):
        assert not word.startswith("-") and not word.endswith("-")
        assert all(char == "-" or unicodedata.category(char)[0] in "LMN" for char in word)


@given(st.text(st.characters(categories=["L", "M", "N", "Zs"]) | st.sampled_from("é ফেরত 日本 ǰ ẞ")))
def test_words_do_not_depend_on_case_or_unicode_form(text: str) -> None:
    text = unicodedata.normalize("NFC", text)
    assert words(unicodedata.normalize("NFD", text)) == words(text)
    assert words(unicodedata.normalize("NFC", text.casefold())) == words(text)


@given(st.text(st.sampled_from("aé ফে-9_.日本"), max_size=20), st.text(st.sampled_from("bক ไ7\n"), max_size=20))
def test_words_of_two_texts_apart_are_the_words_of_both(first: str, second: str) -> None:
    assert words(f"{first}\n{second}") == words(first) + words(second)


@given(st.text(st.sampled_from("aZ0-- \n–—’“…•→§\xa0|_") | st.characters(), max_size=30))
def test_words_of_plain_text_are_those_that_they_are_beside_other_scripts(text: str) -> None:
    assert words(f"{text}\né") == [*words(text), "é"]
