"""When evaluations are asked for."""

from __future__ import annotations

import asyncio

import pytest

from evidencedesk_server.scheduler import Scheduler

PAUSE = 0.02
LONGEST = 0.1

pytestmark = pytest.mark.asyncio


class Work:
    """Counts its calls, and can be told to fail."""

    def __init__(self) -> None:
        self.calls = 0
        self.fails = False
        self.scheduler = Scheduler(self, PAUSE, LONGEST)

    def __call__(self) -> None:
        self.calls += 1
        if self.fails:
            raise ValueError("broken")


async def settle() -> None:
    await asyncio.sleep(PAUSE * 5)


async def test_a_burst_of_changes_leads_to_one_call_after_it() -> None:
    work = Work()
    for _ in range(500):
        work.scheduler.soon()
    assert work.calls == 0
    await settle()
    assert work.calls == 1


async def test_now_does_not_wait_for_the_pause_and_replaces_it() -> None:
    work = Work()
    work.scheduler.soon()
    work.scheduler.now()
    work.scheduler.now()
    assert work.calls == 0
    await asyncio.sleep(0)
    assert work.calls == 1
    await settle()
    assert work.calls == 1


async def test_a_change_after_one_that_must_not_wait_does_not_make_it_wait() -> None:
    work = Work()
    work.scheduler.now()
    work.scheduler.soon()
    await asyncio.sleep(0.001)
    assert work.calls == 1


async def test_who_never_pauses_is_called_for_all_the_same() -> None:
    work = Work()
    async with asyncio.timeout(20):
        while work.calls < 3:
            work.scheduler.soon()
            await asyncio.sleep(PAUSE / 4)


async def test_a_failing_call_does_not_keep_the_next_one_away() -> None:
    work = Work()
    failures: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context["exception"]))
    work.fails = True
    work.scheduler.now()
    await settle()
    work.fails = False
    work.scheduler.soon()
    await settle()
    assert work.calls == 2
    assert len(failures) == 1


async def test_stopping_forgets_what_waits() -> None:
    work = Work()
    work.scheduler.soon()
    work.scheduler.stop()
    work.scheduler.now()
    work.scheduler.stop()
    await settle()
    assert work.calls == 0
