"""The engines that these tests start compare every snapshot with a fresh one."""

from __future__ import annotations

import pytest

from evidencedesk.workspace.engine import PARANOID


@pytest.fixture(autouse=True)
def paranoid(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engines that these tests start compare every snapshot with a fresh one: child processes inherit it."""
    monkeypatch.setenv(PARANOID, "1")
