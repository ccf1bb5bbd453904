from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import time
from contextlib import closing
from pathlib import Path

import pytest

from dxmatch.votes.prompts.questions import Answer, ModelConfig, Question
from dxmatch.votes.store import file as store_file
from dxmatch.votes.store.store import StoreError, VoteStore

QWEN = ModelConfig("Qwen/Qwen2.5-7B-Instruct", "vote-1")
YES = Answer(1, None, "Yes.")


def asked(first: str, second: str) -> Question:
    return Question(QWEN, first, second)


def made(path: Path, answers: int = 3) -> Path:
    with VoteStore(path) as store:
        store.add_many((asked("a", str(i)), YES) for i in range(answers))
    return path


def python(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """`code` in a process of its own, with the words of this file."""
    head = """
        import os, resource, signal, sys
        from dxmatch.votes.prompts.questions import Answer, Question, ModelConfig
        from dxmatch.votes.store.store import StoreError, VoteStore
        QWEN, YES = ModelConfig("Qwen/Qwen2.5-7B-Instruct", "vote-1"), Answer(1, None, "Yes." * 50)
    """
    program = textwrap.dedent(head) + textwrap.dedent(code)
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)], capture_output=True, text=True, check=False
    )


def whole(path: Path) -> list[str]:
    """The second texts of the answers in a store whose file SQLite finds in order."""
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return [second for (second,) in db.execute("SELECT second FROM answer ORDER BY second")]


# Not a store


def test_a_store_that_must_exist_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"votes.sqlite: no such vote store"):
        VoteStore(tmp_path / "votes.sqlite", must_exist=True)
    with pytest.raises(StoreError, match="no such folder"):
        VoteStore(tmp_path / "absent" / "votes.sqlite")
    with pytest.raises(StoreError, match="is a folder"):
        VoteStore(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content", [b"a,b\nflu,cold\n", b"x", b"SQLite format 3\x00", b"\x00" * 5000, b"SQLite format 3\x00" * 999]
)
def test_a_file_of_another_kind_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "votes.sqlite"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"votes.sqlite: (not a vote store|the store is damaged)"):
        VoteStore(path)
    assert path.read_bytes() == content


def test_a_store_of_a_newer_format_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_file, "FORMAT", 7)
    path = made(tmp_path / "votes.sqlite")
    content = path.read_bytes()
    monkeypatch.undo()
    with pytest.raises(StoreError, match=r"a newer version of dxmatch \(format 7; this one reads 2\)"):
        VoteStore(path)
    assert path.read_bytes() == content


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "votes.sqlite"
    path.touch()
    with pytest.raises(StoreError, match="not a vote store"):
        VoteStore(path, must_exist=True)
    assert path.read_bytes() == b""
    assert whole(made(path)) == ["0", "1", "2"]


# Damaged


