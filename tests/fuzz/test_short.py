"""Targets for a moment: that they run, and find nothing. `make fuzz` is the long run; tables are tried in `tests/files`."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from . import findings, normaliser
from .__main__ import main


@pytest.mark.parametrize("name", ["answers", "normaliser"])
def test_a_short_run_finds_nothing(name: str) -> None:
    found = importlib.import_module(f".{name}", __package__).run(60, 1)
    assert not found, found[0]


def test_what_is_found_is_kept_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    monkeypatch.setattr(findings, "FOUND", tmp_path)
    seeds: list[tuple[int, int]] = []
    monkeypatch.setattr(normaliser, "run", lambda number, seed: seeds.append((number, seed)) or ["raised on '\\ud800'"])
    assert main(["normaliser", "--number", "300"]) == 1
    assert seeds == [(200, 0), (100, 1)]
    (kept,) = tmp_path.iterdir()
    assert kept.read_text() == "raised on '\\ud800'"
    assert capsys.readouterr().out.splitlines()[-1].split()[:3] == ["normaliser", "300", "1"]
