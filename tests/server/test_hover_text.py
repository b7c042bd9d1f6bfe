"""What hovers say."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from answer_making import PAGE, TODAY, label, workspace
from evidencedesk.text.spans import Span
from evidencedesk.workspace import Change, Workspace
from evidencedesk_server.hover_text import HoverTexts, escape_markdown, plain

SPLIT = "within 30 days of delivery, and we will refund the full price"


def at(opened: Workspace, path: str, words: str) -> str:
    """All that is said at the first occurrence of some words, the most special first."""
    place = opened.snapshot.texts[path].index(words)
    texts = HoverTexts(opened.snapshot).of_file(path)
    said = [(span, text()) for span, text in texts if span.start <= place < span.end]
    return "\n".join(text for _, text in sorted(said, key=lambda one: one[0].end - one[0].start))


def test_a_label_shows_every_ranking_with_marks_parts_and_the_answers_ranks(tmp_path: Path) -> None:
    opened = workspace(tmp_path, [label("q1", "Is the parcel label free?", "The parcel label is free.")])
    said = at(opened, "labels.json", "Is the parcel")
    answer = next(chunk for chunk in opened.snapshot.chunks if "label is free" in chunk.text)
    evaluation = opened.snapshot.evaluations["q1"]
    assert "**q1** · the answer is at rank 1" in said
    assert "| chunk | sparse | dense | hybrid |" in " ".join(said.split())
    first = [f"1 ({evaluation.rankings[name][0].score:.3g})" for name in ("sparse", "dense", "hybrid")]
    assert f"| {answer.id} ★ | {' | '.join(first)} |" in " ".join(said.split())
    assert "hybrid adds up 1/(60 + rank) of sparse and dense" in said
    assert "Answer at rank: sparse 1 · dense 1 · hybrid 1" in said
    assert "★ holds the whole answer" in said
    assert "☆" not in said


def test_a_split_answer_is_told_at_the_label_and_at_both_halves(tmp_path: Path) -> None:
    opened = workspace(tmp_path, [label("q1", "How long can I send it back?", SPLIT)])
    assert "split: no chunk holds it whole" in at(opened, "labels.json", "How long")
    for half in ("Send it back", "and we will refund"):
        said = at(opened, "returns.md", half)
        assert "Holds only a part of the answer to:\n- “How long can I send it back?” (q1)" in said
        assert "Wrongly" not in said
    assert "Holds only a part" not in at(opened, "returns.md", "The parcel label")


def test_texts_are_the_same_whatever_was_made_for_an_earlier_state(tmp_path: Path) -> None:
    labels = [
        label("q1", "How long can I send it back?", SPLIT),
        label("q2", "Is the parcel label free?", "The parcel label is free."),
        label("q3", "Is the free parcel label for tandems?"),
    ]
    opened = workspace(tmp_path, labels)

    def said(texts: HoverTexts) -> list[tuple[Span, str]]:
        return [(span, text()) for span, text in texts.of_file("returns.md")]

    first = HoverTexts(opened.snapshot)
    before = said(first)
    for edited in (PAGE.replace("The parcel label", "The label"), "# Nothing\n\nNothing is left here.\n", PAGE):
        snapshot = opened.apply([Change("returns.md", edited)])
        texts = HoverTexts(snapshot, last_parts=first.parts)
        assert said(texts) == said(HoverTexts(snapshot))
        assert (said(texts) == before) == (edited == PAGE)
        first = texts


def test_a_paragraph_shows_its_chunk_the_questions_it_answers_and_those_that_find_it_wrongly(tmp_path: Path) -> None:
    labels = [
        label("q1", "Is the parcel label free?", "The parcel label is free."),
        label("q2", "Is the free parcel label for tandems?"),
    ]
    opened = workspace(tmp_path, labels)
    said = at(opened, "returns.md", "The parcel label")
    assert "Chunk **returns:c2** · text · 5 words, 25 characters" in said
    assert "Answers:\n- “Is the parcel label free?” (q1): sparse 1, dense 1, hybrid 1" in said
    assert "Wrongly retrieved for:\n- “Is the free parcel label for tandems?” (q2): rank 1; it has no answer" in said


def test_twins_are_named(tmp_path: Path) -> None:
    copy = PAGE.replace("id: returns", "id: copy").replace("title: Returns", "title: Copy")
    opened = workspace(tmp_path, [], {"returns.md": PAGE, "copy.md": copy})
    assert "Same text: copy:c2" in at(opened, "returns.md", "The parcel label")
    assert "Says the same as copy.md" in at(opened, "returns.md", "# Returns")


def test_the_first_heading_tells_the_cause_of_the_files_problems(tmp_path: Path) -> None:
    opened = workspace(tmp_path, [label("q1", "How long can I send it back?", SPLIT)])
    said = at(opened, "returns.md", "# Returns")
    assert "**returns** · current, public · 3 chunks" in said
    assert "answers split: 1 of 3 chunks" in said
    assert "answers split" not in at(opened, "returns.md", "## Costs")


def test_overlapping_chunks_are_both_shown_where_they_overlap(tmp_path: Path) -> None:
    opened = workspace(tmp_path, [], {"long.md": "# T\n\n" + " ".join(f"word{n}" for n in range(120)) + "\n"})
    (tmp_path / "evidencedesk.toml").write_text('[chunking]\nstrategy = "fixed"\nsize = 200\noverlap = 80\n')
    opened = Workspace.open(tmp_path, today=TODAY)
    first, second = opened.snapshot.chunks[:2]
    shared = Span(second.location.span.start, first.location.span.end)
    assert shared.start < shared.end
    spans = [
        span
        for span, text in HoverTexts(opened.snapshot).of_file("long.md")
        if first.id in text() and second.id in text()
    ]
    assert shared in spans


NASTY = st.text(st.sampled_from(list("ab`*_[]()<>|&#!~\\:/.@-+= \n1w$")), max_size=25)
DANGEROUS = [
    "[click](command:evil)",
    "<img src=x onerror=alert(1)>",
    "<http://evil>",
    "http://evil.example",
    "www.evil.example",
    "a|b|c",
    "`code`",
    "![x](http://a/b.png)",
    "&lt;script&gt;",
    "line\n\n# heading",
    "~~struck~~ **bold** __b__",
]


@pytest.mark.parametrize("text", DANGEROUS)
def test_document_text_never_becomes_markup(text: str) -> None:
    assert_is_only_text(text)


@given(NASTY)
def test_no_text_at_all_becomes_markup(text: str) -> None:
    assert_is_only_text(text)


def assert_is_only_text(text: str) -> None:
    """Rendered inside a table cell, by a renderer with tables, HTML and strikethrough on, the text is just itself."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tokens = parser.parse(f"| a | b |\n|--|--|\n| x{escape_markdown(text)}x | end |\n")
    cells = [token for token in tokens if token.type == "inline"]
    assert len(cells) == 4
    children = cells[2].children or []
    assert {child.type for child in children} <= {"text", "text_special"}
    assert "".join(child.content for child in children) == f"x{plain(text)}x"


