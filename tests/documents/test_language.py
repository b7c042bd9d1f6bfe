"""A guess of the language by script, only where the script tells."""

import pytest

from evidencedesk.documents.language import guess_language

WORDS = {
    "bn": "ফেরত দেওয়ার সময়সীমা ত্রিশ দিন",
    "ru": "Срок возврата составляет тридцать дней",
    "uk": "Строк повернення становить тридцять днів, її можна",
    "ar": "مهلة الإرجاع ثلاثون يوما",
    "fa": "مهلت بازگشت کالا سی روز است پس چگونه",
    "hi": "वापसी की अवधि तीस दिन है",
    "zh": "退货期限为三十天",
    "ja": "返品期限は三十日です",
    "ko": "반품 기한은 삼십 일입니다",
    "th": "ระยะเวลาคืนสินค้าสามสิบวัน",
    "el": "Η περίοδος επιστροφής είναι τριάντα ημέρες",
    "he": "תקופת ההחזרה היא שלושים יום",
    "km": "រយៈពេលសាមសិបថ្ងៃ",
    "ta": "முப்பது நாட்கள்",
}


@pytest.mark.parametrize("lang", sorted(WORDS))
def test_a_script_of_its_own_tells_the_language(lang: str) -> None:
    assert guess_language(WORDS[lang]) == lang
    assert guess_language(f"{WORDS[lang]} OpenTelemetry Collector\n") == lang


@pytest.mark.parametrize(
    "text",
    ["", "Plain English.", "Ganz normaler deutscher Text – schön.", "The angle α between β and γ is small.", "✓ 😀"],
)
def test_latin_text_tells_nothing(text: str) -> None:
    assert guess_language(text) == ""


def test_of_equally_many_letters_the_script_that_comes_first_in_unicode_tells() -> None:
    assert guess_language("Данун χανα") == guess_language("χανα Данун") == "ru"
    assert guess_language("Дану χανα") == guess_language("χανα Дану") == "el"
