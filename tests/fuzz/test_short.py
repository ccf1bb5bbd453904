"""Every target for a moment: that it runs, and that it finds nothing. `make fuzz` is the long run."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from . import findings
from .__main__ import TARGETS, main

OF_ITS_OWN = ("folders", "kills", "model_mutants", "pages", "parquet", "store", "tables")
"""Targets that start processes, or whose folders have short tests of their own."""


@pytest.mark.parametrize("name", [name for name in TARGETS if name not in OF_ITS_OWN])
def test_a_short_run_finds_nothing(name: str) -> None:
    found = importlib.import_module(f".{name}", __package__).run(60, 1)
    assert not found, found[0]


def test_what_is_found_is_kept_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    monkeypatch.setattr(findings, "FOUND", tmp_path)
    normaliser = importlib.import_module(".normaliser", __package__)
    seeds: list[tuple[int, int]] = []
    monkeypatch.setattr(normaliser, "run", lambda number, seed: seeds.append((number, seed)) or ["raised on '\\ud800'"])
    assert main(["normaliser", "--number", "750"]) == 1
    assert seeds == [(500, 0), (250, 1)]
    (kept,) = tmp_path.iterdir()
    assert kept.read_text() == "raised on '\\ud800'"
    assert capsys.readouterr().out.splitlines()[-1].split()[:3] == ["normaliser", "750", "1"]
    assert main(["no-such"]) == 2
