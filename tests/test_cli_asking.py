"""`dxmatch ask` as a user types it, against a server on loopback. `votes`: tests/golden/asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
ASK = ("ask", "notes", "--endpoints", "e.toml", "-m", "lab:big")


@pytest.fixture
def here(tmp_path: Path, loopback: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("e.toml").write_text(f'[endpoint.lab]\nurl = "{loopback.url}"\ntries = 1\n')
    Path("notes").mkdir()
    Path("notes/7.txt").write_text("Crushing pain in the chest.")
    Path("notes/8.txt").write_text("A red and swollen toe.")
    Path("gold.csv").write_text("case_id,reference\n7,heart attack\n8,gout\n")
    return tmp_path


def test_notes_to_a_report(here: Path, command: Command, loopback: Any) -> None:
    loopback.rules({"contains": "Crushing", "text": "1. Acute myocardial infarction"}, {"text": "1. Gout\n2. Sepsis"})
    asking = (*ASK, "--prompt", "free", "--prompt", "json")
    dry = command(*asking, "--dry-run")
    assert dry.code == 0 and "To ask: 4 questions" in dry.out and loopback.log()["calls"] == 0
    capped = command(*asking, "-o", "lists.csv", "--max-calls", "1")
    assert capped.code == 1 and "3 of 4 lists are missing" in capped.out and "Run this again" in capped.out
    done = command(*asking, "-o", "lists.csv")
    assert done.code == 0 and "Written: lists.csv" in done.out and loopback.log()["calls"] == 4
    assert done.out.index("To ask: 3 questions") < done.out.index("3 answers kept")
    assert "big [json]: 2 lists of 1.5 diagnoses on average." in done.out
    given = ("--references", "gold.csv", "--metrics", "recall", "--resamples", "0", "--full")
    report = command("evaluate", "lists.csv", *given)
    assert report.code == 0 and "big [free]" in report.out and "big [json]" in report.out
