"""Asking that is killed, interrupted, or done by two processes at once: no answer is lost, and few are asked for twice."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dxmatch.votes.store.store import VoteStore

pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")
pytest.importorskip("stamina", reason="asking a language model needs the extra 'llm'")

CONCURRENCY, KILLS, TOTAL = 32, 6, 2_000

ASKING = """
import json, os, sys, traceback
import openai, stamina
from dxmatch.endpoints.endpoint import Endpoint
from dxmatch.votes.asker import Job, ask
from dxmatch.votes.prompts.questions import Question, ModelConfig
from dxmatch.votes.store.store import VoteStore

url, path, total, concurrency = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
voter = ModelConfig("model-a", "vote-1", '{"max_tokens":16,"temperature":0}')

class Noting(VoteStore):
    def add(self, question, answer):
        new = super().add(question, answer)
        os.write(notes, f"{question.first}\\n".encode())
        return new

def work():
    questions = [Question(voter, f"first {i}", f"second {i}") for i in range(total)]
    with Noting(path) as store:
        job = Job(Endpoint("lab", url, concurrency=concurrency), voter, store.unknown(questions), total)
        summary = ask([job], store)
    with open(f"{path}.{os.getpid()}.json", "w") as out:
        json.dump([summary.answered, summary.known, summary.calls, summary.stopped_because], out)

for line in sys.stdin:
    told, _, pid = line.strip().partition(" ")
    if told == "start":
        pid = os.fork()
        if pid == 0:
            notes = os.open(path + ".notes", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            try:
                work()
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        print(pid, flush=True)
    else:
        print(os.waitstatus_to_exitcode(os.waitpid(int(pid), 0)[1]), flush=True)
"""


class Askers:
    """Processes that ask the same questions into one store; each is forked from one that has imported all it needs."""

    def __init__(self, url: str, store: Path, total: int) -> None:
        self.store = store
        self._root = subprocess.Popen(
            [sys.executable, "-c", ASKING, url, str(store), str(total), str(CONCURRENCY)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def _told(self, line: str) -> int:
        assert self._root.stdin is not None and self._root.stdout is not None
        print(line, file=self._root.stdin, flush=True)
        return int(self._root.stdout.readline())

    def start(self) -> int:
        return self._told("start")

    def exit_code(self, pid: int) -> int:
        return self._told(f"wait {pid}")

    def summary(self, pid: int) -> list[Any]:
        """answered, known, calls, stopped_because."""
        return json.loads(Path(f"{self.store}.{pid}.json").read_text())

    def noted(self) -> set[str]:
        """The questions whose answers were kept, as told by the processes themselves."""
        notes = Path(f"{self.store}.notes")
        return set(notes.read_text().splitlines()) if notes.exists() else set()

    def close(self) -> None:
        self._root.kill()
        self._root.communicate()


@pytest.fixture
def askers(loopback: Any, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Askers]:
    made = Askers(loopback.url, tmp_path / "votes.sqlite", request.param)
    yield made
    made.close()


def stored(path: Path) -> dict[str, int]:
    """first -> verdict."""
    with sqlite3.connect(path) as db:
        rows = db.execute("SELECT first, verdict FROM answer").fetchall()
    db.close()
    return dict(rows)


def until(loopback: Any, calls: int, seconds: float = 60.0) -> None:
    """Waits for so many calls."""
    end = time.monotonic() + seconds
    while (seen := loopback.log()["calls"]) < calls:
        assert time.monotonic() < end, f"{seen} of {calls} calls in {seconds} s"
        time.sleep(0.01)


def answered(loopback: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """The log, and first -> the text that was sent."""
    log = loopback.log()
    texts = {json.loads(asked.split("<data>\n")[1].split("\n</data>")[0])["first"]: said for asked, said in log["answers"].items()}  # fmt: skip
    return log, texts


@pytest.mark.slow
@pytest.mark.parametrize("askers", [TOTAL], indirect=True)
def test_killed_at_any_moment(loopback: Any, askers: Askers) -> None:
    loopback.rules(delay=0.005, keep=False)
    moments = random.Random(3)
    for kill in range(1, KILLS + 1):
        before = loopback.log()["calls"]
        pid = askers.start()
        if kill % 2:  # some die at work, some at their start
            until(loopback, before + 1)
        time.sleep(moments.uniform(0.0, 0.4))
        os.kill(pid, signal.SIGKILL)
        assert askers.exit_code(pid) == -signal.SIGKILL
        if not askers.store.exists():
            continue
        with VoteStore(askers.store):  # opens again, whatever it was killed at
            pass
        kept = stored(askers.store)
        assert askers.noted() <= kept.keys()
        log, _ = answered(loopback)
        assert sum(log["answered"].values()) - len(kept) <= kill * CONCURRENCY
    assert 0 < len(stored(askers.store)) < TOTAL
    last = askers.start()
    assert askers.exit_code(last) == 0
    kept = stored(askers.store)
    log, texts = answered(loopback)
    assert {name: int(text == "Yes.") for name, text in texts.items()} == kept
    assert len(kept) == TOTAL
    again = log["calls"] - TOTAL
    assert 0 <= again <= KILLS * CONCURRENCY
    with sqlite3.connect(askers.store) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()


@pytest.mark.parametrize("askers", [20_000], indirect=True)
def test_interrupted(loopback: Any, askers: Askers) -> None:
    """Ctrl-C: what was answered is kept and counted, and the end is a clean one."""
    loopback.rules(delay=0.02, keep=False)
    pid = askers.start()
    until(loopback, 200)
    os.kill(pid, signal.SIGINT)
    assert askers.exit_code(pid) == 0
    count, _, calls, why = askers.summary(pid)
    assert why == ["interrupted"]
    assert count == len(stored(askers.store)) == len(askers.noted()) >= 200 - CONCURRENCY
    assert calls - count <= CONCURRENCY


@pytest.mark.parametrize("askers", [2_000], indirect=True)
def test_two_processes_ask_into_one_store(loopback: Any, askers: Askers) -> None:
    loopback.rules(delay=0.02, keep=False)
    both = [askers.start(), askers.start()]
    assert [askers.exit_code(pid) for pid in both] == [0, 0]
    one, other = map(askers.summary, both)
    assert one[0] + other[0] == len(stored(askers.store)) == 2_000
    assert min(one[0], other[0]) > 200
    _, texts = answered(loopback)
    assert {name: int(text == "Yes.") for name, text in texts.items()} == stored(askers.store)
    assert one[2] + other[2] < 2_000 * 1.3
