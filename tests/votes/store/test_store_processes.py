"""The store through kills and beside other processes."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from dxmatch.votes.prompts.questions import Answer, ModelConfig, Question
from dxmatch.votes.store.store import VoteStore

RESPONDENT = ModelConfig("m", "vote-1")
HEAD = """
import sys
from dxmatch.votes.prompts.questions import Answer, Question, ModelConfig
from dxmatch.votes.store.store import VoteStore
path, me, R = sys.argv[1], sys.argv[2], ModelConfig("m", "vote-1")
"""
ADD_FOR_EVER = """
with VoteStore(path) as store:
    for i in range(10_000_000):
        store.add(Question(R, me, str(i)), Answer(1, None, "Yes." * (i % 300)))
        sys.stdout.write(f"{me} {i}\\n")
        sys.stdout.flush()
"""
ADD_MANY_FOR_EVER = """
with VoteStore(path) as store:
    for i in range(10_000_000):
        store.add_many((Question(R, f"{me} {i}", str(j)), Answer(1, None, "Yes.")) for j in range(500))
        sys.stdout.write(f"{me} {i}\\n")
        sys.stdout.flush()
"""
RACE = """
import time
with VoteStore(path) as store:
    mine = 0
    for i in range(400):
        store.add(Question(R, me, str(i)), Answer(1, None, me))
        mine += store.add(Question(R, "shared", str(i)), Answer(1, None, me))
        if i % 50 == 0:
            mine += store.add_many((Question(R, "many", f"{i} {j}"), Answer(0, None, me)) for j in range(100))
            unknown = list(store.unknown(Question(R, me, str(j)) for j in range(400)))
            assert [question.second for question in unknown] == [str(j) for j in range(i + 1, 400)]
    print(mine)
"""


def started(code: str, path: Path, me: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", HEAD + code, str(path), me], stdout=subprocess.PIPE, text=True)


def check_whole(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is of Unix")
@pytest.mark.parametrize("code", [ADD_FOR_EVER, ADD_MANY_FOR_EVER])
def test_what_was_added_survives_kill_9(tmp_path: Path, code: str) -> None:
    path, rng, lines = tmp_path / "votes.sqlite", random.Random(7), []
    for life in range(4):
        writers = [started(code, path, f"{life}-{i}") for i in range(2)]
        if life % 2:  # some die at their start, some at work
            assert writers[0].stdout
            lines.append(writers[0].stdout.readline().rstrip("\n"))
        time.sleep(rng.uniform(0.05, 0.4))
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
        for writer in writers:
            lines += writer.communicate()[0].rpartition("\n")[0].splitlines()
        if not path.exists():
            continue
        with VoteStore(path) as store:
            if code == ADD_FOR_EVER:
                told = [Question(RESPONDENT, *line.split()) for line in lines]
            else:
                told = [Question(RESPONDENT, line, str(j)) for line in lines for j in range(500)]
            assert next(store.unknown(told), None) is None
            answers = sum(status.answers for status in store.status())
            assert answers >= len(told)
            assert code == ADD_FOR_EVER or answers % 500 == 0
            assert store.add(Question(RESPONDENT, "life", str(life)), Answer(1, None))
            store._db.execute("DELETE FROM answer WHERE first = 'life'")
        check_whole(path)
    assert len(lines) >= 2


def test_processes_wait_for_each_other_and_lose_nothing(tmp_path: Path) -> None:
    """All of them make the store at once, write at once, and race for the same questions; each is won once."""
    path = tmp_path / "votes.sqlite"
    racers = [started(RACE, path, f"racer {i}") for i in range(4)]
    wins = [int(racer.communicate()[0]) for racer in racers]
    assert [racer.returncode for racer in racers] == [0] * 4
    assert sum(wins) == 400 + 8 * 100
    with VoteStore(path) as store:
        assert store.status()[0].answers == 4 * 400 + sum(wins)
        shared = list(store.stored(Question(RESPONDENT, "shared", str(i)) for i in range(400)))
        assert {answer.raw for answer in shared if answer} <= {f"racer {i}" for i in range(4)}
        assert None not in shared
    check_whole(path)
