"""A job that was cut short: finished chunks are kept, and what is made in the end is that of an uninterrupted run."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from dxmatch.errors import DxmatchError, InputError
from dxmatch.jobs import chunk as chunk_module
from dxmatch.jobs import parts
from dxmatch.jobs.job import Summary, score_files
from dxmatch.jobs.plan import Chunk
from dxmatch.jobs.work_folder import LEDGER

from .conftest import CHUNK, ROWS, Write, random_pairs


class Broken(RuntimeError):
    pass


def break_chunk(monkeypatch: pytest.MonkeyPatch, number: int, error: BaseException) -> None:
    """Chunk `number` fails; those with a higher number wait until it has."""
    write_part = parts.write_part

    def failing(job: Any, chunk: Chunk, *rest: Any) -> parts.ChunkResult:
        if chunk.number == number:
            raise error
        return write_part(job, chunk, *rest)

    monkeypatch.setattr(chunk_module, "write_part", failing)


def test_killed_at_twenty_moments(write: Write, model: Path, tmp_path: Path) -> None:
    source = write(random_pairs(8000), group=1500)
    folder = tmp_path / "runs"
    folder.mkdir()
    script = Path(__file__).with_name("killed_run.py")
    done = subprocess.run(
        [sys.executable, script, model, source, folder, "20"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert len(lines) == 20
    assert [line[0] for line in lines] == ["1"] * 20
    assert [line[2:] for line in lines] == [[]] * 20, "something is left beside a result"
    found = [int(line[1]) for line in lines]
    assert sum(0 < count < 254 for count in found) >= 3, found


@pytest.mark.parametrize("name", ["o.parquet", "o"])
def test_a_chunk_that_fails(
    name: str, score: Callable[..., Summary], source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    score(f"whole-{name}")
    with monkeypatch.context() as patched:
        break_chunk(patched, 5, Broken("no luck"))
        message = r"pairs\.parquet, rows 417 to 500: chunk 5 failed \(Broken: no luck\)"
        with pytest.raises(DxmatchError, match=message):
            score(name)
    folder = source.parent / f"{name}.parts"
    kept = sorted(path.name for path in folder.glob("part-*"))
    assert not (source.parent / name).exists()
    assert "part-00005.parquet" not in kept
    assert {f"part-0000{i}.parquet" for i in range(5)} <= set(kept)
    summary = score(name)
    assert summary.resumed == len(kept)
    assert summary == Summary(**{**score(f"again-{name}").__dict__, "resumed": len(kept)})
    assert not folder.exists()
    outputs = [source.parent / f"{which}{name}" for which in ("", "whole-")]
    if name == "o.parquet":
        assert outputs[0].read_bytes() == outputs[1].read_bytes()
    else:
        contents = [{path.name: path.read_bytes() for path in output.iterdir()} for output in outputs]
        assert contents[0] == contents[1]


def test_the_first_of_several_that_fail_is_told(score: Callable[..., Summary], monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(job: Any, chunk: Chunk, *rest: Any) -> parts.ChunkResult:
        raise MemoryError

    monkeypatch.setattr(chunk_module, "write_part", failing)
    with pytest.raises(DxmatchError, match=r"rows 1 to 83: chunk 0 failed \(out of memory\)"):
        score()


def test_an_interruption_keeps_what_is_finished(
    score: Callable[..., Summary], source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    score("whole.parquet")

    def interrupted(what: str, before: int) -> Any:
        from contextlib import nullcontext

        def report(done: int, total: int) -> None:
            if what == "Scoring pairs" and done >= 400:
                raise KeyboardInterrupt

        return nullcontext(report)

    with pytest.raises(KeyboardInterrupt) as told:
        score(shown=interrupted)
    folder = source.parent / "o.parquet.parts"
    kept = len(json_lines(folder / LEDGER)) - 1
    assert 0 < kept < 12
    assert f"{kept} of 12 chunks are kept in {folder}. Run the same command again to go on." in str(told.value)
    assert score().resumed == kept
    assert (source.parent / "o.parquet").read_bytes() == (source.parent / "whole.parquet").read_bytes()


def test_ctrl_c(source: Path, model: Path) -> None:
    """The signal itself, to the command: exit code 130, and the next run ends with the same bytes."""
    command = [
        sys.executable,
        "-m",
        "dxmatch.cli",
        "score",
        source,
        "-o",
        source.parent / "o.parquet",
        "--model",
        model,
    ]
    command += ["--chunk-rows", "5", "--workers", "1"]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    ledger = source.parent / "o.parquet.parts" / LEDGER
    try:
        for _ in range(6000):
            if ledger.exists() and len(ledger.read_text().splitlines()) > 3:
                break
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        told = running.communicate(timeout=60)[1]
    finally:
        running.kill()
    assert running.returncode == 130, told
    assert "chunks are kept in" in told
    assert "Run the same command again to go on." in told
    again = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "chunks were there already" in again.stdout
    whole = source.parent / "whole.parquet"
    score_files(source, whole, model=model, chunk_rows=5)
    assert (source.parent / "o.parquet").read_bytes() == whole.read_bytes()


def broken_off(
    score: Callable[..., Summary], monkeypatch: pytest.MonkeyPatch, name: str = "o.parquet", **options: Any
) -> None:
    with monkeypatch.context() as patched:
        break_chunk(patched, 6, Broken())
        with pytest.raises(DxmatchError, match="chunk 6 failed"):
            score(name, workers=1, **options)


def json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_parts_and_ledger_that_were_damaged(
    score: Callable[..., Summary], source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part that is not what was written, one that is gone, half a line, unfinished files: done again or removed."""
    score("whole.parquet")
    broken_off(score, monkeypatch)
    folder = source.parent / "o.parquet.parts"
    part = folder / "part-00002.parquet"
    content = bytearray(part.read_bytes())
    content[40] ^= 1
    part.write_bytes(content)
    (folder / "part-00004.parquet").unlink()
    (folder / "_part-00007.parquet.0123456789ab.part").write_bytes(b"half")
    (folder / "part-00009.parquet").write_bytes(b"never reported")
    with (folder / LEDGER).open("a") as ledger:
        ledger.write('{"number": 8, "rows"')
    assert score().resumed == 4
    assert (source.parent / "o.parquet").read_bytes() == (source.parent / "whole.parquet").read_bytes()
    assert not folder.exists()


