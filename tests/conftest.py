"""Options of the whole suite."""

from __future__ import annotations

import pytest
from hypothesis import settings

# A property says what holds, not how fast: machines differ.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-expected", action="store_true", help="rewrite the expected output of data-driven cases; read the diff"
    )
