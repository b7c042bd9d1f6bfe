"""Evidence is found whatever its typography and markup, at the exact source characters, and nothing else is found."""

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.text.folding import Step, after_case, before_case
from evidencedesk.text.normal import Folded, Match, find_all, fold, holds
from evidencedesk.text.spans import Span


@pytest.mark.parametrize(
    ("source", "wanted", "found"),
    [
        # Typography.
        ("It’s “free” – 5\xa0kg", 'It\'s "free" - 5 kg', ["It’s “free” – 5\xa0kg"]),
        ("„frei“ und «libre»", '"frei"', ["„frei“"]),
        ("cafe\u0301 bar", "café", ["cafe\u0301"]),
        ("café bar", "cafe\u0301 BAR", ["café bar"]),
        ("α ½ x²", "alpha", []),
        ("α ½ x²", "1/2", []),
        ("α ½ x²", "x2", []),
        ("and so on…", "so on...", ["so on…"]),
        ("in 3—5 days, --force", "3-5 days, -force", ["3—5 days, --force"]),
        ("zero\u200bwidth soft\xadhyphen", "zerowidth softhyphen", ["zero\u200bwidth soft\xadhyphen"]),
        ("দেওয\u09bc\u09be যায়", "দেওয়া", ["দেওয\u09bc\u09be"]),
        ("Straße", "STRASSE", ["Straße"]),
        ("Straße", "s", ["S"]),
        # White space.
        ("return\r\nwithin  \t30\u2009days", "return within 30 days", ["return\r\nwithin  \t30\u2009days"]),
        ("退货期限\n为三十天。", "退货期限为三十天。", ["退货期限\n为三十天。"]),
        # Inline Markdown.
        ("in **5** business days", "5 business days", ["5** business days"]),
        ("in **5** business days", "**5** business", ["**5** business"]),
        ("_very_ `long` ~~no~~ snake_case", "very long no snakecase", ["very_ `long` ~~no~~ snake_case"]),
        ('see [the page](http://x.y/a_(b) "t") for', "see the page for", ['see [the page](http://x.y/a_(b) "t") for']),
        ("see [the page][ref] for", "the page for", ["the page][ref] for"]),
        ("![A bell](b.png) rings[^1] on", "a bell rings on", ["A bell](b.png) rings[^1] on"]),
        ("<https://x.y/z> now", "https://x.y/z now", ["https://x.y/z> now"]),
        ("<b>5</b> days<br>or `List<int>`", "5 days or List<int>", ["5</b> days<br>or `List<int"]),
        ("not <table name> but", "<table name>", ["<table name>"]),
        ("a &amp; b &nbsp;&#39;c&#x27; &sum;", "a & b 'c' &sum;", ["a &amp; b &nbsp;&#39;c&#x27; &sum;"]),
        ("one <!-- hidden --> two", "one two", ["one <!-- hidden --> two"]),
        # Block markup between the words.
        ("- one\n- two", "one two", ["one\n- two"]),
        ("> one\n> two", "one two", ["one\n> two"]),
        ("| a | b |\n|:--|---|\n| 1 | 2 |", "a b 1 2", ["a | b |\n|:--|---|\n| 1 | 2"]),
        ("free – 5 kg", "free 5 kg", ["free – 5 kg"]),
        # All places, without overlaps.
        ("aa *a*a a", "aa", ["aa", "a*a"]),
        ("5 days, 5  days", "5 days", ["5 days", "5  days"]),
        # Nothing to find.
        ("a ** b", "**", []),
        ("a b", " \n", []),
        ("", "a", []),
        # What folding takes apart is found letter by letter.
        ("[form](https://x.y/returns)", "https://x.y/returns", ["https://x.y/returns"]),
    ],
)
def test_evidence_is_found_at_the_exact_source_characters(source: str, wanted: str, found: list[str]) -> None:
    matches = find_all(source, wanted)
    assert [match.span.of(source) for match in matches] == found
    assert [match.verbatim for match in matches] == [piece == wanted for piece in found]
    assert holds(source, wanted) is bool(found)


