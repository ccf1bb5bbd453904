"""Every golden run of evaluation finds what was frozen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..compare import differences, read
from .adapter import find

HERE = Path(__file__).parent
RUNS = sorted(path.stem for path in (HERE / "runs").glob("*.json"))


@pytest.mark.parametrize("name", RUNS)
def test_a_run_finds_what_was_frozen(name: str, tmp_path: Path) -> None:
    run = json.loads((HERE / "runs" / f"{name}.json").read_text("utf-8"))
    told = differences(read(HERE / "expected" / f"{name}.json"), find(run, tmp_path))
    assert not told, "\n".join(told[:20])
