"""When evaluations run."""

from __future__ import annotations

import asyncio

import pytest

from evidencedesk_server.scheduler import Scheduler

PAUSE = 0.02


class Work:
    def __init__(self) -> None:
        self.started = 0
        self.running = 0
        self.most_at_once = 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self) -> None:
        self.started += 1
        self.running += 1
        self.most_at_once = max(self.most_at_once, self.running)
        await self.gate.wait()
        self.running -= 1


async def settle() -> None:
    await asyncio.sleep(PAUSE * 5)


@pytest.mark.asyncio
async def test_a_burst_of_changes_leads_to_one_run() -> None:
    work = Work()
    scheduler = Scheduler(work, PAUSE)
    for _ in range(500):
        scheduler.soon()
    assert work.started == 0
    await settle()
    assert work.started == 1


@pytest.mark.asyncio
async def test_now_does_not_wait_for_the_pause_and_replaces_it() -> None:
    work = Work()
    scheduler = Scheduler(work, PAUSE)
    scheduler.soon()
    scheduler.now()
    await asyncio.sleep(0)
    assert work.started == 1
    await settle()
    assert work.started == 1


@pytest.mark.asyncio
async def test_changes_during_a_run_lead_to_one_more_and_never_to_two_at_once() -> None:
    work = Work()
    work.gate.clear()
    scheduler = Scheduler(work, PAUSE)
    scheduler.now()
    await asyncio.sleep(0)
    for _ in range(10):
        scheduler.now()
        scheduler.soon()
    await settle()
    assert work.started == 1
    work.gate.set()
    await settle()
    assert work.started == 2
    assert work.most_at_once == 1


@pytest.mark.asyncio
async def test_a_failing_run_is_reported_and_the_next_one_still_runs() -> None:
    reported: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
    runs = []

    async def work() -> None:
        runs.append(None)
        raise ValueError("broken")

    scheduler = Scheduler(work, PAUSE)
    scheduler.now()
    await settle()
    scheduler.now()
    await settle()
    assert len(runs) == 2
    assert [str(context["exception"]) for context in reported] == ["broken", "broken"]


@pytest.mark.asyncio
async def test_nothing_runs_after_stop() -> None:
    work = Work()
    work.gate.clear()
    scheduler = Scheduler(work, PAUSE)
    scheduler.now()
    await asyncio.sleep(0)
    scheduler.now()
    scheduler.soon()
    scheduler.stop()
    work.gate.set()
    await settle()
    assert work.started == 1
