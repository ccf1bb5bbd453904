"""One match function for all tests of linking: its indexes are opened once."""

from __future__ import annotations

import pytest

import dxmatch


@pytest.fixture(scope="session")
def m() -> dxmatch.MatchFunction:
    return dxmatch.load()
