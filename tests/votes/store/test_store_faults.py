"""What is no store, is damaged, cannot be written, lies on a full disk, or is written by several processes at once."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from dxmatch.tests.command_line import typed
from dxmatch.votes.prompts.questions import Answer, ModelConfig, Question
from dxmatch.votes.store.check import check_votes
from dxmatch.votes.store.file import DamagedStore, StoreError
from dxmatch.votes.store.store import VoteStore

QWEN = ModelConfig("Qwen/Qwen2.5-7B-Instruct", "vote-1")
YES = Answer(1, None, "Yes.")
ASKED = [Question(QWEN, f"disease {i}", f"illness {j}") for i in range(20) for j in range(20)]


def made(path: Path) -> bytes:
    with VoteStore(path) as store:
        store.add_many((question, Answer(1, None, "Yes." * 9, None, 210, 2, 0.4)) for question in ASKED)
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store that holds an answer to all that is asked."""
    made(tmp_path / "votes.sqlite")
    return tmp_path / "votes.sqlite"


def test_a_file_of_another_kind_is_left_alone(tmp_path: Path) -> None:
    path, whole = tmp_path / "votes.sqlite", made(tmp_path / "whole.sqlite")
    # its application id and the number of its format stand in the bytes 68 to 71 and 60 to 63
    other = [whole[:at] + b"\x00\x00\x00\x07" + whole[at + 4 :] for at in (60, 68)]
    for content in (b"a,b\nflu,cold\n", b"\x00" * 5000, b"SQLite format 3\x00" * 999, *other):
        path.write_bytes(content)
        with pytest.raises(StoreError, match=r"votes.sqlite: (not a vote store|the store is damaged)"):
            VoteStore(path)
        assert path.read_bytes() == content
    for content in (b"a,b\n", b"\x00" * 5000):
        path.write_bytes(content)
        with pytest.raises(StoreError, match="not a vote store"):
            check_votes(path)


def test_a_store_that_must_exist_is_not_made(tmp_path: Path) -> None:
    for path, must in ((tmp_path / "votes.sqlite", True), (tmp_path / "absent" / "v.sqlite", False), (tmp_path, False)):
        with pytest.raises(StoreError, match="no such vote store"):
            VoteStore(path, must_exist=must)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["cut", "page", "bytes", "bit"])
