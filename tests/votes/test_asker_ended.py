"""Asking that is killed or interrupted: no answer is lost, and few are asked for twice."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from dxmatch.votes.prompts.questions import ModelConfig, Question
from dxmatch.votes.store.store import VoteStore

CONCURRENCY, TOTAL = 32, 1_000
ASKING = f"""
import json, sys
from dxmatch.endpoints.endpoint import Endpoint
from dxmatch.votes.asking import Job, LanguageModel, ask, plan
from dxmatch.votes.prompts.files import PROMPTS
from dxmatch.votes.prompts.questions import Question
from dxmatch.votes.store.store import VoteStore

model = LanguageModel(Endpoint("lab", sys.argv[1], concurrency={CONCURRENCY}), "model-a", {{}})
voter = model.config(PROMPTS["vote-1"])

class Noting(VoteStore):
    def add(self, question, answer):
        new = super().add(question, answer)
        print(question.first, flush=True)
        return new

questions = [Question(voter, f"first {{i}}", f"second {{i}}") for i in range({TOTAL})]
with Noting(sys.argv[2]) as store:
    summary = ask(plan([Job(model, PROMPTS["vote-1"], lambda: questions)], store), store)
print(json.dumps([summary.answered, summary.calls, summary.stopped_because]))
"""


@pytest.mark.nightly
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_ended_in_the_midst(loopback: Any, tmp_path: Path, how: signal.Signals) -> None:
    """What was kept is there. Ctrl-C ends it cleanly, with its count; another run asks no more than what is missing."""
    path = tmp_path / "votes.sqlite"
    command = [sys.executable, "-c", ASKING, loopback.url, str(path)]
    loopback.rules(delay=0.04, keep=False)
    asking = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while loopback.log()["calls"] < 200:
        assert time.monotonic() < deadline and asking.poll() is None
        time.sleep(0.01)
    asking.send_signal(how)
    *noted, last = asking.communicate()[0].splitlines()
    log = loopback.log()
    with VoteStore(path) as store:
        kept = store.status()[0].answers
        told = [Question(ModelConfig("model-a", "vote-1"), name, name.replace("first", "second")) for name in noted]
        assert list(store.unknown(told)) == [] and len(told) >= 200 - CONCURRENCY
    assert sum(log["answered"].values()) - kept <= CONCURRENCY and kept < TOTAL
    if how == signal.SIGINT:
        answered, calls, why = json.loads(last)
        assert (asking.returncode, why) == (0, ["interrupted"])
        assert answered == kept == len(told) >= calls - CONCURRENCY
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(run.stdout.splitlines()[-1])[0] == TOTAL - kept
    again = loopback.log()
    assert again["calls"] <= TOTAL + CONCURRENCY
    with VoteStore(path) as store:
        (status,) = store.status()
    yes = sum(text == "Yes." for text in again["answers"].values())
    assert (status.answers, status.matches) == (TOTAL, yes)
