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

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from filelock import FileLock

import dxmatch
from dxmatch.errors import DxmatchError, InputError
from dxmatch.jobs.job import Summary
from dxmatch.votes.answer_tables import import_table
from dxmatch.votes.store.store import VoteStore

from .conftest import ROWS, Write, at_chunk, fail, make_model, random_pairs, run, turn_a_bit

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
def test_a_chunk_that_fails(name: str, score: Score, source: Path, write: Write) -> None:
    """The rows that were rejected are kept with their chunks."""
    table = random_pairs(ROWS)
    sides = ["?" if i % 90 == 7 else x for i, x in enumerate(table["a"].to_pylist())]
    write(table.set_column(1, "a", pa.array(sides)), group=250)
    folder, told = source.parent / f"{name}.parts", source.parent / "o.csv"
    whole_ = score(f"whole-{name}", rejects=source.parent / "whole.csv")
    message = r"pairs\.parquet, rows 501 to 600: chunk 5 failed \(RuntimeError: no luck\)"
    with at_chunk(5, fail()), pytest.raises(DxmatchError, match=message):
        score(name, rejects=told)
    kept = {path.name for path in folder.glob("part-*")}
    assert not (source.parent / name).exists() and not told.exists()
    assert {f"part-0000{i}.parquet" for i in range(5)} <= kept and "part-00005.parquet" not in kept
    assert score(name, rejects=told) == Summary(**{**whole_.__dict__, "resumed": len(kept)})
    assert not folder.exists() and told.read_bytes() == (source.parent / "whole.csv").read_bytes()
    contents = [[path.read_bytes() for path in sorted(source.parent.glob(f"{one}*/*")) or [source.parent / one]] for one in (name, f"whole-{name}")]  # fmt: skip
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
    with at_chunk(3, after=turn_a_bit), pytest.raises(InputError, match=r"part-00003\.parquet"):
        score(workers=3)  # before it is merged, the page's checksum tells
    assert not (source.parent / "o.parquet").exists()
    assert score(workers=3).resumed == 9
    assert (source.parent / "o.parquet").read_bytes() == expected and not folder.exists()


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
        ({"b": "note"}, "column b b, not note"),
        ({"rejects": Path("r.csv")}, "rejects False, not True"),
        ({"input": True}, "another input"),
        ({"load": {"threshold": 0.1}}, "threshold 0.5, not 0.1"),
        ({"load": {"judge_all": True}}, "judge_all False, not True"),
    ],
)
def test_another_job_at_the_same_place(
    options: dict[str, Any],
    message: str,
    score: Score,
    source: Path,
    model: Path,
    write: Write,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(source.parent)
    broken_off(score)
    matcher = dxmatch.load(model, **options.pop("load", {}))
    folder = source.parent / "o.parquet.parts"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    if options.pop("input", False):
        write(random_pairs(ROWS, seed=9), group=250)
    with pytest.raises(
        DxmatchError, match=rf"holds [6-9] finished chunks of another job: {message}.*the option 'restart'"
    ):
        score(matcher=matcher, **options)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert score(restart=True, matcher=matcher, **options).resumed == 0
    assert not folder.exists()


def test_a_finished_folder(score: Score, source: Path) -> None:
    """The same command finds it; another one does not touch it unless it is told to; nothing of others is taken
    away; one that was damaged is never "there already"."""
    (source.parent / "o").mkdir()
    first = score("o")
    again = score("o")
    assert (again.resumed, first.resumed) == (10, 0)
    assert (again.matches, again.coverage) == (first.matches, first.coverage)
    assert sorted(path.name for path in (source.parent / "o").iterdir()) == [f"part-0000{i}.parquet" for i in range(10)]
    expected = {path.name: path.read_bytes() for path in (source.parent / "o").iterdir()}
    for change in (turn_a_bit, lambda part: part.write_bytes(b""), Path.unlink):
        change(source.parent / "o" / "part-00003.parquet")
        with pytest.raises(DxmatchError, match="damaged.*the option 'restart'"):
            score("o")
        assert score("o", restart=True).resumed == 0
        assert {path.name: path.read_bytes() for path in (source.parent / "o").iterdir()} == expected
    with pytest.raises(DxmatchError, match="holds 10 finished chunks of another job: further columns"):
        score("o", add=["features"])
    assert score("o", add=["features"], restart=True).resumed == 0
    assert "contrast" in pq.read_table(source.parent / "o").column_names
    (source.parent / "o" / "mine.parquet").write_bytes(b"mine")
    with pytest.raises(DxmatchError, match=r"o holds mine\.parquet, which is no part of a result"):
        score("o", restart=True)
    assert (source.parent / "o" / "mine.parquet").read_bytes() == b"mine"


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


VOTED = 700
VOTES = [
    {"name": "vote_expert", "kind": "vote", "model": "an expert", "prompt": "imported"},
    {"name": "levenshtein", "kind": "levenshtein"},
]


@pytest.fixture(scope="module")
def voting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("model") / "voting", VOTES, seed=5)


