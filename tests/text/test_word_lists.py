from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.text.word_lists import WordLists


@given(st.lists(st.lists(st.text(max_size=2))))
def test_a_list_reads_back_as_its_words(lists: list[list[str]]) -> None:
    made = WordLists.of(lists)
    assert list(made.vocabulary) == list(dict.fromkeys(word for words in lists for word in words))
    read: list[list[str]] = [[] for _ in lists]
    for owner, number in zip(made.owners.tolist(), made.numbers.tolist(), strict=True):
        read[owner].append(made.vocabulary[number])
    assert read == lists
    assert made.lengths.tolist() == [len(words) for words in lists]
    for start in range(len(lists)):
        part = made.slice(start, start + 2)
        assert [part.vocabulary[number] for number in part.numbers.tolist()] == [
            word for words in lists[start : start + 2] for word in words
        ]
        assert part.lengths.tolist() == made.lengths[start : start + 2].tolist()