def test_half_a_line_does_not_spoil_the_next(
    score: Callable[..., Summary], source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken_off(score, monkeypatch)
    ledger = source.parent / "o.parquet.parts" / LEDGER
    with ledger.open("a") as handle:
        handle.write('{"number": 8, "rows"')
    with monkeypatch.context() as patched:
        break_chunk(patched, 8, Broken())
        with pytest.raises(DxmatchError, match="chunk 8 failed"):
            score(workers=1)
    assert score().resumed == 8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": True}, "feature columns False, not True"),
        ({"chunk_rows": 99}, "rows of a chunk 100, not 99"),
        ({"a": "note"}, "column a a, not note"),
    ],
)
def test_another_job_at_the_same_place(
    options: dict[str, Any], message: str, score: Callable[..., Summary], source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken_off(score, monkeypatch)
    folder = source.parent / "o.parquet.parts"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(DxmatchError, match=rf"holds 6 finished chunks of another job: {message}.*add --restart"):
        score(**options)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    (folder / "mine.txt").write_text("mine")
    assert score(restart=True, **options).resumed == 0
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]


def test_another_input_at_the_same_place(
    score: Callable[..., Summary], source: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken_off(score, monkeypatch)
    write(random_pairs(ROWS, seed=9), group=250)
    with pytest.raises(DxmatchError, match="of another job: another input"):
        score()


def test_more_workers_may_go_on(score: Callable[..., Summary], source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    score("whole.parquet")
    broken_off(score, monkeypatch)
    assert score(workers=3).resumed == 6
    assert (source.parent / "o.parquet").read_bytes() == (source.parent / "whole.parquet").read_bytes()


def test_a_finished_folder(score: Callable[..., Summary], source: Path) -> None:
    """The same command finds it; another one does not touch it unless it is told to; nothing of others is taken away."""
    first = score("o")
    again = score("o")
    assert (again.resumed, first.resumed) == (12, 0)
    assert (again.matches, again.coverage) == (first.matches, first.coverage)
    with pytest.raises(DxmatchError, match="holds the result of another job"):
        score("o", features=True)
    assert score("o", features=True, restart=True).resumed == 0
    assert "contrast" in pq.read_table(source.parent / "o").column_names
    (source.parent / "o" / "mine.parquet").write_bytes(b"mine")
    with pytest.raises(DxmatchError, match=r"o is no result of dxmatch: it holds mine\.parquet"):
        score("o", restart=True)
    assert (source.parent / "o" / "mine.parquet").read_bytes() == b"mine"


def test_folders_of_others_are_left_alone(score: Callable[..., Summary], source: Path) -> None:
    for name in ("o.parquet.parts", "o"):
        (source.parent / name).mkdir()
        (source.parent / name / "mine.txt").write_text("mine")
        with pytest.raises(DxmatchError, match=r"it holds mine\.txt"):
            score(name.removesuffix(".parts"), restart=True)
        assert [path.name for path in (source.parent / name).iterdir()] == ["mine.txt"]


def test_an_empty_folder_takes_the_parts(score: Callable[..., Summary], source: Path) -> None:
    (source.parent / "o").mkdir()
    score("o")
    assert len(list((source.parent / "o").iterdir())) == 12


def test_two_processes_do_not_work_in_one_folder(score: Callable[..., Summary], source: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    folder = source.parent / "o.parquet.parts"
    folder.mkdir()
    with (folder / LEDGER).open("a") as ledger:
        fcntl.flock(ledger, fcntl.LOCK_EX)
        with pytest.raises(DxmatchError, match="Another process works in"):
            score()
        assert folder.exists()
    score()


def test_rejects_are_kept_with_their_chunks(
    source: Path, model: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow as pa

    table = random_pairs(ROWS)
    table = table.set_column(
        1, "a", pa.array(["?" if i % 90 == 7 else x for i, x in enumerate(table["a"].to_pylist())])
    )
    write(table, group=250)

    def score(name: str) -> Summary:
        rejects = source.parent / f"{name}.csv"
        return score_files(source, source.parent / f"{name}.parquet", model=model, chunk_rows=CHUNK, workers=1, rejects=rejects)  # fmt: skip

    whole = score("whole")
    with monkeypatch.context() as patched:
        break_chunk(patched, 6, Broken())
        with pytest.raises(DxmatchError, match="chunk 6 failed"):
            score("o")
    assert not (source.parent / "o.csv").exists()
    first = source.parent / "o.parquet.parts" / "_rejects-00000.parquet"
    first.write_bytes(first.read_bytes()[:-1])
    summary = score("o")
    assert (summary.resumed, summary.rejected) == (5, whole.rejected)
    for suffix in ("csv", "parquet"):
        assert (source.parent / f"o.{suffix}").read_bytes() == (source.parent / f"whole.{suffix}").read_bytes()


def test_a_bad_row_that_is_found_first_leaves_nothing(source: Path, model: Path, write: Write) -> None:
    import pyarrow as pa

    table = random_pairs(ROWS)
    write(table.set_column(2, "b", pa.array([None if i == 900 else x for i, x in enumerate(table["b"].to_pylist())])))
    with pytest.raises(InputError, match=r"row 901, column 'b': the diagnosis is blank"):
        score_files(source, source.parent / "o.parquet", model=model, chunk_rows=CHUNK)
    assert [path.name for path in source.parent.iterdir()] == ["pairs.parquet"]
