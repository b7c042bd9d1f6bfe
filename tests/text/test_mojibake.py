"""Damage is found and undone; text that may be meant is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.text.mojibake import find_mojibake, restored

SOUND = [
    "déjà\u00a0» dit",
    "à\u00a0« midi »",
    "payé\u00a0€\u00a05",
    "A MAÇÃ” e o PÃO",
    "Spaß” und HÖHÄ“",
    "0.5 Å–1 Å, 3 Å², 2 mÅ”",
    "5×–7×",
    "NÄ®",
    "«PAS DE CÂ»",
    "ফেরত দেওয়া যায়",
    "Ð‘ and Ð”",
    "naïve café, Ångström, Übergröße",
]


@pytest.mark.parametrize("text", SOUND)
def test_text_that_may_be_meant_is_left_alone(text: str) -> None:
    assert find_mojibake(text) == []


def as_windows_1252(text: str) -> str:
    """UTF-8 bytes read as windows-1252, its five empty places as control characters."""
    return "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in text.encode("utf-8"))


@pytest.mark.parametrize("char", list("éèüßñçÉ£°©’‘“”–—…•™€→≤✓🚲"))
def test_one_damaged_character_inside_plain_words_is_found_and_restored(char: str) -> None:
    damaged = as_windows_1252(char)
    text = f"wo{damaged}rd"
    (span,) = find_mojibake(text)
    assert span.of(text) == damaged
    assert restored(span.of(text)) == char
    assert restored(as_windows_1252(damaged)) == char


@given(st.text(st.characters(min_codepoint=0x410, max_codepoint=0x44F), min_size=3, max_size=12))
def test_words_of_another_script_come_back_whole(word: str) -> None:
    text = f"the word {as_windows_1252(word)} is damaged"
    (span,) = find_mojibake(text)
    assert restored(span.of(text)) == word


@given(st.text(st.characters(codec="ascii")))
def test_ascii_is_never_damage(text: str) -> None:
    assert find_mojibake(text) == []


@given(st.text(st.sampled_from("ÃÂâïðéÅ€™©»\u00a0 aA½¿"), max_size=30))
def test_what_is_found_differs_from_what_it_is_restored_to(text: str) -> None:
    for span in find_mojibake(text):
        assert len(restored(span.of(text))) < span.end - span.start
