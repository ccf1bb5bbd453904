"""`dxmatch audit` and `dxmatch explain` from the command line, with the model that ships."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]


@pytest.mark.slow
def test_audit(example: Path, tmp_path: Path, command: Command) -> None:
    few = ("--repeats", "1", "--bootstrap", "20", "--sample", "50")
    done = command("audit", example / "pairs.csv", "-o", tmp_path / "audit", *few)
    assert done.code == 0, done.err
    assert "Shuffling" in done.out and "cosine_static" in done.out
    assert (tmp_path / "audit" / "audit.html").is_file()
    assert json.loads((tmp_path / "audit" / "audit.json").read_text("utf-8"))["made_with"]["pairs"] == 494
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "mine.txt").write_text("x")
    again = command("audit", example / "pairs.csv", "-o", tmp_path / "mine", *few)
    assert again.code == 1 and "holds something else" in again.err and "Traceback" not in again.err


def test_explain(tmp_path: Path, command: Command) -> None:
    done = command("explain", "heart attack", "acute MI", "-o", tmp_path / "why.svg")
    assert done.code == 0, done.err
    assert "M calls them a match" in done.out and (tmp_path / "why.svg").read_text("utf-8").startswith("<svg")
    assert "not understood" in command("explain", "Лихорадка", "fever").err
    assert "no match" in command("explain", "Лихорадка", "fever", "--judge-all").out
    told = json.loads(command("explain", "type 1 diabetes", "type 2 diabetes", "--json").out)
    assert told["opposed"] and told["names"] == ["type 1 diabetes", "type 2 diabetes"]
    wrong = command("explain", "heart attack", "acute MI", "-o", tmp_path / "why.pdf")
    assert wrong.code == 1 and ".svg" in wrong.err
