"""The engines that these tests start compare every snapshot with a fresh one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evidencedesk.workspace.engine import PARANOID


@pytest.fixture(autouse=True, scope="session")
def paranoid() -> Iterator[None]:
    """Child processes inherit the variable."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PARANOID, "1")
        yield
