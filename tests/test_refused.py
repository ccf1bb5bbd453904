"""What public functions refuse before any work, with what the message names: `tests/cases/refused.csv`, a case a line. Of evaluations: tests/evaluation."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import dxmatch

from .case_table import cases


@pytest.mark.parametrize(("call", "arguments", "told"), cases("refused"))
def test_what_is_refused(
    call: str, arguments: str, told: str, m: dxmatch.MatchFunction, example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """Functions of dxmatch and methods of M, in a folder that holds the example's pairs and is left as it was."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(example / "pairs.csv", tmp_path)
    with pytest.raises(dxmatch.DxmatchError, match=told):
        getattr(m if hasattr(m, call) else dxmatch, call)(**json.loads(arguments))
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.csv"]