def test_clients_without_markdown_get_the_words_as_they_are(tmp_path: Path) -> None:
    opened = workspace(tmp_path, [label("q_1", "Is *this* free?", "The parcel label is free.")])
    said = "\n".join(text() for _, text in HoverTexts(opened.snapshot, plain).of_file("labels.json"))
    assert "q_1" in said
    assert "q\\_1" not in said


def test_the_passage_that_won_and_the_gate_are_told(tmp_path: Path) -> None:
    labels = [
        label("q1", "Is the parcel label free?", "The parcel label is free."),
        label("q2", "Is there a museum for tandems?"),
    ]
    opened = workspace(tmp_path, labels)
    settings = '[retrieval]\nsearcher = "lexical"\nmmr_lambda = 0.75\n[retrieval.gate]\naccept = 0.9\n'
    opened.apply([Change("evidencedesk.toml", f'[chunking]\nstrategy = "paragraph"\n{settings}')])
    said = at(opened, "labels.json", "Is the parcel")
    assert "Passages:\n1. “The parcel label is free.” (returns:c2)" in said
    assert "gate open: coverage 1.00 is not below 0.9" in said
    assert "diversified with λ 0.75" in said
    assert "gate closed: coverage 0.00 is below 0.9" in at(opened, "labels.json", "Is there a museum")


def test_a_corrected_question_shows_its_rounds_and_grades(tmp_path: Path) -> None:
    opened = workspace(tmp_path, [label("q1", "Is the zirconium label free?", "The parcel label is free.")])
    text = '[chunking]\nstrategy = "paragraph"\n[retrieval]\nsearcher = "corrective"\ncorrection.accept = 1.0\n'
    opened.apply([Change("evidencedesk.toml", text)])
    said = at(opened, "labels.json", "Is the zirconium")
    assert "Corrective: partial\n- r1: “Is the zirconium label free?” is ambiguous" in said
    assert "\n- r2: “is the label free” is ambiguous" in said


def test_a_record_shows_what_was_found_kept_and_answered(tmp_path: Path) -> None:
    opened = workspace(tmp_path, [label("q1", "Is the parcel label free?", "The parcel label is free.")])
    rows = '[{"chunk_id": "returns:c9", "score": 0.5, "text": "<b>Free</b>"}]'
    answer = '"answer": "Yes, *free*.", "cited": ["returns:c9"]'
    lines = [
        f'{{"test_id": "q1", "search_question": "Free?", "ranking": {rows}, "context": [], {answer}}}',
        '{"test_id": "gone", "ranking": [], "context": []}',
    ]
    opened.apply([Change("night.runs.jsonl", "\n".join(lines))])
    said = at(opened, "night.runs.jsonl", "Free?")
    assert "**q1** · “Free?”" in said
    assert "| 1 | returns:c9 | 0.5 | – |" in said
    assert "Answer: “Yes, \\*free\\*.”, citing returns:c9" in said
    assert "Now: differs from rank 1: was returns:c9, is returns:c" in said
    other = at(opened, "night.runs.jsonl", '"gone"')
    assert "Nothing was found." in other and "No label has this id." in other
