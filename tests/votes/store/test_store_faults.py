from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from dxmatch.errors import InputError
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
@pytest.mark.parametrize("must_exist", [True, False])
def test_a_file_of_another_kind_is_left_alone(tmp_path: Path, content: bytes, must_exist: bool) -> None:
    path = tmp_path / "votes.sqlite"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"votes.sqlite: (not a vote store|the store is damaged)"):
        VoteStore(path, must_exist=must_exist)
    assert path.read_bytes() == content


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_database_of_somebody_else_is_left_alone(tmp_path: Path, journal: str) -> None:
    path = tmp_path / "photos.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA journal_mode = {journal}")
        db.execute("CREATE TABLE photo (name)")
        db.commit()
    content = path.read_bytes()
    with pytest.raises(StoreError, match="not a vote store"):
        VoteStore(path)
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == ["photos.sqlite"]


def test_a_store_of_a_newer_format_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_file, "FORMAT", 7)
    path = made(tmp_path / "votes.sqlite")
    content = path.read_bytes()
    monkeypatch.undo()
    with pytest.raises(StoreError, match=r"a newer version of dxmatch \(format 7; this one reads 1\)"):
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


def test_a_lock_that_passes_is_waited_for(tmp_path: Path) -> None:
    path = made(tmp_path / "votes.sqlite")
    with (
        VoteStore(path) as store,
        closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        release = threading.Timer(0.5, other.execute, ["COMMIT"])
        release.start()
        assert store.add(asked("x", "y"), YES)
        release.join()
    assert len(whole(path)) == 4


# Full


def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path) -> None:
    path = made(tmp_path / "votes.sqlite")
    with VoteStore(path) as store:
        store._db.execute("PRAGMA max_page_count = 40")
        kept = []
        with pytest.raises(StoreError, match=r"votes.sqlite: the disk is full.*every answer stored so far is kept"):
            for i in range(10_000):
                store.add(asked("b", f"{i:05}"), Answer(1, None, "Yes." * 100))
                kept.append(f"{i:05}")
        assert len(kept) > 50
        assert list(store.unknown([asked("b", kept[-1])])) == []
        with pytest.raises(StoreError, match="the disk is full"):
            store.add(asked("b", "more" * 1000), YES)
    assert whole(path) == sorted(["0", "1", "2", *kept])


FILL = """
    kept = []
    with VoteStore(sys.argv[1]) as store:
        {limit}
        for many in (False, True):
            try:
                for i in range(1_000_000):
                    if many:
                        store.add_many((Question(QWEN, f"m{{i}}", str(j)), YES) for j in range(200))
                        kept += [str(j) for j in range(200)]
                    else:
                        store.add(Question(QWEN, "b", f"{{i:06}}"), YES)
                        kept.append(f"{{i:06}}")
            except StoreError as error:
                print(error)
    {unlimit}
    print(*kept)
"""


def filled(path: Path, limit: str, unlimit: str) -> None:
    """Answers are added until no more will go; every one of them is there afterwards, and the store goes on."""
    run = python(FILL.format(limit=limit, unlimit=unlimit), path)
    assert run.returncode == 0, run.stderr
    first, second, kept = run.stdout.splitlines()
    for told in (first, second):
        assert told.startswith(f"{path}: ")
        assert "full" in told and "every answer stored so far is kept" in told
    assert len(kept.split()) > 100
    assert whole(path) == sorted(kept.split())


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of files")
@pytest.mark.parametrize("limit", [1_500_000, 5_000_000])
def test_a_limit_on_the_size_of_files_is_told_and_loses_nothing(tmp_path: Path, limit: int) -> None:
    """The lower is met by the write-ahead log, the higher, which holds a checkpoint, by the store itself."""
    filled(
        tmp_path / "votes.sqlite",
        f"signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, -1))",
        "resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))",
    )
    with VoteStore(tmp_path / "votes.sqlite") as store:
        assert store.add(asked("after", "wards"), YES)


@pytest.fixture
def small_disk(tmp_path: Path):
    """A disk of 2 MB, for those who may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(disk)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a disk needs the rights to")
    yield disk
    subprocess.run(["umount", "--lazy", disk], check=True)


def test_a_disk_that_is_really_full_is_told_and_loses_nothing(small_disk: Path) -> None:
    filled(small_disk / "votes.sqlite", "", "")


def test_a_disk_mounted_for_reading_only(small_disk: Path) -> None:
    path = made(small_disk / "votes.sqlite")
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    with VoteStore(path) as store:
        assert [row[1] for row in store.answers(QWEN, ["a", "0", "2"])] == ["0", "2"]
        with pytest.raises(StoreError, match="read-only"):
            store.add(asked("x", "y"), YES)
    with pytest.raises(StoreError, match="other.sqlite"):
        VoteStore(small_disk / "other.sqlite")


# Read-only, for a user that is not root

READ = """
    if os.getuid() == 0:
        os.setresuid(65534, 65534, 65534)
    with VoteStore(sys.argv[1]) as store:
        print(sorted(store.unknown(Question(QWEN, "a", str(i)) for i in range(5)), key=lambda q: q.second)[0].second)
        print(len(list(store.answers(QWEN, ["a", "0", "1", "2", "3"]))), store.known(QWEN), store.status()[0].answers)
        for write in (
            lambda: store.add(Question(QWEN, "x", "y"), YES),
            lambda: store.add(Question(ModelConfig("new", "vote-1"), "x", "y"), YES),
            lambda: store.add_many([(Question(QWEN, "x", "y"), YES)]),
            lambda: store.remember_exported([("x", Question(QWEN, "x", "y"))]),
            lambda: store.forget_unscored([Question(QWEN, "a", "b")]),
        ):
            try:
                write()
                print("written")
            except StoreError as error:
                print("read-only" in str(error) or error)
