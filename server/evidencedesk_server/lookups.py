"""Questions to the engine, and what it answered. Invariant: an answer is kept until the state it is about changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from evidencedesk_server.messages import Look, Looked, Question


class Lookups:
    """Asks each question once per state, however many wait for it; while the engine is busy, kept answers stand."""

    def __init__(self, send: Callable[[Look], None]) -> None:
        self._send = send
        self._seq = 0
        self._state = 0
        self._kept: dict[Question, list[Any]] = {}
        self._asked: dict[int, Question] = {}
        self._waited_for: dict[Question, asyncio.Future[None]] = {}
        self._closed = False

    async def find(self, question: Question) -> list[Any]:
        """The answer about the present state; nothing when there is no engine any more."""
        while question not in self._kept and not self._closed:
            if question not in self._waited_for:
                self._waited_for[question] = asyncio.get_running_loop().create_future()
                self._seq += 1
                self._asked[self._seq] = question
                self._send(Look(do="look", seq=self._seq, question=list(question)))
            # Others may wait as well: a client that cancels its request cancels only its own waiting.
            await asyncio.shield(self._waited_for[question])
        return self._kept.get(question, [])

    def take(self, looked: Looked) -> None:
        """Keep an answer and wake those who wait for it; one about a state that is gone is asked for again."""
        if (question := self._asked.pop(looked["seq"], None)) is not None:
            if looked["state"] == self._state:
                self._kept[question] = looked["found"]
            self._wake(question)

    def enter(self, state: int) -> set[str]:
        """Questions are about this state from now on. Returns what the kept answers, now void, were about."""
        outdated = {question.what for question in self._kept} if state != self._state else set()
        if state != self._state:
            self._kept.clear()
        self._state = state
        return outdated

    def ask_again(self) -> None:
        """The engine that was asked is gone: those who wait ask its successor."""
        self.enter(0)
        self._kept.clear()
        self._asked.clear()
        for question in list(self._waited_for):
            self._wake(question)

    def close(self) -> None:
        """No engine will answer any more."""
        self._closed = True
        self.ask_again()

    def _wake(self, question: Question) -> None:
        waiting = self._waited_for.pop(question, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(None)
