"""A job that was cut short: finished chunks are kept, and what is made in the end is that of an uninterrupted run."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from filelock import FileLock

from dxmatch.errors import DxmatchError, InputError
from dxmatch.jobs.job import Summary

from .conftest import CHUNK, ROWS, Write, at_chunk, fail, random_pairs, run, turn_a_bit

Score = Callable[..., Summary]


def whole(score: Score, source: Path) -> bytes:
    score("whole.parquet")
    return (source.parent / "whole.parquet").read_bytes()


def broken_off(score: Score, name: str = "o.parquet", **options: Any) -> None:
    with at_chunk(6, fail()), pytest.raises(DxmatchError, match="chunk 6 failed"):
        score(name, workers=1, **options)


@pytest.mark.slow
@pytest.mark.parametrize(("how", "parts"), [(signal.SIGINT, 3), (signal.SIGKILL, 30)])
def test_stopped_at_any_moment(how: signal.Signals, parts: int, source: Path, model: Path) -> None:
    """The signal itself, to the command; the next run goes on, and ends with the bytes of an uninterrupted one."""
    output, workers = source.parent / "o.parquet", "1" if how == signal.SIGINT else "2"
    command = [sys.executable, "-m", "dxmatch.cli", "score", source, "-o", output, "--matcher", model]
    command += ["--chunk-rows", "5", "--workers", workers]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        for _ in range(6000):
            if len(list(source.parent.glob("o.parquet.parts/part-*"))) > parts:
                break
            time.sleep(0.005)
        running.send_signal(how)
        told = running.communicate(timeout=60)[1]
    finally:
        running.kill()
    if how == signal.SIGINT:
        assert running.returncode == 130, told
        assert "chunks are kept in" in told and "Run the same command again to go on." in told
    assert not output.exists(), "it was stopped in the middle"
    assert parts < run(source, output, model, chunk_rows=5, workers=2).resumed < 200
    run(source, source.parent / "whole.parquet", model, chunk_rows=5)
    assert output.read_bytes() == (source.parent / "whole.parquet").read_bytes()
    assert sorted(path.name for path in source.parent.iterdir()) == ["o.parquet", "pairs.parquet", "whole.parquet"]


@pytest.mark.parametrize("name", ["o.parquet", "o"])
def test_a_chunk_that_fails(name: str, score: Score, source: Path) -> None:
    whole_ = score(f"whole-{name}")
    with at_chunk(5, fail()):
        message = r"pairs\.parquet, rows 501 to 600: chunk 5 failed \(RuntimeError: no luck\)"
        with pytest.raises(DxmatchError, match=message):
            score(name)
    kept = sorted(path.name for path in (source.parent / f"{name}.parts").glob("part-*"))
    assert not (source.parent / name).exists()
    assert "part-00005.parquet" not in kept
    assert {f"part-0000{i}.parquet" for i in range(5)} <= set(kept)
    assert score(name) == Summary(**{**whole_.__dict__, "resumed": len(kept)})
    assert not (source.parent / f"{name}.parts").exists()
    outputs = [source.parent / name, source.parent / f"whole-{name}"]
    contents = [{p.name: p.read_bytes() for p in output.iterdir()} if output.is_dir() else output.read_bytes() for output in outputs]  # fmt: skip
    assert contents[0] == contents[1]


def test_what_was_damaged_among_the_parts(score: Score, source: Path) -> None:
    """A part that is not what was written, one that is gone or cut, one of another chunk, unfinished files."""
    expected, folder = whole(score, source), source.parent / "o.parquet.parts"
    broken_off(score)
    turn_a_bit(folder / "part-00002.parquet")
    (folder / "part-00003.parquet").write_bytes((folder / "part-00003.parquet").read_bytes()[:-1])
    (folder / "part-00004.parquet").unlink()
    (folder / ".part-00007.parquet.0123456789ab.part").write_bytes(b"half")
    (folder / "part-00009.parquet").write_bytes((folder / "part-00001.parquet").read_bytes())
    assert score(workers=3).resumed in (3, 4)  # the seventh may be under way when the sixth fails
    assert (source.parent / "o.parquet").read_bytes() == expected
    assert not folder.exists()


def test_a_part_that_is_damaged_before_it_is_merged(score: Score, source: Path) -> None:
    """The page's checksum tells, and the chunk is scored anew by the next run."""
    expected = whole(score, source)
    with at_chunk(3, after=turn_a_bit), pytest.raises(InputError, match=r"part-00003\.parquet"):
        score()
    assert not (source.parent / "o.parquet").exists()
    assert 0 < score().resumed < 10
    assert (source.parent / "o.parquet").read_bytes() == expected