def test_a_match_tells_its_place_and_whether_it_needed_folding() -> None:
    assert find_all("A b, a  B, a b", "a b") == (
        Match(Span(0, 3), False),
        Match(Span(5, 9), False),
        Match(Span(11, 14), True),
    )


PIECES = [
    "a",
    "B",
    "é",
    "e\u0301",
    "ß",
    "ফে",
    "中",
    " ",
    "\n",
    "\r\n",
    "\xa0",
    "\u200b",
    "“",
    "'",
    "–",
    "--",
    "…",
    "-",
    "•",
]
PIECES += [
    "*",
    "_",
    "`",
    "|",
    ">",
    "<",
    "[",
    "]",
    "(",
    ")",
    "](u)",
    "![",
    "&",
    "&amp;",
    "&lt;",
    ";",
    "<b>",
    "</b>",
    "<br>",
]
PIECES += ["<!--", "-->", "<!-- c -->", "\\", "#", ":", "5", "İ", "\u0345", "\u1fef", "\u212b", "가", "\u1161"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@given(TEXTS)
def test_a_source_folds_as_a_text_does(text: str) -> None:
    assert Folded(text).text == fold(text)


@given(TEXTS | st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(TEXTS, st.data())
def test_every_slice_is_found_and_every_match_folds_to_what_was_wanted(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    wanted = text[start : data.draw(st.integers(start, len(text)))]
    matches = find_all(text, wanted)
    assert bool(matches) is bool(fold(wanted))
    assert all(fold(match.span.of(text)) == fold(wanted) for match in matches)
    assert all(match.verbatim is (match.span.of(text) == wanted) for match in matches)
    assert all(first.span.end <= second.span.start for first, second in pairwise(matches))


PROSE = st.lists(st.sampled_from(["the", "café", "5", "ফেরত", "it’s", "“free”", "B", "kg,"]), min_size=1, max_size=8)
VARIANTS = [
    lambda text: text.replace(" ", "\r\n"),
    lambda text: text.replace(" ", " \xa0\t"),
    lambda text: text.replace(" ", " – "),
    lambda text: text.replace(" ", "\n> "),
    lambda text: text.replace(" ", "** "),
    lambda text: text.replace(" ", " <b>"),
    lambda text: text.replace(" ", "](http://x.y) "),
    lambda text: text.replace("’", "'").replace("“", '"').replace("”", "»"),
    lambda text: unicodedata.normalize("NFD", text),
    str.upper,
    lambda text: text.replace("f", "f\u200b"),
]


@given(PROSE, PROSE, PROSE, st.sampled_from(VARIANTS), st.sampled_from(VARIANTS))
def test_prose_is_found_in_any_typographic_variant(
    before: list[str], words: list[str], after: list[str], written: object, searched: object
) -> None:
    assert callable(written) and callable(searched)
    source = written(" ".join([*before, "|", *words, "|", *after]))
    wanted = " ".join(words)
    assert holds(source, searched(wanted))
    assert any(fold(match.span.of(source)) == fold(wanted) for match in find_all(source, wanted))


@given(PROSE, PROSE, PROSE)
def test_a_part_that_holds_the_evidence_folds_to_a_text_that_holds_it(
    before: list[str], words: list[str], after: list[str]
) -> None:
    evidence = " ".join(words)
    part = " ".join(f"{' '.join(before)}\n- **{evidence}** [more](u)\n{' '.join(after)}".split())
    for start in range(part.index(evidence) + 1):
        assert fold(evidence) in fold(part[start:])


@given(st.text(st.sampled_from("a1 <>]|-:•\t\n\x1c\x85\u2009“é中[!*&;b/") | st.characters(), max_size=12))
def test_a_step_that_a_text_does_not_need_changes_nothing_in_it(text: str) -> None:
    for step in (*before_case(), *after_case()):
        if isinstance(step, Step):
            assert step.needed(text) or step.pattern.sub(step.put, text) == text, step.pattern.pattern


@given(TEXTS | st.text())
def test_a_step_in_place_gives_one_character_for_each(text: str) -> None:
    for step in after_case():
        assert isinstance(step, Step) or len(step.apply(text)) == len(text)
