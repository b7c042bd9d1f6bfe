"""The place of oversize-chunk is what the model does not read."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from evidencedesk.rules.oversize_chunk import oversize_chunk
from evidencedesk.text.words import words
from evidencedesk.workspace import Workspace

PAGES = {
    "plain": ("# Returns\n\nSend it back within 30 days of delivery, unused and in its box.\n", 8),
    "markup": ("# Returns\n\nSend **it** back within `30 days`\nof\ndelivery – [unused](a.md) and in its box.\n", 8),
    "other script": ("# ফেরত\n\nঅব্যবহৃত বাইক ডেলিভারির ৩০ দিনের মধ্যে ফেরত দেওয়া যায়।\n", 6),
}


@pytest.mark.parametrize("name", PAGES)
def test_the_tail_holds_exactly_the_words_that_are_not_read(name: str, tmp_path: Path) -> None:
    text, limit = PAGES[name]
    (tmp_path / "evidencedesk.toml").write_text('[chunking]\nstrategy = "section"\n', encoding="utf-8")
    (tmp_path / "page.md").write_text(text, encoding="utf-8")
    facts = replace(Workspace.open(tmp_path, today=date(2026, 1, 1)).snapshot.facts, word_limit=limit)
    subject = facts.documents["page.md"]
    (violation,) = oversize_chunk.check(subject, facts)
    passage = words(subject.chunks[0].to_passage().text)
    assert violation.values["all"] == len(passage)
    assert words(violation.span.of(text)) == passage[limit:]
    assert violation.span.of(text).strip() == violation.span.of(text)


def test_a_model_without_a_limit_reads_everything(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(PAGES["plain"][0], encoding="utf-8")
    facts = Workspace.open(tmp_path, today=date(2026, 1, 1)).snapshot.facts
    assert facts.word_limit is None
    assert list(oversize_chunk.check(facts.documents["page.md"], facts)) == []
