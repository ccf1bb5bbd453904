"""What a job wrote is held against the hashes that it kept, and its input against what it was."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from dxmatch.errors import DxmatchError, InputError
from dxmatch.jobs import chunk as chunk_module
from dxmatch.jobs.hashes import read_hashes
from dxmatch.jobs.job import Summary

from .conftest import ROWS, Write, random_pairs

Score = Callable[..., Summary]


def turned(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_hashes_of_a_folder_lie_beside_it(score: Score, source: Path) -> None:
    score("o")
    kept = read_hashes(source.parent / "o.sha256")
    assert kept == {f"o/{name}": hashlib.sha256(content).hexdigest() for name, content in contents(source.parent / "o").items()}  # fmt: skip
    assert sorted(path.name for path in source.parent.iterdir()) == ["o", "o.sha256", "pairs.parquet"]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda o: turned(o / "part-00003.parquet", 40), "o/part-00003.parquet is gone, or not what was written"),
        (lambda o: turned(o / "part-00009.parquet", -40), "o/part-00009.parquet is gone, or not what was written"),
        (lambda o: turned(o / "part-00009.parquet", -1), "o/part-00009.parquet is gone, or not what was written"),
        (lambda o: (o / "part-00002.parquet").write_bytes(b""), "o/part-00002.parquet is gone, or not what"),
        (lambda o: (o / "part-00000.parquet").unlink(), "o/part-00000.parquet is gone, or not what was written"),
        (
            lambda o: [turned(o / f"part-0000{i}.parquet", 40) for i in (1, 2, 3)],
            r"part-00001.parquet .*, and 2 more\.",
        ),
        (lambda o: (o.parent / "o.sha256").unlink(), "o.sha256 is gone, or not what was written"),
        (lambda o: (o.parent / "o.sha256").write_text("x"), "o.sha256 is gone, or not what was written"),
        (lambda o: turned(o.parent / "o.sha256", 70), "o.sha256 is gone, or not what was written"),
    ],
)
def test_a_finished_folder_that_was_damaged(
    change: Callable[[Path], Any], named: str, score: Score, source: Path
) -> None:
    """It is never "there already"; to make it anew gives what was there."""
    folder = source.parent / "o"
    score("o")
    expected = contents(folder)
    change(folder)
    with pytest.raises(DxmatchError, match=f"{named}.*the option 'restart'"):
        score("o")
    assert score("o", restart=True).resumed == 0
    assert contents(folder) == expected
    assert score("o").resumed == 10


def test_a_run_that_was_killed_before_its_last_step(score: Score, source: Path) -> None:
    """The folder has its name, and what was kept beside the parts is still in it."""
    score("o")
    expected = contents(source.parent / "o")
    (source.parent / "o" / "_part-00003.sha256").write_text("")
    (source.parent / "o" / "_job.json").write_text("{}")
    assert score("o").resumed == 10
    assert contents(source.parent / "o") == expected


@pytest.mark.parametrize("at", [40, -40])
def test_a_waiting_part_that_was_damaged(at: int, score: Score, source: Path) -> None:
    """In its pages or in its footer, which no checksum of Parquet's guards: the chunk is scored anew."""
    score("whole.parquet")
    with _failing_at(6), pytest.raises(DxmatchError, match="chunk 6 failed"):
        score("o.parquet", workers=1)
    turned(source.parent / "o.parquet.parts" / "part-00002.parquet", at)
    assert score("o.parquet").resumed == 5
    assert (source.parent / "o.parquet").read_bytes() == (source.parent / "whole.parquet").read_bytes()


@pytest.mark.parametrize("name", ["o.parquet", "o"])
@pytest.mark.parametrize("how", ["rewritten", "replaced", "touched", "same size and time"])
def test_input_that_is_changed_while_it_is_scored(
    how: str, name: str, score: Score, source: Path, write: Write
) -> None:
    """Before the fourth of ten chunks, or after all of them: no result appears, whichever rows were read."""
    before = source.stat()

    def change() -> None:
        if how == "touched":
            os.utime(source, ns=(before.st_mtime_ns, before.st_mtime_ns + 1))
        elif how == "rewritten":
            write(random_pairs(ROWS, seed=9), group=250)
        else:
            other = source.with_suffix(".other")
            other.write_bytes(source.read_bytes())
            if how == "same size and time":
                os.utime(other, ns=(before.st_mtime_ns, before.st_mtime_ns))
            other.replace(source)

    with _failing_at(3, change), pytest.raises(InputError, match=r"pairs\.parquet: it was changed or replaced while it was scored"):  # fmt: skip
        score(name, workers=1)
    assert not (source.parent / name).exists()


def _failing_at(number: int, instead: Callable[[], None] | None = None) -> Any:
    write = chunk_module.write_part

    def writing(job: Any, result: Any, *rest: Any) -> Any:
        if result.number == number:
            if instead is None:
                raise RuntimeError
            instead()
        return write(job, result, *rest)

    return mock.patch.object(chunk_module, "write_part", writing)