def test_a_damaged_store_is_found_by_a_check_and_never_read_wrongly(tmp_path: Path, kind: str) -> None:
    path, copy, rng = tmp_path / "votes.sqlite", tmp_path / "copy.sqlite", random.Random(kind)
    content, found = made(path), 0
    for _ in range(25):
        data = bytearray(content)
        if kind == "cut":
            del data[rng.randrange(1, len(content)) :]
        elif kind == "bit":
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        else:
            length = 4096 if kind == "page" else 100
            at = rng.randrange(len(content) // length) * length
            data[at : at + length] = rng.randbytes(length)
        for file in tmp_path.iterdir():
            file.unlink()
        path.write_bytes(data)
        try:
            with VoteStore(path, must_exist=True) as store:
                answers = list(store.stored(ASKED))
            assert {answer.raw for answer in answers if answer} <= {"Yes." * 9}
            whole = None not in answers
        except StoreError as error:
            assert "\n" not in str(error)
            whole = False
        try:
            check = check_votes(path, repair=copy)
        except StoreError:
            found += 1
            continue
        assert whole or not check.whole, "what lacks is found by a check"
        found += not check.whole
        with VoteStore(copy, must_exist=True) as repaired:
            kept = [answer for answer in repaired.stored(ASKED) if answer]
            assert {answer.raw for answer in kept} <= {"Yes." * 9} and len(kept) == check.answers
        assert check_votes(copy).whole
    assert found > 8, "unused bytes of a page harm nothing"


def test_what_another_program_changes_is_damage(path: Path) -> None:
    content = path.read_bytes()
    for edit in (
        "DELETE FROM answer WHERE first = 'disease 7'", "UPDATE respondent SET model = 'another/model'",
        "DELETE FROM respondent", "UPDATE answer SET verdict = 0",
    ):  # fmt: skip
        path.write_bytes(content)
        with closing(sqlite3.connect(path)) as db, db:
            db.execute(edit)
        check = check_votes(path)
        assert not check.whole and f"{path} is damaged" in check.lines()[-1], edit
    status = typed("votes", "status", "--store", path)
    assert status.code == 1 and "answers, 0 match" in status.out and f"{path} is damaged" in status.out
    with VoteStore(path) as store, pytest.raises(DamagedStore, match=r"checksum does not fit.*--repair COPY"):
        list(store.stored(ASKED))


def test_a_copy_says_what_it_lacks(path: Path) -> None:
    copy = path.with_name("copy.sqlite")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE answer SET verdict = 0 WHERE first = 'disease 7'")
    before = path.read_bytes()
    check = check_votes(path, repair=copy)
    assert (check.whole, check.answers, check.lost) == (False, 380, 20)
    assert "20 lost" in "".join(check.lines()) and path.read_bytes() == before
    with VoteStore(copy) as store:
        assert len(list(store.unknown(ASKED))) == 20
    with pytest.raises(Exception, match="is there already"):
        check_votes(path, repair=copy)


def test_a_store_is_proved_after_a_crash_and_not_on_every_opening(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE answer SET verdict = 0 WHERE first = 'disease 7'")
    VoteStore(path).close()
    killed = "import os; store = VoteStore(sys.argv[1]); store.add(Question(QWEN, 'x', 'y'), YES); os._exit(1)"
    assert python(killed, path).returncode == 1
    with pytest.raises(DamagedStore, match="its checksum does not fit what it holds"):
        VoteStore(path)


def python(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """`code` in a process of its own, with the words of this file."""
    head = "import resource, signal, sys\nfrom dxmatch.tests.votes.store.test_store_faults import *\n"
    run = [sys.executable, "-c", head + textwrap.dedent(code), *map(str, arguments)]
    return subprocess.run(run, capture_output=True, text=True, check=False)


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk."""
    path = tmp_path / "votes.sqlite"
    done = python(
        """
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        with VoteStore(sys.argv[1]) as store:
            resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
            for i in range(100_000):
                try:
                    store.add(Question(QWEN, "a", str(i)), YES)
                except StoreError as error:
                    print(i, error)
                    break
        """,
        path,
    )
    count, _, told = done.stdout.partition(" ")
    assert "the store refused" in told or "the disk is full" in told, done
    with VoteStore(path) as store:
        assert None not in list(store.stored(Question(QWEN, "a", str(i)) for i in range(int(count))))


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_store_that_cannot_be_written_is_read(tmp_path: Path, path: Path) -> None:
    path.chmod(0o400)
    tmp_path.chmod(0o500)
    with VoteStore(path, must_exist=True) as store:
        assert None not in list(store.stored(ASKED))
        with pytest.raises(StoreError, match="cannot be written"):
            store.add(Question(QWEN, "new", "one"), YES)


def test_a_store_that_is_held_is_waited_for(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other, VoteStore(path, wait=0.2) as store:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="another process holds the store"):
            store.add(Question(QWEN, "new", "one"), YES)
        other.execute("ROLLBACK")
        assert store.add(Question(QWEN, "new", "one"), YES)


RACE = """
with VoteStore(sys.argv[1]) as store:
    print(sum(store.add(Question(QWEN, "shared", str(i)), Answer(1, None, sys.argv[2])) for i in range(400)))
"""


def test_processes_wait_for_each_other_and_lose_nothing(tmp_path: Path) -> None:
    """All of them make the store at once, and race for the same questions; each is won once."""
    path = tmp_path / "votes.sqlite"
    with ThreadPoolExecutor(4) as pool:
        wins = [int(done.stdout) for done in pool.map(lambda i: python(RACE, path, f"racer {i}"), range(4))]
    with VoteStore(path) as store:
        said = [answer and answer.raw for answer in store.stored(Question(QWEN, "shared", str(i)) for i in range(400))]
    assert [said.count(f"racer {i}") for i in range(4)] == wins and sum(wins) == 400
    assert check_votes(path).whole