def test_a_damaged_store_never_ends_in_anything_but_its_error(tmp_path: Path) -> None:
    good = made(tmp_path / "good.sqlite", 0)
    names = [f"disease {i}" for i in range(40)]
    with VoteStore(good) as store:
        store.add_many((asked(a, b), Answer(1, None, "Yes." * 9, None, 210, 2, 0.4)) for a in names for b in names)
    content, path, rng = good.read_bytes(), tmp_path / "votes.sqlite", random.Random(5)
    refused = dict.fromkeys(("cut", "page", "bytes"), 0)
    for trial in range(90):
        damaged, kind = bytearray(content), list(refused)[trial % 3]
        if kind == "cut":
            del damaged[rng.randrange(1, len(content)) :]
        elif kind == "page":
            at = rng.randrange(len(content) // 4096) * 4096
            damaged[at : at + 4096] = rng.randbytes(4096)
        else:
            at = rng.randrange(len(content) - 100)
            damaged[at : at + 100] = rng.randbytes(100)
        for file in tmp_path.glob("votes.sqlite*"):
            file.unlink()
        path.write_bytes(damaged)
        try:
            with VoteStore(path, wait=0.1) as store:
                list(store.unknown(asked(a, b) for a in names for b in names))
                store.status()
                list(store.answers(QWEN, names))
                store.add(asked("new", "new"), YES)
        except StoreError as error:
            refused[kind] += 1
            assert str(error).startswith(str(path))
            assert "\n" not in str(error)
    assert refused["cut"] == 30
    assert refused["page"] >= 25
    assert refused["bytes"] >= 15


# Locked


@pytest.mark.parametrize("deed", ["add", "add_many", "forget_unscored", "remember_exported"])
def test_a_lock_that_lasts_is_told(tmp_path: Path, deed: str) -> None:
    path = made(tmp_path / "votes.sqlite")
    with VoteStore(path, wait=0.2) as store, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        deeds = {
            "add": lambda: store.add(asked("x", "y"), YES),
            "add_many": lambda: store.add_many([(asked("x", "y"), YES)]),
            "forget_unscored": lambda: store.forget_unscored([Question(QWEN, "a", "b")]),
            "remember_exported": lambda: store.remember_exported([("x", asked("x", "y"))]),
        }
        start = time.monotonic()
        with pytest.raises(StoreError, match=r"votes.sqlite: another process has held the store for more than 0.2 s"):
            deeds[deed]()
        assert 0.15 < time.monotonic() - start < 5
        assert list(store.unknown([asked("a", "0"), asked("x", "y")])) == [asked("x", "y")]
        other.execute("ROLLBACK")
        deeds[deed]()


# Full, or read-only

FILL = """
    kept = []
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with VoteStore(sys.argv[1]) as store:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), -1))
        for many in (False, True):
            try:
                for i in range(1_000_000):
                    part = [f"{many} {i} {j}" for j in range(200 if many else 1)]
                    answers = [(Question(QWEN, "b", second), YES) for second in part]
                    store.add_many(answers) if many else store.add(*answers[0])
                    kept += part
            except StoreError as error:
                print(error)
        resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
    print(*kept, sep=";")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of files")
def test_a_full_disk_is_reported_and_loses_nothing(tmp_path: Path) -> None:
    """A limit on the size of files stands for it."""
    path = tmp_path / "votes.sqlite"
    run = python(FILL, path, 1_500_000)
    assert run.returncode == 0, run.stderr
    *errors, kept = run.stdout.splitlines()
    for error in errors:
        assert error.startswith(f"{path}: ") and "full" in error and "every answer stored so far is kept" in error
    assert len(errors) == 2 and len(kept.split(";")) > 100
    assert whole(path) == sorted(kept.split(";"))
    with VoteStore(path) as store:
        assert store.add(asked("after", "wards"), YES)


READ = """
    os.setresuid(65534, 65534, 65534)
    with VoteStore(sys.argv[1]) as store:
        print(len(list(store.answers(QWEN, ["a", "0", "1", "2"]))), store.status()[0].answers)
        for write in (
            lambda: store.add(Question(QWEN, "x", "y"), YES),
            lambda: store.add_many([(Question(QWEN, "x", "y"), YES)]),
            lambda: store.remember_exported([("x", Question(QWEN, "x", "y"))]),
        ):
            try:
                write()
            except StoreError as error:
                print("read-only" in str(error) or error)
"""


@pytest.mark.skipif(not hasattr(os, "setresuid") or os.getuid() != 0, reason="to become another user needs root")
@pytest.mark.parametrize(("file_mode", "folder_mode"), [(0o444, 0o777), (0o666, 0o555)])
def test_what_may_only_be_read_is_read(file_mode: int, folder_mode: int) -> None:
    with tempfile.TemporaryDirectory() as name:  # pytest's own folders are closed to other users
        path = made(Path(name) / "votes.sqlite")
        path.chmod(file_mode)
        Path(name).chmod(folder_mode)
        run = python(READ, path)
    assert run.stdout.splitlines() == ["3 3", "True", "True", "True"], run.stderr
