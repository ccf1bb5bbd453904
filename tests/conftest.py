from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real public data; a test that needs it is skipped where it is absent."""
    folder = Path(os.environ.get("DXMATCH_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "craft_md_pairs.csv").is_file():
        pytest.skip(f"no real data at {folder} (set DXMATCH_DATA)")
    return folder


@pytest.fixture(scope="session")
def example() -> Path:
    """The bundled example."""
    return ROOT / "example"
