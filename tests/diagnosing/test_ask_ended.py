"""Asking that is killed or interrupted: the next run goes on, asks nothing again that was kept, and writes the same bytes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from dxmatch.votes.store.store import VoteStore

pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")
pytest.importorskip("stamina", reason="asking a language model needs the extra 'llm'")

CONCURRENCY, N_CASES, REPEATS = 8, 60, 2
TOTAL = N_CASES * REPEATS * 2  # two prompts
NAMES = ("Gout", "Sepsis", "Influenza", "Migraine", "Asthma", "Psoriasis", "Angina")


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_ended_in_the_midst(loopback: Any, tmp_path: Path, how: signal.Signals) -> None:
    (tmp_path / "my.toml").write_text(f'[endpoint.lab]\nurl = "{loopback.url}"\nconcurrency = {CONCURRENCY}\n')
    cases = [{"id": i, "note": f"Note of the finding number-{i}.", "gold": NAMES[i % 7]} for i in range(N_CASES)]
    (tmp_path / "cases.jsonl").write_text("\n".join(map(json.dumps, cases)))
    rules = [{"contains": f"number-{i}.", "text": f"1. {NAMES[i % 7]}\n2. {NAMES[i % 5]} {i}"} for i in range(N_CASES)]
    loopback.rules(*rules, delay=0.02, keep=False)

    def command(output: str, store: str) -> list[str]:
        return [
            sys.executable, "-m", "dxmatch.cli", "ask", "cases.jsonl", "--endpoints", "my.toml", "-m", "lab:big", "--prompt", "free",
            "--prompt", "json", "--repeats", str(REPEATS), "--temperature", "0.7", "-o", output, "--store", store,
        ]  # fmt: skip

    asking = subprocess.Popen(command("lists.parquet", "votes.sqlite"), cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while loopback.log()["calls"] < 80:
        assert time.monotonic() < deadline and asking.poll() is None
        time.sleep(0.01)
    asking.send_signal(how)
    told = asking.communicate()[0]
    log = loopback.log()
    with VoteStore(tmp_path / "votes.sqlite") as store:
        kept = sum(status.answers for status in store.status())
    assert 80 - CONCURRENCY <= kept < TOTAL and sum(log["answered"].values()) - kept <= CONCURRENCY
    if how == signal.SIGINT:
        assert asking.returncode == 130 and "Stopped: interrupted." in told
        assert f"{TOTAL - kept} of {TOTAL} lists are missing" in told and (tmp_path / "lists.parquet").exists()
    else:
        assert not (tmp_path / "lists.parquet").exists()

    run = subprocess.run(command("lists.parquet", "votes.sqlite"), cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"{kept:,} known" in run.stdout or "To ask" in run.stdout
    # what was on its way when it ended is asked again, and nothing else
    assert TOTAL <= loopback.log()["calls"] <= TOTAL + CONCURRENCY
    again = subprocess.run(command("again.parquet", "votes.sqlite"), cwd=tmp_path, capture_output=True, text=True)
    assert again.returncode == 0 and loopback.log()["calls"] <= TOTAL + CONCURRENCY and "Nothing to ask" in again.stdout

    loopback.rules(*rules, keep=False)
    whole = subprocess.run(command("whole.parquet", "whole.sqlite"), cwd=tmp_path, capture_output=True, text=True)
    assert whole.returncode == 0 and loopback.log()["calls"] == TOTAL
    bytes_of = [(tmp_path / name).read_bytes() for name in ("lists.parquet", "again.parquet", "whole.parquet")]
    assert bytes_of[0] == bytes_of[1] == bytes_of[2]
