"""What a question is searched by."""

import pytest

from evidencedesk.text.analysis import STOP_WORDS, index_terms, query_terms


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
