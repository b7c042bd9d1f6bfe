"""Questions on their way to the engine and back."""

from __future__ import annotations

import asyncio

import pytest

from evidencedesk_server.lookups import Lookups
from evidencedesk_server.messages import Look, Looked, Question

pytestmark = pytest.mark.asyncio

SYMBOLS = Question("symbols", "file:///kb", "a.md")
LENSES = Question("lenses", "file:///kb", "a.md")


class Engine:
    """Keeps what it is asked; answers when told to."""

    def __init__(self) -> None:
        self.asked: list[Look] = []
        self.lookups = Lookups(self.asked.append)

    def answer(self, look: Look, found: list[object], state: int = 0) -> None:
        self.lookups.take(Looked(say="looked", seq=look["seq"], state=state, found=found))

    async def wait_for(self, question: Question) -> asyncio.Task[list[object]]:
        """Somebody who waits for an answer."""
        task = asyncio.ensure_future(self.lookups.find(question))
        await asyncio.sleep(0)
        return task


async def test_a_question_is_asked_once_however_many_wait_and_its_answer_is_kept() -> None:
    engine = Engine()
    waiting = [await engine.wait_for(SYMBOLS) for _ in range(3)]
    (look,) = engine.asked
    assert look["question"] == ["symbols", "file:///kb", "a.md", 0, (), 0]
    engine.answer(look, ["one"])
    assert await asyncio.gather(*waiting) == [["one"]] * 3
    assert await engine.lookups.find(SYMBOLS) == ["one"]
    assert len(engine.asked) == 1


async def test_a_changed_state_is_asked_anew_even_when_it_changes_before_the_waiting_one_runs() -> None:
    engine = Engine()
    waiting = await engine.wait_for(SYMBOLS)
    engine.answer(engine.asked[0], ["old"])
    assert engine.lookups.enter(1) == {"symbols"}
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    engine.answer(engine.asked[1], ["new"], state=1)
    assert await waiting == ["new"]
    assert engine.lookups.enter(1) == set()
    assert engine.lookups.enter(2) == {"symbols"}
    assert engine.lookups.enter(3) == set()


async def test_an_answer_about_a_state_that_is_gone_is_asked_for_again() -> None:
    engine = Engine()
    waiting = await engine.wait_for(SYMBOLS)
    engine.lookups.enter(1)
    engine.answer(engine.asked[0], ["old"])
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not waiting.done()
    engine.answer(engine.asked[1], ["new"], state=1)
    assert await waiting == ["new"]


async def test_one_that_gives_up_does_not_keep_the_others_from_their_answer() -> None:
    engine = Engine()
    first, second = await engine.wait_for(SYMBOLS), await engine.wait_for(SYMBOLS)
    first.cancel()
    await asyncio.sleep(0)
    engine.answer(engine.asked[0], ["one"])
    assert await second == ["one"]


async def test_the_next_engine_is_asked_what_the_last_one_left_open() -> None:
    engine = Engine()
    waiting = await engine.wait_for(LENSES)
    engine.lookups.ask_again()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    engine.answer(engine.asked[0], ["of the dead"])
    assert not waiting.done()
    engine.answer(engine.asked[1], ["of the living"])
    assert await waiting == ["of the living"]


async def test_without_an_engine_nobody_waits() -> None:
    engine = Engine()
    waiting = await engine.wait_for(LENSES)
    engine.lookups.close()
    assert await waiting == []
    assert await engine.lookups.find(SYMBOLS) == []
