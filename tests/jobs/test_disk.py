"""A disk that fills or lies: what is told, what is left, and that the next run gives the same bytes."""

from __future__ import annotations

import errno
import multiprocessing
import os
import resource
import signal
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

from .conftest import CHUNK


def _score_limited(source: Path, model: Path, size: int, told: Any) -> None:
    """In a process of its own, in which no file may grow beyond `size` bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    try:
        score_files(source, source.parent / "o.parquet", model=model, chunk_rows=CHUNK, workers=1)
        told.put("done")
    except DxmatchError as error:
        told.put(str(error))


def test_a_disk_that_fills(score: Callable[..., Summary], source: Path, model: Path) -> None:
    """The system refuses to write on: the parts fit, the file of all of them does not."""
    score("whole.parquet")
    whole = (source.parent / "whole.parquet").read_bytes()
    context = multiprocessing.get_context("spawn")
    told = context.Queue()
    process = context.Process(target=_score_limited, args=(source, model, len(whole) // 2, told))
    process.start()
    message = told.get(timeout=120)
    process.join()
    assert message.endswith("_gathered.parquet could not be written: File too large.")
    assert not list(source.parent.glob("*.part"))
    assert 0 < score().resumed <= 12  # it stops as soon as the file of all of them is full
    assert (source.parent / "o.parquet").read_bytes() == whole


@pytest.mark.parametrize("number", [0, 7])
def test_no_space_left_in_the_middle_of_a_part(
    number: int, score: Callable[..., Summary], source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        writer = pq.ParquetWriter

        class Full(writer):  # type: ignore[misc, valid-type]
            def write_table(self, *args: Any, **kwargs: Any) -> None:
                super().write_table(*args, **kwargs)
                if f"part-{number:05}." in str(self.where):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        patched.setattr(pq, "ParquetWriter", Full)
        with pytest.raises(
            DxmatchError, match=f"part-{number:05}.parquet could not be written: No space left on device"
        ):
            score()
    folder = source.parent / "o.parquet.parts"
    assert not list(source.parent.rglob("*.part"))
    finished = len(list(folder.glob("part-*"))) if folder.exists() else 0
    assert score().resumed == finished


def test_a_part_that_is_damaged_before_it_is_gathered(
    score: Callable[..., Summary], source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page's checksum tells, and the chunk is scored anew by the next run."""
    score("whole.parquet")
    write_part = parts.write_part

    def damaging(job: Any, chunk: Chunk, *rest: Any) -> parts.ChunkResult:
        result = write_part(job, chunk, *rest)
        if chunk.number == 3:
            content = bytearray(job.part(chunk).read_bytes())
            content[len(content) // 4] ^= 1
            job.part(chunk).write_bytes(content)
        return result

    with monkeypatch.context() as patched:
        patched.setattr(chunk_module, "write_part", damaging)
        with pytest.raises(InputError, match="part-00003.parquet"):
            score()
    assert not (source.parent / "o.parquet").exists()
    assert 0 < score().resumed < 12
    assert (source.parent / "o.parquet").read_bytes() == (source.parent / "whole.parquet").read_bytes()