"""


@pytest.fixture
def open_folder(tmp_path: Path):
    """A folder that every user may enter; pytest's own are closed."""
    folder = tmp_path / "folder"
    folder.mkdir()
    above = [parent for parent in folder.parents if os.access(parent, os.W_OK) and not parent.stat().st_mode & 0o001]
    modes = [parent.stat().st_mode for parent in above]
    for parent in above:
        parent.chmod(0o711)
    yield folder
    folder.chmod(0o755)
    for parent, mode in zip(above, modes, strict=True):
        parent.chmod(mode)


@pytest.mark.skipif(not hasattr(os, "setresuid"), reason="users are those of Linux")
@pytest.mark.parametrize(("file_mode", "folder_mode"), [(0o444, 0o777), (0o666, 0o555), (0o444, 0o555)])
@pytest.mark.parametrize("in_use", [False, True])
def test_what_may_only_be_read_is_read(open_folder: Path, file_mode: int, folder_mode: int, in_use: bool) -> None:
    path = made(open_folder / "votes.sqlite")
    with VoteStore(path) as writer:
        writer.add(asked("a", "3"), YES)
        if not in_use:
            writer.close()
        for file in open_folder.iterdir():
            file.chmod(file_mode)
        open_folder.chmod(folder_mode)
        run = python(READ, path)
    writable = in_use and file_mode == 0o666
    expected = ["written"] * 5 if writable else ["True"] * 5
    assert run.stdout.splitlines() == ["4", "4 4 4", *expected], run.stderr


@pytest.mark.skipif(not hasattr(os, "setresuid"), reason="users are those of Linux")
@pytest.mark.parametrize(
    "what", ["a log that nobody can open", "a folder that nobody can write", "a file that nobody can read"]
)
def test_what_cannot_be_opened_is_told(open_folder: Path, what: str) -> None:
    path = open_folder / "votes.sqlite"
    if what == "a log that nobody can open":
        with VoteStore(open_folder / "other.sqlite") as other:
            other.add(asked("a", "b"), YES)
            for end in ("", "-wal"):
                shutil.copy(f"{other.path}{end}", f"{path}{end}")
    elif what == "a file that nobody can read":
        made(path).chmod(0)
    open_folder.chmod(0o555)
    run = python(
        "try:\n" + textwrap.indent(textwrap.dedent(READ), "    ") + "\nexcept StoreError as error: print(error)", path
    )
    assert run.stdout.startswith(f"{path}: the store cannot be opened"), run.stderr


@pytest.mark.skipif(not hasattr(os, "setresuid"), reason="users are those of Linux")
def test_a_change_behind_a_reader_that_cannot_lock_is_told(open_folder: Path) -> None:
    """In a read-only folder nothing keeps a writer away from what is being read."""
    path = made(open_folder / "votes.sqlite", 30_000)
    open_folder.chmod(0o555)
    code = """
        reader = os.fork()
        if reader == 0:
            os.setresuid(65534, 65534, 65534) if os.getuid() == 0 else sys.exit("needs root")
            with VoteStore(sys.argv[1]) as store:
                rows = store.answers(QWEN, ["a", *map(str, range(30_000))])
                next(rows)
                os.write(go[1], b"x")
                os.read(done[0], 1)
                try:
                    list(rows)
                except StoreError as error:
                    print(error, flush=True)
            os._exit(0)
        os.read(go[0], 1)
        with VoteStore(sys.argv[1]) as store:
            store.add_many((Question(QWEN, "a", f"n{i}"), YES) for i in range(1000))
        os.write(done[1], b"x")
        os.waitpid(reader, 0)
    """
    if os.getuid():
        pytest.skip("writing to a read-only folder needs the rights of root")
    run = python("go, done = os.pipe(), os.pipe()\n" + textwrap.dedent(code), path)
    assert "somebody wrote to it while it was read" in run.stdout, run.stderr


def test_an_input_error_of_the_source_stays_itself(tmp_path: Path) -> None:
    def broken():
        yield asked("a", "b"), YES
        raise OSError("the source is gone")

    with VoteStore(tmp_path / "votes.sqlite") as store:
        with pytest.raises(OSError, match="the source is gone"):
            store.add_many(broken())
        with pytest.raises(InputError):
            store.add_many([(asked("a", "b"), Answer(None, None))])
