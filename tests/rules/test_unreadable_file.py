"""A file that cannot be read is told once with its reason, and other rules keep quiet about it."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from evidencedesk.documents.document import Defect, Document
from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.rules.unreadable_file import unreadable_file
from evidencedesk.text.spans import Span
from evidencedesk.workspace import Workspace


def test_a_binary_file_has_this_problem_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("# Page\n\nText that can be read.\n", encoding="utf-8")
    (tmp_path / "binary.md").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00")
    snapshot = Workspace.open(tmp_path, today=date(2026, 1, 1)).snapshot
    assert [problem.name for problem in snapshot.problems if problem.path == "binary.md"] == ["unreadable-file"]


def test_the_reason_is_given_when_the_file_cannot_be_opened(tmp_path: Path) -> None:
    facts = Workspace.open(tmp_path, today=date(2026, 1, 1)).snapshot.facts
    defects = (Defect("unreadable", Span(0, 0), "permission denied"), Defect("nul", Span(0, 0)))
    subject = ChunkedDocument(Document("gone", "gone.md", "", defects=defects), ())
    (violation,) = unreadable_file.check(subject, facts)
    message = unreadable_file.problem(violation, "").message
    assert message == "this file cannot be read: permission denied; nothing in it can be found"