@pytest.mark.parametrize("name", ["o.parquet", "o"])
@pytest.mark.parametrize("how", ["rewritten", "touched"])
def test_input_that_is_changed_while_it_is_scored(
    how: str, name: str, score: Score, source: Path, write: Write
) -> None:
    """No result appears, whichever rows were read."""
    before = source.stat()

    def change() -> None:
        if how == "touched":
            os.utime(source, ns=(before.st_mtime_ns, before.st_mtime_ns + 1))
        else:
            write(random_pairs(ROWS, seed=9), group=250)

    with at_chunk(3, change), pytest.raises(InputError, match=r"pairs\.parquet: it was changed or replaced while it was scored"):  # fmt: skip
        score(name, workers=1)
    assert not (source.parent / name).exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"add": ["features"]}, "further columns , not features"),
        ({"chunk_rows": 99}, "rows of a chunk 100, not 99"),
        ({"a": "note"}, "column a a, not note"),
        ({"input": True}, "another input"),
    ],
)
def test_another_job_at_the_same_place(
    options: dict[str, Any], message: str, score: Score, source: Path, write: Write
) -> None:
    broken_off(score)
    folder = source.parent / "o.parquet.parts"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    if options.pop("input", False):
        write(random_pairs(ROWS, seed=9), group=250)
    with pytest.raises(
        DxmatchError, match=rf"holds [67] finished chunks of another job: {message}.*the option 'restart'"
    ):
        score(**options)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert score(restart=True, **options).resumed == 0
    assert not folder.exists()


def test_a_finished_folder(score: Score, source: Path) -> None:
    """The same command finds it; another one does not touch it unless it is told to; nothing of others is taken away."""
    (source.parent / "o").mkdir()
    first = score("o")
    again = score("o")
    assert (again.resumed, first.resumed) == (10, 0)
    assert (again.matches, again.coverage) == (first.matches, first.coverage)
    assert sorted(path.name for path in (source.parent / "o").iterdir()) == [f"part-0000{i}.parquet" for i in range(10)]
    with pytest.raises(DxmatchError, match="holds 10 finished chunks of another job: further columns"):
        score("o", add=["features"])
    assert score("o", add=["features"], restart=True).resumed == 0
    assert "contrast" in pq.read_table(source.parent / "o").column_names
    (source.parent / "o" / "mine.parquet").write_bytes(b"mine")
    with pytest.raises(DxmatchError, match=r"o holds mine\.parquet, which is no part of a result"):
        score("o", restart=True)
    assert (source.parent / "o" / "mine.parquet").read_bytes() == b"mine"


@pytest.mark.parametrize("change", [turn_a_bit, lambda part: part.write_bytes(b""), Path.unlink])
def test_a_finished_folder_that_was_damaged(change: Callable[[Path], Any], score: Score, source: Path) -> None:
    """It is never "there already"; to make it anew gives what was there."""
    folder = source.parent / "o"
    score("o")
    expected = {path.name: path.read_bytes() for path in folder.iterdir()}
    change(folder / "part-00003.parquet")
    with pytest.raises(DxmatchError, match="damaged.*the option 'restart'"):
        score("o")
    assert score("o", restart=True).resumed == 0
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == expected


@pytest.mark.parametrize("name", ["o.parquet.parts", "o"])
def test_folders_of_others_are_left_alone(name: str, score: Score, source: Path) -> None:
    (source.parent / name).mkdir()
    (source.parent / name / "mine.txt").write_text("mine")
    with pytest.raises(DxmatchError, match=r"mine\.txt"):
        score(name.removesuffix(".parts"), restart=True)
    assert [path.name for path in (source.parent / name).iterdir()] == ["mine.txt"]


def test_two_processes_do_not_work_in_one_folder(score: Score, source: Path) -> None:
    folder = source.parent / "o.parquet.parts"
    folder.mkdir()
    with FileLock(folder / "_job.lock"):
        with pytest.raises(DxmatchError, match="Another process works in"):
            score()
        assert folder.exists()
    score()


def test_rejected_rows_are_kept_with_their_chunks(source: Path, model: Path, write: Write) -> None:
    table = random_pairs(ROWS)
    sides = ["?" if i % 90 == 7 else x for i, x in enumerate(table["a"].to_pylist())]
    write(table.set_column(1, "a", pa.array(sides)), group=250)

    def score(name: str) -> Summary:
        rejects = source.parent / f"{name}.csv"
        return run(source, source.parent / f"{name}.parquet", model, chunk_rows=CHUNK, workers=1, rejects=rejects)

    whole = score("whole")
    with at_chunk(6, fail()), pytest.raises(DxmatchError, match="chunk 6 failed"):
        score("o")
    assert not (source.parent / "o.csv").exists()
    summary = score("o")
    assert summary.resumed in (6, 7) and summary.rejected == whole.rejected
    for suffix in ("csv", "parquet"):
        assert (source.parent / f"o.{suffix}").read_bytes() == (source.parent / f"whole.{suffix}").read_bytes()


def test_no_space_left_in_the_middle_of_a_part(score: Score, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    number = 7

    class Full(pq.ParquetWriter):
        def write_table(self, *args: Any, **kwargs: Any) -> None:
            super().write_table(*args, **kwargs)
            if f"part-{number:05}." in str(self.where):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(pq, "ParquetWriter", Full)
        message = f"part-{number:05}.parquet could not be written: No space left on device"
        with pytest.raises(DxmatchError, match=message):
            score()
    folder = source.parent / "o.parquet.parts"
    assert not list(source.parent.rglob("*.part"))
    finished = len(list(folder.glob("part-*"))) if folder.exists() else 0
    assert score().resumed == finished
