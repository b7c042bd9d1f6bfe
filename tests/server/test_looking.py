"""Answers about an evaluated text, placed in the present one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from evidencedesk_server import looking
from evidencedesk_server.desk import Desk
from evidencedesk_server.looking import look_in_file
from evidencedesk_server.messages import Look, Looked, Place
from evidencedesk_server.session import Folder, OpenDocument

pytestmark = pytest.mark.asyncio

URI = "file:///kb/a.md"
TEXT = "# A\n\n😀 some words\n"


class Desks:
    """A desk whose engine is played by the test; one document is open, and evaluated at version 1."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(looking, "_EVALUATION_SECONDS", 0.01)
        self.desk = Desk()
        self.asked: list[Look] = []
        monkeypatch.setattr(self.desk.engine, "send", self.asked.append)
        item = types.TextDocumentItem(URI, "markdown", 1, TEXT)
        self.document: OpenDocument = self.desk.session.open(item)
        self.document.place = Place("file:///kb", "a.md")
        self.document.answered(1)
        self.desk.session.folders["file:///kb"] = Folder("file:///kb", "/kb")
        self.desk.answers.indexed.add("file:///kb")
        self.desk.answers.readable.add("file:///kb")

    def insert(self, line: int, words: str) -> None:
        at = types.Position(line, 0)
        change = types.TextDocumentContentChangePartial(types.Range(at, at), words)
        self.document.change([change], self.document.version + 1, "utf-16")

    def answer(self, found: list[Any]) -> None:
        self.desk.lookups.take(Looked(say="looked", seq=self.asked[-1]["seq"], state=0, found=found))

    async def ask(self, position: types.Position | None = None) -> asyncio.Task[list[Any]]:
        asked = len(self.asked)
        task = asyncio.ensure_future(look_in_file(self.desk, "some", URI, position))
        while len(self.asked) == asked and not task.done():
            await asyncio.sleep(0.005)
        return task


async def test_characters_become_ranges_wherever_they_stand_in_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    desks = Desks(monkeypatch)
    waiting = await desks.ask()
    start = TEXT.index("some")
    desks.answer([{"name": "x", "children": [{"range": {"chars": [start, start + 4]}}]}])
    place = {"start": {"line": 2, "character": 3}, "end": {"line": 2, "character": 7}}
    assert await waiting == [{"name": "x", "children": [{"range": place}]}]


async def test_what_was_typed_since_the_evaluation_moves_the_answer_and_the_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desks = Desks(monkeypatch)
    desks.insert(0, "a new line\n")
    waiting = await desks.ask(types.Position(3, 3))
    start = TEXT.index("some")
    assert desks.asked[-1]["question"][3] == start
    desks.answer([{"chars": [start, start + 4]}])
    assert await waiting == [{"start": {"line": 3, "character": 3}, "end": {"line": 3, "character": 7}}]


async def test_a_position_inside_what_was_typed_leads_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    desks = Desks(monkeypatch)
    desks.insert(2, "typed")
    assert await (await desks.ask(types.Position(2, 2))) == []
    assert desks.asked == []


async def test_a_position_is_asked_about_again_when_the_state_changes_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desks = Desks(monkeypatch)
    desks.insert(0, "a new line\n")
    waiting = await desks.ask(types.Position(3, 3))
    desks.document.answered(2)
    desks.answer(["about the old text"])
    while len(desks.asked) == 1:
        await asyncio.sleep(0.005)
    assert desks.asked[-1]["question"][3] == TEXT.index("some") + len("a new line\n")
    desks.answer(["about the new text"])
    assert await waiting == ["about the new text"]


async def test_an_answer_that_does_not_come_is_refused_as_outdated(monkeypatch: pytest.MonkeyPatch) -> None:
    desks = Desks(monkeypatch)
    monkeypatch.setattr(looking, "_ANSWER_SECONDS", 0.02)
    with pytest.raises(JsonRpcException) as refused:
        await (await desks.ask())
    assert refused.value.code == types.LSPErrorCodes.ContentModified.value


async def test_nothing_is_asked_before_there_is_a_state_to_ask_about(monkeypatch: pytest.MonkeyPatch) -> None:
    desks = Desks(monkeypatch)
    desks.desk.answers.readable.clear()
    monkeypatch.setattr(looking, "_ANSWER_SECONDS", 20)
    waiting = asyncio.ensure_future(look_in_file(desks.desk, "some", URI))
    await asyncio.sleep(0.03)
    assert desks.asked == []
    desks.desk.answers.readable.add("file:///kb")
    desks.desk.answers.announce()
    while not desks.asked:
        await asyncio.sleep(0.005)
    desks.answer(["found"])
    assert await waiting == ["found"]


async def test_hovers_do_not_wait_for_a_folder_that_is_read_for_the_first_time(monkeypatch: pytest.MonkeyPatch) -> None:
    desks = Desks(monkeypatch)
    desks.desk.answers.readable.clear()
    desks.desk.answers.indexed.clear()
    desks.desk.lookups.close()
    assert await look_in_file(desks.desk, "hovers", URI, types.Position(2, 4), any_state=True) == []


async def test_documents_of_no_folder_hold_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    desks = Desks(monkeypatch)
    desks.document.place = None
    assert await (await desks.ask()) == []
    assert await look_in_file(desks.desk, "some", "file:///kb/other.md") == []
