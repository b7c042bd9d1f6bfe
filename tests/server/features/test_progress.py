"""Progress of long work, stopping it, and going on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from answer_making import PAGE, label, workspace
from evidencedesk_server import worker
from evidencedesk_server.messages import INDEX
from evidencedesk_server.worker import Engine
from raw_client import Connected

pytestmark = pytest.mark.asyncio

LABELS = [label("q1", "Is the parcel label free?", "The parcel label is free.")]
BROKEN = PAGE.replace("The parcel label is free.", "The parcel\n\nlabel is free.") + "\n```\nnever closed\n"
SHOWS = {"window": {"workDoneProgress": True}}


@pytest_asyncio.fixture
async def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Connected]:
    monkeypatch.setattr(worker, "_LONG_SECONDS", 0.0)
    monkeypatch.setattr(worker, "_PROGRESS_SECONDS", 0.0)
    workspace(tmp_path, LABELS)
    client = Connected(tmp_path)
    yield client
    await client.desk.stop()


def told(client: Connected) -> list[dict[str, Any]]:
    return [one["params"]["value"] for one in client.sent if one.get("method") == "$/progress"]


async def test_long_work_shows_its_steps_and_every_progress_ends(client: Connected) -> None:
    client.initialize(**SHOWS)
    client.open("returns.md", PAGE)
    await client.until(lambda: client.asked_for("window/workDoneProgress/create"))
    await client.until(lambda: [one for one in told(client) if one["kind"] == "end"])
    client.change("returns.md", BROKEN, 2)
    client.save("returns.md")
    await client.until(lambda: len(client.asked_for("window/workDoneProgress/create")) == 2)
    await client.until(lambda: len([one for one in told(client) if one["kind"] == "end"]) == 2)
    kinds = [one["kind"] for one in told(client)]
    assert kinds[0] == "begin"
    assert told(client)[0]["cancellable"] is True
    assert kinds.count("begin") == kinds.count("end") == 2


async def test_a_client_that_shows_none_is_asked_for_none(client: Connected) -> None:
    client.initialize()
    client.open("returns.md", BROKEN)
    await client.until(lambda: client.pushed("returns.md"))
    assert client.asked_for("window/workDoneProgress/create") == []
    assert told(client) == []


@pytest.mark.parametrize("resumes_by", ["the button", "the command"])
async def test_indexing_is_stopped_on_request_and_taken_up_again(
    client: Connected, monkeypatch: pytest.MonkeyPatch, resumes_by: str
) -> None:
    stops = [True]
    heed = Engine._progress

    def progress(engine: Engine, *steps: Any) -> None:
        heed(engine, *steps)
        if stops:
            # The client's request is on its way: the engine of this test shares the loop, which has no turn before.
            stops.pop()
            client.desk.engine.stop_work = lambda: None  # type: ignore[method-assign]
            engine.receive({"do": "stop"})

    monkeypatch.setattr(Engine, "_progress", progress)
    client.initialize(**SHOWS)
    client.open("returns.md", BROKEN)
    asked = "window/showMessageRequest"
    await client.until(lambda: [one for one in client.sent if one.get("method") == asked])
    (request,) = [one for one in client.sent if one.get("method") == asked]
    assert "only the problems that they have by themselves" in request["params"]["message"]
    assert {found["code"] for found in client.pushed("returns.md")[-1]["diagnostics"]} == {"ED203"}
    if resumes_by == "the button":
        client.say(id=request["id"], result={"title": "Index now"})
    else:
        client.say(id=request["id"], result=None)
        await client.ask("workspace/executeCommand", command=INDEX)
    await client.until(lambda: "ED201" in {found["code"] for found in client.pushed("returns.md")[-1]["diagnostics"]})


async def test_a_cancelled_progress_stops_the_work_and_another_ones_token_does_not(client: Connected) -> None:
    client.initialize(**SHOWS)
    stopped: list[bool] = []
    client.desk.engine.stop_work = lambda: stopped.append(True)  # type: ignore[method-assign]
    take = client.desk._receive
    client.desk._receive = lambda reply: None if reply["say"] == "idle" else take(reply)  # type: ignore[method-assign]
    client.open("returns.md", PAGE)
    await client.until(lambda: client.asked_for("window/workDoneProgress/create"))
    token = client.asked_for("window/workDoneProgress/create")[0]["params"]["token"]
    client.say(method="window/workDoneProgress/cancel", params={"token": "another"})
    assert stopped == []
    client.say(method="window/workDoneProgress/cancel", params={"token": token})
    assert stopped == [True]