@pytest.fixture
def voted(write: Write, voting: Path, tmp_path: Path) -> Callable[..., Summary]:
    """Scores 1,000 pairs, of which the store knows the first 700 and what of the others is one of these."""
    pairs = random_pairs(ROWS, names=300)
    source = write(pairs, group=250)
    some = pairs.slice(0, VOTED).select(["a", "b"]).append_column("label", pa.array(np.arange(VOTED) % 2))
    pa_csv.write_csv(some, tmp_path / "voted.csv")
    m = dxmatch.load(voting)
    with VoteStore(tmp_path / "votes.sqlite") as store:
        import_table(tmp_path / "voted.csv", store, naming=m.providers.naming, verdict="label", model="an expert", rejects=tmp_path / "r.csv")  # fmt: skip

    def score_(min_coverage: float = 0.9) -> Summary:
        m = dxmatch.load(voting, min_coverage=min_coverage, loading=dxmatch.Loading(store=tmp_path / "votes.sqlite"))
        return run(source, tmp_path / "o.parquet", m, chunk_rows=100, workers=2)

    return score_


def test_too_few_votes_are_refused_before_a_chunk_is_scored(voted: Score, voting: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"vote_expert is known for 69\.3 % of the pairs.*take in the rest"):
        voted()
    assert not (tmp_path / "o.parquet.parts").exists() and not (tmp_path / "o.parquet").exists()

    summary = voted(min_coverage=0.5)
    m = dxmatch.load(voting, loading=dxmatch.Loading(store=tmp_path / "votes.sqlite"), min_coverage=0.5)
    expected = m.score(pq.read_table(tmp_path / "pairs.parquet"), add=["features"])
    assert pq.read_table(tmp_path / "o.parquet")["probability"].to_pylist() == expected["probability"].to_pylist()
    known = float(np.isfinite(np.array(expected["vote_expert"].to_pylist(), float)).mean())
    assert summary.coverage["vote_expert"] == pytest.approx(known) == 0.693


def test_finished_chunks_count(voted: Score, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the texts are too many to hold, it is told at the end and nothing is lost; a job that goes on looks at the
    rest alone, and refuses as it would have at first."""
    with monkeypatch.context() as patched:
        patched.setattr("dxmatch.jobs.job.MAX_TEXTS", 0)
        with pytest.raises(InputError, match=r"vote_expert is known for 69\.3 %"):
            voted()
    parts = sorted((tmp_path / "o.parquet.parts").glob("part-*"))
    assert len(parts) == 10
    for part in parts[5:]:
        part.unlink()
    with pytest.raises(InputError, match=r"vote_expert is known for 69\.3 % of the pairs"):
        voted()
    assert len(list((tmp_path / "o.parquet.parts").glob("part-*"))) == 5
    assert voted(min_coverage=0.5).resumed == 5


def test_votes_that_came_in_between_make_another_job(voted: Score, tmp_path: Path, voting: Path) -> None:
    with at_chunk(6, fail()), pytest.raises(DxmatchError, match="chunk 6 failed"):
        voted(min_coverage=0.5)
    pa_csv.write_csv(pa.table({"a": ["gout"], "b": ["podagra"], "label": [1]}), tmp_path / "more.csv")
    with VoteStore(tmp_path / "votes.sqlite") as store:
        naming = dxmatch.load(voting).providers.naming
        import_table(tmp_path / "more.csv", store, naming=naming, verdict="label", model="an expert")
    with pytest.raises(DxmatchError, match="finished chunks of another job: another vote store"):
        voted(min_coverage=0.5)
