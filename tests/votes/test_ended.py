"""`dxmatch votes ask` that is killed, ended or interrupted, or runs twice at once: no answer is lost, and few are asked for twice."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from dxmatch.votes.store.check import check_votes
from dxmatch.votes.store.store import VoteStore

TOTAL, AT_ONCE = 600, 32
ASK = [sys.executable, "-m", "dxmatch.cli", "votes", "ask", "pairs.csv", "--features", "set.toml"]
VOTE = '[[feature]]\nname = "v"\nkind = "vote"\nmodel = "m"\nendpoint = "lab"\n'


@pytest.fixture
def started(tmp_path: Path, loopback: Any) -> Any:
    endpoint = f'[endpoint.lab]\nurl = "{loopback.url}"\nconcurrency = {AT_ONCE}\ntimeout = 5\n'
    (tmp_path / "set.toml").write_text(endpoint + VOTE)
    (tmp_path / "pairs.csv").write_text("a,b\n" + "".join(f"gout of toe {i},podagra {i}\n" for i in range(TOTAL)))
    return lambda: subprocess.Popen(ASK, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def answers(store: Path) -> int:
    with VoteStore(store) as kept:
        return sum(one.answers for one in kept.status())


@pytest.mark.nightly
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_ended_in_the_midst(started: Any, loopback: Any, tmp_path: Path, how: signal.Signals) -> None:
    loopback.rules(delay=0.1, keep=False)
    asking, store, deadline = started(), tmp_path / "votes.sqlite", time.monotonic() + 120
    while (calls := loopback.log()["calls"]) < 150:
        assert time.monotonic() < deadline and asking.poll() is None
        time.sleep(0.01)
    asking.send_signal(how)
    said = "".join(asking.communicate())
    assert "Traceback" not in said and asking.returncode == (-how if how == signal.SIGKILL else 130), said
    log, kept = loopback.log(), answers(store)
    assert calls - AT_ONCE <= kept < TOTAL and sum(log["answered"].values()) - kept <= AT_ONCE
    again = started()
    assert again.communicate() and again.returncode == 0
    assert answers(store) == TOTAL and loopback.log()["calls"] <= TOTAL + AT_ONCE
    assert check_votes(store).whole
